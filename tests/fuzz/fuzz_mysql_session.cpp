// A whole session between two ends that send any bytes in any order. It must not crash, and as long
// as nobody asks it for TLS or sends it away, every byte must come out at the other end.
//
// Input: a byte of options, then chunks: a byte whose top bit names the sender and whose others
// give the length, and that many bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/session.hpp"
#include "tests/fuzz/event_balance.hpp"

namespace {

using isotap::Bytes;
using isotap::protocol::Action;
using isotap::protocol::ActionKind;
using isotap::protocol::Actions;
using isotap::protocol::Side;

class Notes final : public isotap::protocol::NoteTaker {
  public:
    void take(isotap::protocol::Note /*note*/, std::string_view /*detail*/) noexcept override {}
};

class Driver {
  public:
    explicit Driver(std::uint8_t options)
        : session_(isotap::history::SessionId{1}, rules(options), limits_,
                   {notes_, &events_, &ids_}) {
        session_.start({}, actions_);
        actions_.clear();
        session_.on_dialled({}, actions_);
        perform();
    }

    /// False when the session wants no more.
    bool feed(Side from, Bytes bytes) {
        (from == Side::client ? sent_by_client_ : sent_by_server_) += isotap::as_text(bytes);
        session_.feed(from, bytes, {}, actions_);
        perform();
        return !over_;
    }

    void finish() {
        session_.on_closed({});
        events_.expect_even();
        if (!tampers_ && !over_ && session_.phase() != isotap::protocol::Phase::handshake &&
            (to_server_ != sent_by_client_ || to_client_ != sent_by_server_)) {
            std::abort();
        }
    }

    [[nodiscard]] bool blind() const noexcept { return blind_; }

  private:
    static isotap::protocol::TlsRules rules(std::uint8_t options) {
        isotap::protocol::TlsRules rules;
        rules.policy = static_cast<isotap::protocol::TlsPolicy>(options & 3);
        rules.certificate = (options & 4) != 0;
        rules.server = static_cast<isotap::protocol::ServerTls>(std::min(options >> 3 & 3, 2));
        return rules;
    }

    void perform() {
        std::vector<Side> started;
        for (const Action& action : actions_) {
            if (action.kind == ActionKind::send) {
                (action.to == Side::client ? to_client_ : to_server_) +=
                    isotap::as_text(action.bytes);
            } else if (action.kind == ActionKind::start_tls) {
                tampers_ = true;
                started.push_back(action.to);
            } else if (action.kind == ActionKind::go_blind) {
                blind_ = true;
            } else if (action.kind == ActionKind::finish) {
                over_ = true;
            }
        }
        // A greeting whose TLS bit was changed has the same length.
        tampers_ = tampers_ || to_client_ != sent_by_server_.substr(0, to_client_.size());
        actions_.clear();
        for (const Side leg : started) {
            session_.on_tls_started(leg, {}, {}, actions_);
            perform();
        }
    }

    isotap::Limits limits_ = [] {
        isotap::Limits limits;
        limits.observed_message = 64;
        limits.pipelined_replies = 8;
        limits.named_statements = 4;
        return limits;
    }();
    Notes notes_;
    isotap::fuzz::EventBalance events_;
    isotap::history::TransactionIds ids_{0, 0};
    isotap::mysql::Session session_;
    Actions actions_;
    std::string sent_by_client_;
    std::string sent_by_server_;
    std::string to_client_;
    std::string to_server_;
    bool tampers_ = false;
    bool blind_ = false;
    bool over_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    Driver driver(data[0]);
    Bytes rest(data + 1, size - 1);
    while (!rest.empty() && !driver.blind()) {
        const Side from = (rest[0] & 0x80) != 0 ? Side::client : Side::server;
        const std::size_t length = std::min<std::size_t>(rest[0] & 0x7f, rest.size() - 1);
        // Bytes of their own, so that a view that is kept too long is caught.
        const std::vector<std::uint8_t> chunk(
            rest.begin() + 1, rest.begin() + 1 + static_cast<std::ptrdiff_t>(length));
        rest = rest.subspan(length + 1);
        if (!driver.feed(from, chunk)) {
            break;
        }
    }
    driver.finish();
    return 0;
}
