#include "tests/unit/postgres/talk.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::test {

namespace {

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> static_cast<unsigned>(shift) & 0xffU);
    }
    return bytes;
}

std::string c_string(std::string_view text) {
    return std::string(text) + '\0';
}

std::string_view name(Side side) {
    return side == Side::client ? "client" : "server";
}

struct InWords {
    std::string operator()(const history::SessionBegan& e) const {
        return fmt::format("session began: {} {}", e.user, e.database);
    }
    std::string operator()(const history::SessionEnded&) const { return "session ended"; }
    std::string operator()(const history::TransactionBegan& e) const {
        return fmt::format("{} began{}", transaction(e.transaction),
                           e.implicit ? ", implicit" : "");
    }
    std::string operator()(const history::TransactionLevel& e) const {
        constexpr std::array levels{"?", "RU", "RC", "RR", "SI", "SER"};
        constexpr std::array sources{"unknown", "default",     "startup",
                                     "session", "transaction", "reported"};
        return fmt::format("{} at {} ({}){}", transaction(e.transaction),
                           levels[static_cast<std::size_t>(e.level)],
                           sources[static_cast<std::size_t>(e.source)],
                           e.read_only ? ", read only" : "");
    }
    std::string operator()(const history::TransactionEnded& e) const {
        constexpr std::array outcomes{"committed", "aborted", "indeterminate"};
        return fmt::format("{} {}{}", transaction(e.transaction),
                           outcomes[static_cast<std::size_t>(e.outcome)],
                           e.incomplete ? ", incomplete" : "");
    }
    std::string operator()(const history::StatementBegan& e) const {
        return fmt::format("{}.{}: {}{}", transaction(e.statement.transaction), e.statement.ordinal,
                           e.text, e.text_cut ? " [cut]" : "");
    }
    std::string operator()(const history::StatementEnded& e) const {
        constexpr std::array outcomes{"completed", "suspended", "failed", "skipped", "cut"};
        const std::string_view state(e.sql_state.data(), e.sql_state.size());
        constexpr std::array coverages{"", ", opaque", ", partial", ", full"};
        return fmt::format("{}.{} {}{}{}{} rows {}{}", transaction(e.statement.transaction),
                           e.statement.ordinal, outcomes[static_cast<std::size_t>(e.outcome)],
                           e.tag.empty() && state == "     " ? "" : " ", e.tag,
                           state == "     " ? "" : state, e.rows,
                           coverages[static_cast<std::size_t>(e.coverage)]);
    }
    std::string operator()(const history::Savepoint& e) const {
        constexpr std::array actions{"set", "released", "rolled back to"};
        return fmt::format("savepoint {} {}", e.name, actions[static_cast<std::size_t>(e.action)]);
    }
    std::string operator()(const history::Gap&) const { return "gap"; }
    std::string operator()(const history::NameDefined& e) const {
        return fmt::format("name {}", e.text);
    }
    std::string operator()(const history::TableEmptied& e) const {
        return fmt::format("{}.{} empties table {}", transaction(e.statement.transaction),
                           e.statement.ordinal, static_cast<std::uint32_t>(e.table));
    }
    std::string operator()(const history::HeldRead& e) const {
        return fmt::format("{}.{} has read {} over {}", transaction(e.statement.transaction),
                           e.statement.ordinal, key(e.row), version(e.before));
    }
    std::string operator()(const history::Alias& e) const {
        return fmt::format("{} is {}", transaction(e.transaction), e.server_transaction);
    }
    std::string operator()(const history::RowLabelled& e) const {
        return fmt::format("row {}", e.label);
    }
    std::string operator()(const history::Access& e) const {
        constexpr std::array kinds{"reads", "locks", "doubts", "inserts", "updates", "deletes"};
        return fmt::format("{}.{} {} {} over {}{}", transaction(e.statement.transaction),
                           e.statement.ordinal, kinds[static_cast<std::size_t>(e.kind)], key(e.row),
                           version(e.before),
                           e.after == history::Version{} ? "" : " makes " + version(e.after));
    }
    template <typename Other>
    std::string operator()(const Other&) const {
        return "unexpected event";
    }

    static std::string key(const history::RowKey& row) {
        std::string text;
        for (const std::uint64_t word : {row.high, row.low}) {
            for (unsigned shift = 64; shift > 0; shift -= 8) {
                const char letter = static_cast<char>(word >> (shift - 8) & 0xffU);
                text += letter == '\0' ? std::string() : std::string(1, letter);
            }
        }
        return text;
    }
    static std::string version(const history::Version& version) {
        constexpr std::array kinds{"?", "T0", "unborn", "dead"};
        switch (version.kind) {
            case history::VersionKind::written:
                return fmt::format("T{}.{}", version.writer, version.statement);
            case history::VersionKind::foreign: return fmt::format("x{}", version.writer);
            default: return kinds[static_cast<std::size_t>(version.kind)];
        }
    }
    static std::string transaction(history::TransactionId id) {
        return fmt::format("T{}", static_cast<std::uint64_t>(id));
    }
};

}  // namespace

