#include "analysis/history/words.hpp"

namespace isotap::history {

std::string_view to_string(IsolationLevel level) noexcept {
    switch (level) {
        case IsolationLevel::unknown: return "UNKNOWN";
        case IsolationLevel::read_uncommitted: return "READ UNCOMMITTED";
        case IsolationLevel::read_committed: return "READ COMMITTED";
        case IsolationLevel::repeatable_read: return "REPEATABLE READ";
        case IsolationLevel::snapshot: return "SNAPSHOT";
        case IsolationLevel::serializable: return "SERIALIZABLE";
    }
    return "UNKNOWN";
}

std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::committed: return "committed";
        case Outcome::aborted: return "aborted";
        case Outcome::indeterminate: return "indeterminate";
    }
    return "indeterminate";
}

}  // namespace isotap::history
