// A whole PostgreSQL session between a client and a server that say anything at all, cut anywhere,
// under every TLS policy. What must hold: nothing is read beyond its end, nothing is invented, and
// as long as no TLS and no refusal comes in between, what goes in on one side comes out on the
// other.
#include <cstdlib>
#include <string>

#include "isotap/history/events.hpp"

#include "protocol/postgres/session.hpp"

namespace {

using isotap::protocol::Side;

class Ears : public isotap::history::EventSink, public isotap::protocol::NoteTaker {
  public:
    void accept(const isotap::history::Event& event) noexcept override {
        if (const auto* began = std::get_if<isotap::history::StatementBegan>(&event)) {
            text.assign(began->text);  // touches every byte of the view
        }
    }
    void take(isotap::protocol::Note /*note*/, std::string_view detail) noexcept override {
        text.assign(detail);
    }
    std::string text;
};

class Play {
  public:
    explicit Play(const isotap::protocol::TlsRules& rules)
        : rules_(rules),
          session_(isotap::history::SessionId{1}, rules, limits_, {ears_, &ears_, &ids_}) {}

    bool over() const { return over_; }

    void feed(Side from, const std::string& bytes) {
        (from == Side::client ? said_by_client_ : said_by_server_) += bytes;
        if (blind_) {
            (from == Side::client ? to_server_ : to_client_) += bytes;
            return;
        }
        const std::string copy(bytes);
        session_.feed(from, isotap::as_bytes(copy), {}, actions_);
        perform();
    }

    void finish() {
        const bool plain = !rules_.certificate && !over_ &&
                           rules_.policy != isotap::protocol::TlsPolicy::terminate;
        const bool whole = session_.phase() != isotap::protocol::Phase::handshake;
        if (plain && whole && (to_server_ != said_by_client_ || to_client_ != said_by_server_)) {
            std::abort();
        }
        session_.on_closed({});
    }

  private:
    void perform() {
        using isotap::protocol::ActionKind;
        bool dialled = false;
        std::size_t tls = 0;
        Side leg = Side::client;
        for (const auto& action : actions_) {
            switch (action.kind) {
                case ActionKind::send:
                    (action.to == Side::client ? to_client_ : to_server_) +=
                        isotap::as_text(action.bytes);
                    break;
                case ActionKind::dial: dialled = true; break;
                case ActionKind::start_tls:
                    ++tls;
                    leg = action.to;
                    break;
                case ActionKind::go_blind: blind_ = true; break;
                case ActionKind::finish: over_ = true; break;
                case ActionKind::hold: break;
            }
        }
        actions_.clear();
        if (dialled) {
            session_.on_dialled({}, actions_);
            perform();
        } else if (tls > 0) {
            session_.on_tls_started(leg, {true, to_client_.size() % 2 == 0}, {}, actions_);
            perform();
        }
    }

    isotap::protocol::TlsRules rules_;
    isotap::Limits limits_;
    Ears ears_;
    isotap::history::TransactionIds ids_{0, 0};
    isotap::protocol::Actions actions_;
    isotap::postgres::Session session_;
    std::string said_by_client_, said_by_server_, to_client_, to_server_;
    bool blind_ = false;
    bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using isotap::protocol::TlsPolicy;
    if (size < 1) {
        return 0;
    }
    const auto policy = static_cast<TlsPolicy>(data[0] & 3U);
    Play play({policy, (data[0] & 4U) != 0, isotap::protocol::ServerTls::prefer});
    // Each slice: a byte that tells who speaks and how much, then what is said.
    for (std::size_t at = 1; at < size && !play.over();) {
        const Side from = (data[at] & 0x80U) != 0 ? Side::server : Side::client;
        const std::size_t wanted = data[at] & 0x7fU;
        ++at;
        const std::size_t taken = std::min(wanted, size - at);
        play.feed(from, std::string(reinterpret_cast<const char*>(data + at), taken));
        at += taken;
    }
    play.finish();
    return 0;
}
