#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace isotap::sql {

/// What two parsers must agree on, in a form that compares. Places are byte offsets.
struct Facts {
    bool touches_rows = false;        ///< SELECT, INSERT, UPDATE, DELETE, MERGE
    std::multiset<std::string> said;  ///< tables, items, common table expressions
    std::multiset<std::string> aggregates;
    /// Clauses, by name: the first and the last place within, where known.
    struct Extent {
        long first = -1;
        long last = -1;
    };
    std::multimap<std::string, Extent> clauses;
};

/// From the tree that libpg_query prints as JSON.
Facts facts_of_postgres(std::string_view tree);

/// From our structure; `doubt` is empty when it is sure.
Facts facts_of_ours(std::string_view statement, std::string& doubt);

/// Empty when they agree; else one line a difference. Ours may extend a clause over parentheses and
/// names that have no place in the tree of the other.
std::string difference(const Facts& ours, const Facts& theirs);

}  // namespace isotap::sql
