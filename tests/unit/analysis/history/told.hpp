#pragma once

#include <string>

#include "analysis/history/formats.hpp"

namespace isotap::test {

/// One operation in short: `r x 1`, `w x 1`, `a x 1`, `r x [1 2]`, `i x 1`, `d x`, `p 0`.
inline std::string tell(const history::History& history, const history::Operation& operation) {
    using history::OperationKind;
    const std::string key = history.atoms.spell(operation.key);
    const std::string value = history.atoms.spell(operation.value);
    switch (operation.kind) {
        case OperationKind::read: return "r " + key + " " + value;
        case OperationKind::write: return "w " + key + " " + value;
        case OperationKind::append: return "a " + key + " " + value;
        case OperationKind::insert: return "i " + key + " " + value;
        case OperationKind::remove: return "d " + key;
        case OperationKind::predicate_read: return "p " + value;
        case OperationKind::read_list: break;
    }
    std::string text = "r " + key + " [";
    for (const history::Value element : history.list(operation)) {
        text += (text.back() == '[' ? "" : " ") + history.atoms.spell(element);
    }
    return text + "]";
}

/// A whole history, one transaction a line: `0: w x 1, r y nil`, `1! …` aborted, `1? …`
/// indeterminate; the number is the session.
inline std::string tell(const history::History& history) {
    std::string text;
    for (const history::Transaction& transaction : history.transactions) {
        text += std::to_string(transaction.session);
        text += transaction.outcome == history::Outcome::committed ? ":"
                : transaction.outcome == history::Outcome::aborted ? "!"
                                                                   : "?";
        std::string separator = " ";
        for (const history::Operation& operation : history.operations_of(transaction)) {
            text += separator + tell(history, operation);
            separator = ", ";
        }
        text += "\n";
    }
    return text;
}

/// The history in this text as `tell` gives it, or the message of the error.
inline std::string read(std::string_view text, std::optional<history::Format> format = {}) {
    const auto result = history::read_history_text(text, "file", format);
    return result ? tell(result->history) : result.error().message();
}

}  // namespace isotap::test
