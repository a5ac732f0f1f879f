#include <algorithm>

#include "protocol/sql/draft.hpp"

/// TRUNCATE: its text stays as it is, and its tables are empty once it is through.
namespace isotap::sql {
namespace {

void add_once(Draft& draft, const std::string& identity, VersionSource source) {
    auto& tables = draft.plan.tables;
    const bool known = std::any_of(tables.begin(), tables.end(), [&](const CapturedTable& table) {
        return table.identity == identity;
    });
    if (!known) {
        tables.push_back({identity, source, history::AccessKind::remove});
    }
}

}  // namespace

void plan_truncate(Draft& draft) {
    const bool cascades = draft.tokens[draft.tokens.size() - 1].is(Keyword::cascade);
    std::string_view left;  // why something that is emptied is not told
    for (const Relation& relation : draft.structure.relations) {
        std::string_view why;
        const Table* table = draft.table(relation, why);
        if (table == nullptr || table->is_part) {
            left = table == nullptr ? why : "partition";
            continue;
        }
        add_once(draft, table->identity, table->source);
        for (const std::string& other : table->referenced_by) {
            cascades ? add_once(draft, other, table->source) : void();
        }
    }
    if (draft.plan.tables.empty()) {
        draft.opaque(left.empty() ? "truncate" : left);
        return;
    }
    draft.partial_if(left);
    draft.plan.empties = true;
}

}  // namespace isotap::sql