std::string message(char type, std::string_view body) {
    return type + big_endian(static_cast<std::uint32_t>(body.size() + 4)) + std::string(body);
}

std::string packet(std::uint32_t code, std::string_view parameters) {
    return big_endian(static_cast<std::uint32_t>(8 + parameters.size())) + big_endian(code) +
           std::string(parameters);
}

std::string startup(std::string_view parameters) {
    return packet(protocol_3_0, c_string(parameters));
}

std::string welcome() {
    return message('R', big_endian(0)) + message('S', "server_version\00015.0\0"sv) +
           message('K', big_endian(7) + big_endian(8)) + ready();
}

std::string ready(char status) {
    return message('Z', std::string_view(&status, 1));
}
std::string complete(std::string_view tag) {
    return message('C', c_string(tag));
}
std::string error(std::string_view sql_state, std::string_view severity) {
    return message(
        'E', 'S' + c_string(severity) + 'C' + c_string(sql_state) + 'M' + c_string("words") + '\0');
}
std::string query(std::string_view text) {
    return message('Q', c_string(text));
}
std::string parse(std::string_view statement, std::string_view text) {
    return message('P', c_string(statement) + c_string(text) + std::string(2, '\0'));
}
std::string bind(std::string_view portal, std::string_view statement) {
    return message('B', c_string(portal) + c_string(statement) + std::string(6, '\0'));
}
std::string execute(std::string_view portal) {
    return message('E', c_string(portal) + std::string(4, '\0'));
}

Talk::Talk(const Setting& setting) : setting_(setting) {
    session_ =
        std::make_unique<Session>(history::SessionId{1}, setting_.tls, setting_.limits,
                                  protocol::Reporting{*this, setting_.observe ? this : nullptr,
                                                      &ids_, setting_.plans, &names_},
                                  setting_.known);
    session_->start(Time{}, actions_);
    perform();
}

Talk::~Talk() {
    close();
}

void Talk::close() {
    if (!closed_) {
        closed_ = true;
        session_->on_closed(Time{});
    }
}

Talk& Talk::begun() {
    client(startup()).server(welcome());
    to_client.clear();
    to_server.clear();
    asked.clear();
    events.clear();
    notes.clear();
    return *this;
}

Talk& Talk::feed(Side from, std::string_view bytes) {
    const std::size_t slice = setting_.slice == 0 ? bytes.size() : setting_.slice;
    for (std::size_t at = 0; at < bytes.size(); at += slice) {
        // A copy on the heap, so that a view kept too long is found by the sanitizer.
        const std::string part(bytes.substr(at, slice));
        if (held_ && from == Side::client) {
            waiting_ += part;
            continue;
        }
        if (blind_) {
            (from == Side::client ? to_server : to_client) += part;
            continue;
        }
        session_->feed(from, as_bytes(part), Time{}, actions_);
        perform();
    }
    return *this;
}

Talk& Talk::tls_started(Side leg, protocol::TlsFacts facts) {
    session_->on_tls_started(leg, std::move(facts), Time{}, actions_);
    perform();
    return *this;
}

Talk& Talk::tls_failed(Side leg) {
    session_->on_tls_failed(leg, "bad certificate", Time{}, actions_);
    perform();
    return *this;
}

Talk& Talk::release() {
    held_ = false;
    session_->on_released(Time{}, actions_);
    perform();
    return held_ ? *this : client(std::exchange(waiting_, {}));
}

Talk& Talk::shut_down() {
    session_->on_shutdown(Time{}, actions_);
    perform();
    return *this;
}

void Talk::perform() {
    bool dial = false;
    for (const protocol::Action& action : actions_) {
        switch (action.kind) {
            case protocol::ActionKind::send:
                (action.to == Side::client ? to_client : to_server) += as_text(action.bytes);
                break;
            case protocol::ActionKind::dial:
                asked.emplace_back("dial");
                dial = true;
                break;
            case protocol::ActionKind::start_tls:
                asked.push_back(fmt::format("start_tls {}", name(action.to)));
                break;
            case protocol::ActionKind::go_blind:
                asked.emplace_back("go_blind");
                blind_ = true;
                break;
            case protocol::ActionKind::finish: asked.emplace_back("finish"); break;
            case protocol::ActionKind::hold:
                asked.emplace_back("hold");
                held_ = true;
                break;
            case protocol::ActionKind::wake: asked.emplace_back("wake"); break;
        }
    }
    actions_.clear();
    if (dial) {
        if (setting_.dial_fails) {
            session_->on_dial_failed({protocol::DialFailure::Kind::unreachable, "refused"}, Time{},
                                     actions_);
        } else {
            session_->on_dialled(Time{}, actions_);
        }
        perform();
    }
}

void Talk::accept(const history::Event& event) noexcept {
    events.push_back(std::visit(InWords{}, event));
}

void Talk::take(protocol::Note note, std::string_view /*detail*/) noexcept {
    notes.emplace_back(protocol::to_string(note));
}

}  // namespace isotap::postgres::test
