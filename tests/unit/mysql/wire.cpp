#include "tests/unit/mysql/wire.hpp"

#include <array>
#include <variant>

#include <fmt/core.h>

#include "tests/unit/mysql/packets.hpp"

namespace isotap::mysql::test {

using protocol::ActionKind;
using protocol::Side;

namespace {

using Words = std::array<std::string_view, 6>;

template <typename Enumeration>
std::string_view word(const Words& words, Enumeration value) {
    return words[static_cast<std::size_t>(value)];
}

constexpr Words levels{"unknown", "RU", "RC", "RR", "SI", "SER"};
constexpr Words sources{"unknown", "default", "startup", "session", "transaction", "reported"};
constexpr Words outcomes{"committed", "aborted", "indeterminate"};
constexpr Words statement_outcomes{"completed", "suspended", "failed", "skipped", "cut"};
constexpr Words savepoint_actions{"set", "release", "roll back"};

struct Line {
    std::string operator()(const history::SessionBegan& e) const {
        return fmt::format("session {}@{} {}", e.user, e.database, e.application);
    }
    std::string operator()(const history::SessionEnded& /*e*/) const { return "session ended"; }
    std::string operator()(const history::TransactionBegan& e) const {
        return fmt::format("{} began{}", std::uint64_t(e.transaction), e.implicit ? " alone" : "");
    }
    std::string operator()(const history::TransactionLevel& e) const {
        return fmt::format("{} {} {}{}", std::uint64_t(e.transaction), word(levels, e.level),
                           word(sources, e.source), e.read_only ? " read-only" : "");
    }
    std::string operator()(const history::TransactionEnded& e) const {
        return fmt::format("{} {}{}", std::uint64_t(e.transaction), word(outcomes, e.outcome),
                           e.incomplete ? " incomplete" : "");
    }
    std::string operator()(const history::StatementBegan& e) const {
        return fmt::format("{}.{} {}{}", std::uint64_t(e.statement.transaction),
                           e.statement.ordinal, e.text.substr(0, 60), e.text_cut ? " …" : "");
    }
    std::string operator()(const history::StatementEnded& e) const {
        std::string line =
            fmt::format("{}.{} {} {}", std::uint64_t(e.statement.transaction), e.statement.ordinal,
                        word(statement_outcomes, e.outcome), e.rows);
        if (e.error_number != 0) {
            line += fmt::format(" {} {}", e.error_number,
                                std::string_view(e.sql_state.data(), e.sql_state.size()));
        }
        return line;
    }
    std::string operator()(const history::Savepoint& e) const {
        return fmt::format("{}.{} savepoint {} {}", std::uint64_t(e.statement.transaction),
                           e.statement.ordinal, word(savepoint_actions, e.action), e.name);
    }
    std::string operator()(const history::Gap& /*e*/) const { return "gap"; }
    template <typename Other>
    std::string operator()(const Other& /*e*/) const {
        return "an event that this part never sends";
    }
};

}  // namespace

void EventLog::accept(const history::Event& event) noexcept {
    lines_.push_back(std::visit(Line{}, event));
}

Wire::Wire(const protocol::TlsRules& rules, const Limits& limits)
    : limits_(limits), session_(history::SessionId{1}, rules, limits_, {notes_, &log_, &ids_}) {
    session_.start({}, actions_);
    perform();
}

void Wire::feed(Side from, std::string_view bytes) {
    // A copy that lives for the call alone: whoever keeps a view of it is caught by the sanitizer.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    if (blind) {
        (from == Side::client ? to_server : to_client) += bytes;
        return;
    }
    session_.feed(from, input, {}, actions_);
    perform();
}

void Wire::dialled() {
    session_.on_dialled({}, actions_);
    perform();
}

void Wire::dial_failed(std::string_view why, protocol::DialFailure::Kind kind) {
    session_.on_dial_failed({kind, why}, {}, actions_);
    perform();
}

void Wire::tls_failed(Side leg) {
    session_.on_tls_failed(leg, "no", {}, actions_);
    perform();
}

void Wire::shut_down() {
    session_.on_shutdown({}, actions_);
    perform();
}

void Wire::close() {
    session_.on_closed({});
}

void Wire::perform() {
    std::vector<Side> started;
    for (const protocol::Action& action : actions_) {
        switch (action.kind) {
            case ActionKind::send:
                (action.to == Side::client ? to_client : to_server) += as_text(action.bytes);
                break;
            case ActionKind::dial: other_actions.emplace_back("dial"); break;
            case ActionKind::start_tls:
                other_actions.push_back(fmt::format("{} tls {}",
                                                    action.to == Side::client ? "client" : "server",
                                                    as_text(action.bytes)));
                started.push_back(action.to);
                break;
            case ActionKind::go_blind: blind = true; break;
            case ActionKind::finish: other_actions.emplace_back("finish"); break;
            case ActionKind::hold: other_actions.emplace_back("hold"); break;
            case ActionKind::wake: other_actions.emplace_back("wake"); break;
        }
    }
    actions_.clear();
    for (const Side leg : started) {
        session_.on_tls_started(leg, tls_facts, {}, actions_);
        perform();
    }
}

void Wire::log_in(Capabilities capabilities, std::string_view version) {
    dialled();
    from_server(greeting(capabilities, version));
    from_client(handshake_response(capabilities));
    from_server(ok(2));
    to_client.clear();
    to_server.clear();
}

void Wire::exchange(std::string_view command, std::string_view reply) {
    from_client(command);
    from_server(reply);
}

}  // namespace isotap::mysql::test
