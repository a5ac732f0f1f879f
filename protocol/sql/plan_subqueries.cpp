#include <algorithm>
#include <string_view>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/select_plan.hpp"

/// What subqueries in a statement's expressions read, and what nothing tells.
namespace isotap::sql {

bool SelectPlan::writes_somewhere() const {
    return std::any_of(structure_.blocks.begin(), structure_.blocks.end(), [](const Block& block) {
        return block.kind == BlockKind::insert || block.kind == BlockKind::update ||
               block.kind == BlockKind::remove || block.kind == BlockKind::merge;
    });
}

bool SelectPlan::locks() const {
    return std::any_of(structure_.queries.begin(), structure_.queries.end(),
                       [](const Query& query) { return !query.locking.empty(); });
}

/// A statement can be wrapped, and read something again, only where that is possible at all:
/// not around writes and SELECT INTO, and not where locks make later versions visible. In the
/// MySQL family the wrapped columns would lose their tables' names.
std::string_view SelectPlan::no_wrap() const {
    if (mysql()) {
        return "subquery";
    }
    return writes_somewhere() ? "write in a common table expression"
           : locks()          ? "lock"
                              : std::string_view{};
}

/// Gives what keeps a subquery in an expression from being told.
std::string_view SelectPlan::tell_subquery(QueryId id) {
    const Query& query = structure_.queries[id];
    if (!reads_tables(structure_, id)) {
        return {};
    }
    if (query.parent == no_node || !told(query.parent)) {
        return "nested subquery";
    }
    if (const std::string_view why = companions_.obstacle(id); !why.empty()) {
        return ask_for_subquery(id, why);
    }
    const SubqueryUse use = use_of(draft_, id);
    const bool correlated = companions_.is_correlated(id);
    if (use.evaluated && !correlated && no_wrap().empty()) {
        read_beside(id);
        draft_.plan.silent_when_empty = true;
        return {};
    }
    const std::string_view why =
        use.evaluated ? tell_in_list(id, use, correlated) : "subquery that may be skipped";
    if (why.empty() || ask_for_subquery(id, why).empty()) {
        return {};
    }
    return !correlated || !no_wrap().empty() ? why : tell_deciding(id, why);
}

/// Behind the statement. Gives `why` it is not told in another way where it cannot be asked
/// for.
std::string_view SelectPlan::ask_for_subquery(QueryId id, std::string_view why) {
    if (!mysql() || locks() || !rereads_.can(id)) {
        return why;
    }
    rereads_.add(id, why);
    beside_[structure_.queries[id].body] = true;
    return {};
}

/// The rows by which EXISTS keeps or rejects others. `why` they are not told in another way.
std::string_view SelectPlan::tell_deciding(QueryId id, std::string_view why) {
    if (const std::string_view obstacle = companions_.obstacle_of_deciding(id); !obstacle.empty()) {
        return obstacle == "nested subquery" ? why : obstacle;
    }
    companions_.read_deciding(id);
    tell_beside(id);
    draft_.plan.silent_when_empty = true;
    return {};
}

/// A subquery of the statement's only block, again as a column of its list.
std::string_view SelectPlan::tell_in_list(QueryId id, const SubqueryUse& use, bool correlated) {
    const Block* block = structure_.single_block();
    const BlockId parent = structure_.queries[id].parent;
    if (block == nullptr || structure_.id_of(*block) != parent || !carrier_.tells(parent)) {
        return "nested subquery";
    }
    if (locks() || writes_somewhere()) {
        return "lock";
    }
    const bool one_row =
        !block->has(Clause::from) || (is_grouped(draft_, parent) && !block->has(Clause::group_by));
    if (correlated ? is_grouped(draft_, parent) : !one_row && !mysql()) {
        return "subquery";
    }
    if (correlated && !use.matches && !use.in_list) {
        return "rows that a subquery rejects";
    }
    if (mysql() && draft_.concatenates()) {
        return "subquery";
    }
    const bool once = !correlated && !one_row;
    if (once && has_limit(structure_, structure_.top)) {
        return "LIMIT hides rows";
    }
    companions_.read_in_list(id, *block, once);
    if (once && !draft_.state.mariadb && rereads_.can(id)) {
        rereads_.add_spare(id, "subquery");
    }
    draft_.plan.silent_when_empty = draft_.plan.silent_when_empty || once;
    tell_beside(id);
    return {};
}

/// Every table that is read and not told lowers coverage.
void SelectPlan::note_what_is_left() {
    for (const Relation& relation : structure_.relations) {
        if (relation.kind != RelationKind::table || draft_.is_cte(relation) ||
            told(relation.block)) {
            continue;
        }
        switch (structure_.queries[structure_.blocks[relation.block].query].role) {
            case QueryRole::derived: draft_.partial("derived table"); break;
            case QueryRole::expression: draft_.partial("subquery"); break;
            case QueryRole::cte: draft_.partial("common table expression"); break;
            default: draft_.partial("nested query");
        }
    }
}

}  // namespace isotap::sql
