#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

/// Events as tests make them and as they look when they have come through.
namespace isotap::proxy::testing {

inline Time at_ms(std::int64_t ms) {
    return Time{} + std::chrono::hours(1) + std::chrono::milliseconds(ms);
}

inline history::TransactionBegan began(std::uint64_t id, std::int64_t ms = 0,
                                       std::uint64_t session = 1) {
    return {history::SessionId{session}, history::TransactionId{id}, at_ms(ms), false};
}
inline history::TransactionEnded ended(std::uint64_t id,
                                       history::Outcome outcome = history::Outcome::committed,
                                       std::int64_t ms = 1) {
    return {history::TransactionId{id}, at_ms(ms), at_ms(ms), outcome, false};
}
inline history::StatementBegan statement(std::uint64_t id, std::uint32_t ordinal,
                                         std::string_view text) {
    return {{history::TransactionId{id}, ordinal}, at_ms(0), text, false};
}

struct Speller {
    static std::string id(history::TransactionId t) {
        return "T" + std::to_string(static_cast<std::uint64_t>(t));
    }
    static std::string of(const history::StatementRef& s) {
        return id(s.transaction) + "." + std::to_string(s.ordinal);
    }
    std::string operator()(const history::NameDefined& e) const {
        return "name " + std::to_string(static_cast<std::uint32_t>(e.id)) + " " +
               std::string(e.text);
    }
    std::string operator()(const history::SessionBegan& e) const {
        return "session " + std::string(e.user) + "/" + std::string(e.database) + "/" +
               std::string(e.application);
    }
    std::string operator()(const history::TransactionBegan& e) const {
        return "begin " + id(e.transaction);
    }
    std::string operator()(const history::TransactionEnded& e) const {
        return "end " + id(e.transaction);
    }
    std::string operator()(const history::StatementBegan& e) const {
        return "statement " + of(e.statement) + " " + std::string(e.text) +
               (e.text_cut ? " (cut)" : "");
    }
    std::string operator()(const history::StatementEnded& e) const {
        return "done " + of(e.statement) + " " + std::string(e.tag);
    }
    std::string operator()(const history::Savepoint& e) const {
        return "savepoint " + of(e.statement) + " " + std::string(e.name);
    }
    std::string operator()(const history::WriterList& e) const {
        std::string line = "list " + of(e.statement);
        for (const history::Version& writer : e.writers) {
            line += " " + std::to_string(writer.writer) + "." + std::to_string(writer.statement);
        }
        return line;
    }
    std::string operator()(const history::RowImage& e) const {
        return "image " + std::string(e.before) + " > " + std::string(e.after);
    }
    std::string operator()(const history::Access& e) const {
        return "access " + of(e.statement) + " row " + std::to_string(e.row.low);
    }
    std::string operator()(const history::TableEmptied& e) const {
        return "emptied " + of(e.statement) + " " +
               std::to_string(static_cast<std::uint32_t>(e.table));
    }
    std::string operator()(const history::Gap& e) const {
        return "gap " + id(e.transaction) + " x" + std::to_string(e.count);
    }
    std::string operator()(const auto& /*other*/) const { return "other"; }
};

/// One line an event: enough to see that nothing was mixed up.
inline std::string line_of(const history::Event& event) {
    return std::visit(Speller{}, event);
}

}  // namespace isotap::proxy::testing
