// A whole PostgreSQL session between a client and a server that say anything at all, cut anywhere,
// under every TLS policy, observed only or with statements captured. What must hold: nothing is
// read beyond its end, nothing is invented, and as long as no TLS, no refusal and no plan that adds
// something comes in between, what goes in on one side comes out on the other.
#include <cstdlib>
#include <string>

#include "isotap/history/events.hpp"

#include "protocol/postgres/session.hpp"
#include "tests/unit/postgres/literal_plans.hpp"

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
    /// What is done about statements.
    enum class Capture { none, nothing_added, all };

    Play(const isotap::protocol::TlsRules& rules, Capture capture)
        : rules_(rules),
          capture_(capture),
          session_(isotap::history::SessionId{1}, rules, limits_,
                   {ears_, &ears_, &ids_, capture == Capture::none ? nullptr : &plans_, &names_}) {
        plans_.none = capture == Capture::nothing_added;
        plans_.slow = true;
        plans_.catalog.add("t", isotap::sql::VersionSource::system, {"id", "a"});
    }

    bool over() const { return over_; }

    void feed(Side from, const std::string& bytes) {
        (from == Side::client ? said_by_client_ : said_by_server_) += bytes;
        if (held_ && from == Side::client) {
            waiting_ += bytes;
            return;
        }
        if (blind_) {
            (from == Side::client ? to_server_ : to_client_) += bytes;
            return;
        }
        // Gone behind the call, so that a view that is kept too long is caught.
        const std::vector<std::uint8_t> passing(bytes.begin(), bytes.end());
        session_.feed(from, passing, {}, actions_);
        perform();
    }

    void release() {
        while (held_) {
            held_ = false;
            session_.on_released({}, actions_);
            perform();
            const std::string waited = std::exchange(waiting_, {});
            if (held_) {
                waiting_ = waited;
            } else if (blind_) {
                to_server_ += waited;
            } else if (!waited.empty()) {
                session_.feed(Side::client, isotap::as_bytes(waited), {}, actions_);
                perform();
            }
        }
    }

    void finish() {
        release();
        if (capture_ == Capture::all) {
            session_.on_closed({});
            return;
        }
        if (capture_ == Capture::nothing_added && !blind_) {
            // A message that has not come to its end is still here, and nothing else is.
            const bool begins = said_by_client_.compare(0, to_server_.size(), to_server_) == 0 &&
                                said_by_server_.compare(0, to_client_.size(), to_client_) == 0;
            if (!rules_.certificate && rules_.policy != isotap::protocol::TlsPolicy::terminate &&
                !over_ && session_.phase() != isotap::protocol::Phase::handshake && !begins) {
                std::abort();
            }
            session_.on_closed({});
            return;
        }
        const bool plain = !rules_.certificate && !over_ &&
                           rules_.policy != isotap::protocol::TlsPolicy::terminate;
        const bool whole = session_.phase() != isotap::protocol::Phase::handshake;
        if (plain && whole && (to_server_ != said_by_client_ || to_client_ != said_by_server_)) {
            std::abort();
        }
        session_.on_closed({});
    }

  private:
    static isotap::Limits short_messages() {
        isotap::Limits limits;
        limits.observed_message = 512;
        return limits;
    }

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
                case ActionKind::hold: held_ = true; break;
                case ActionKind::wake: break;
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
    Capture capture_;
    isotap::Limits limits_ = short_messages();
    Ears ears_;
    isotap::history::TransactionIds ids_{0, 0};
    isotap::history::Names names_{ears_};
    isotap::postgres::test::LiteralPlans plans_;
    isotap::protocol::Actions actions_;
    isotap::postgres::Session session_;
    std::string said_by_client_, said_by_server_, to_client_, to_server_;
    std::string waiting_;  // said by the client while it was held
    bool held_ = false;
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
    const auto capture = static_cast<Play::Capture>(std::min(data[0] >> 3U & 3U, 2U));
    Play play({policy, (data[0] & 4U) != 0, isotap::protocol::ServerTls::prefer}, capture);
    // Each slice: a byte that tells who speaks and how much, then what is said.
    for (std::size_t at = 1; at < size && !play.over();) {
        const Side from = (data[at] & 0x80U) != 0 ? Side::server : Side::client;
        const std::size_t wanted = data[at] & 0x7fU;
        ++at;
        const std::size_t taken = std::min(wanted, size - at);
        if (taken == 0) {
            play.release();
        }
        play.feed(from, std::string(reinterpret_cast<const char*>(data + at), taken));
        at += taken;
    }
    play.finish();
    return 0;
}
