#include "protocol/sql/carry.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/inner_aggregates.hpp"
#include "protocol/sql/star_use.hpp"

namespace isotap::sql {
namespace {

/// A lock that names relations (OF) holds for those only.
history::AccessKind kind_of(const Draft& draft, const Query& query, const Relation& relation) {
    if (query.locking.empty()) {
        return history::AccessKind::read;
    }
    const TokenIndex of = draft.find(query.locking, Keyword::of);
    if (of == no_token) {
        return history::AccessKind::locking_read;
    }
    const std::string name = draft.name(called(relation));
    for (TokenIndex i = of + 1; i < query.locking.last; ++i) {
        if (draft.name(i) == name) {
            return history::AccessKind::locking_read;
        }
    }
    return history::AccessKind::read;
}

/// What LIMIT cuts off counts like what WHERE rejects: it is no part of what was read. What stands
/// in front of an OFFSET had to be there for the others to come.
bool skips_rows(const Draft& draft, TokenRange limit) {
    for (TokenIndex i = limit.first; i < limit.last; ++i) {
        if (draft.tokens[i].is(Keyword::offset) || draft.tokens[i].is(TokenKind::comma)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string_view Carrier::obstacle(QueryId query) const {
    if (has_other_set_operation(draft_.structure, query)) {
        return "set operation";
    }
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        if (const std::string_view why = obstacle_of_block(arm); !why.empty()) {
            return why;
        }
    }
    return {};
}

/// What stands in the way of adding a column to the list; empty if nothing does.
std::string_view Carrier::obstacle_of_block(BlockId id) const {
    const Block& block = draft_.structure.blocks[id];
    switch (block.kind) {
        case BlockKind::select: break;
        case BlockKind::values: return "VALUES";
        case BlockKind::table: return "TABLE";
        default: return "write in a common table expression";
    }
    if (block.has(Clause::into)) {
        return "INTO";
    }
    if (block.has(Clause::distinct)) {
        return "DISTINCT";
    }
    if (!block.has(Clause::items)) {
        return "empty select list";
    }
    return draft_.state.dialect == Dialect::mysql ? obstacle_on_mysql(id) : std::string_view{};
}

/// The server picks columns beside aggregates, and decides when a lone HAVING is evaluated, by the
/// plan that it finds: another column in the list may show the client another row. And the longer
/// limit of our GROUP_CONCAT would hold for the client's as well.
std::string_view Carrier::obstacle_on_mysql(BlockId id) const {
    const Block& block = draft_.structure.blocks[id];
    if (block.has(Clause::group_by)) {
        return "GROUP BY";
    }
    if (block.has(Clause::having)) {
        return "HAVING";
    }
    if (hides_an_aggregate(draft_, id)) {
        return "aggregate in a subquery";
    }
    return draft_.aggregates(id) && draft_.concatenates() ? "GROUP_CONCAT" : std::string_view{};
}

bool Carrier::tells(BlockId block) const {
    return std::find(telling_.begin(), telling_.end(), block) != telling_.end();
}

void Carrier::carry_top() {
    carry(draft_.structure.top, false, true);
}

/// The columns that the query has now, behind the client's, under the names that they have.
std::vector<Told> Carrier::carry(QueryId query, bool locked, bool top) {
    const std::vector<BlockId> arms = arms_of(draft_.structure, query);
    std::vector<Rows> rows;
    rows.reserve(arms.size());
    for (const BlockId arm : arms) {
        rows.push_back(rows_of(arm, locked));
    }
    add_columns(arms, rows, top);
    std::vector<Told> columns;
    for (Rows& one : rows) {
        columns.insert(columns.end(), std::make_move_iterator(one.told.begin()),
                       std::make_move_iterator(one.told.end()));
    }
    return columns;
}

/// Each arm gets the columns of all; those of the others are NULL in it.
void Carrier::add_columns(const std::vector<BlockId>& arms, std::vector<Rows>& rows, bool top) {
    const bool mysql = draft_.state.dialect == Dialect::mysql;
    std::vector<std::string> texts(arms.size());
    for (Rows& owner : rows) {
        for (Told& told : owner.told) {
            std::string name = told.text;
            if (top) {
                draft_.plan.added.push_back({told.role, told.table});
                name = "isotap_" + std::to_string(draft_.plan.added.size());
            } else if (!owner.by_star) {
                name = "isotap_in" + std::to_string(++names_);
            } else {
                name.erase(0, name.rfind('.') + 1);
            }
            if (top && arms.size() == 1 && told.plain) {
                told.text = needless_cast(std::move(told.text));
            }
            for (std::size_t arm = 0; arm < arms.size(); ++arm) {
                const bool own = &rows[arm] == &owner;
                texts[arm] += ", " + (own ? told.text : mysql ? "null" : "null::text");
                // MariaDB makes a derived table of a query in parentheses that is sorted outside of
                // them: there, too, each column needs a name of its own.
                const bool bare = arms.size() > 1 ||
                                  draft_.structure.blocks[arms[arm]].query == draft_.structure.top;
                texts[arm] += top && mysql && bare ? "" : " as " + name;
            }
            told.text = name;
        }
    }
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
        if (!texts[arm].empty() && !rows[arm].by_star) {
            draft_.insert(draft_.structure.blocks[arms[arm]][Clause::items].last, texts[arm] + " ");
        }
    }
}

Carrier::Rows Carrier::rows_of(BlockId id, bool locked) {
    const Block& block = draft_.structure.blocks[id];
    const Query& query = draft_.structure.queries[block.query];
    telling_.push_back(id);
    Rows rows;
    for (const Relation& relation : draft_.structure.relations) {
        if (relation.block != id || relation.role != RelationRole::read) {
            continue;
        }
        const bool locks =
            locked || kind_of(draft_, query, relation) == history::AccessKind::locking_read;
        draft_.partial_if(rows_of(relation, locks, rows));
    }
    note_hidden_rows(id);
    if (is_grouped(draft_, id)) {
        rows.told = packed(rows.told, draft_.state.dialect);
        draft_.packs = draft_.packs || !rows.told.empty();
    }
    return rows;
}

void Carrier::note_hidden_rows(BlockId id) {
    const Block& block = draft_.structure.blocks[id];
    if (block.has(Clause::having)) {
        draft_.partial("HAVING hides groups");
    }
    const bool windows =
        std::any_of(draft_.structure.calls.begin(), draft_.structure.calls.end(),
                    [id](const Call& call) { return call.block == id && call.window; });
    const Query& own = draft_.structure.queries[block.query];
    if (windows && (own.role != QueryRole::top || !own.limit.empty())) {
        draft_.partial("window over hidden rows");
    }
    for (QueryId query = block.query; query != no_node;) {
        const Query& one = draft_.structure.queries[query];
        if (skips_rows(draft_, one.limit) && !one.order_by.empty()) {
            draft_.partial("OFFSET hides rows");
        }
        query = one.role == QueryRole::arm ? draft_.structure.blocks[one.parent].query : no_node;
    }
}

/// Gives what keeps the relation from being told.
std::string_view Carrier::rows_of(const Relation& relation, bool locked, Rows& rows) {
    const Inner inner = inner_of(relation);
    if (inner.query != no_node) {
        if (!reads_tables(draft_.structure, inner.query)) {
            return {};  // (SELECT 1) AS one
        }
        if (!inner.obstacle.empty()) {
            left_.push_back({static_cast<RelationId>(&relation - draft_.structure.relations.data()),
                             inner.query, inner.obstacle});
            return {};
        }
        const std::string qualifier = draft_.qualifier(relation) + ".";
        // A lock reaches into a derived table, not into a common table expression.
        const bool reaches = locked && relation.kind == RelationKind::derived;
        for (Told& told : carry(inner.query, reaches, false)) {
            told.text.insert(0, qualifier);
            rows.told.push_back(std::move(told));
        }
        rows.by_star = star_over(draft_, relation) == StarUse::behind_all;
        return {};
    }
    std::string_view why;
    const Table* table = draft_.table(relation, why);
    if (table != nullptr && shares_its_name(draft_, relation)) {
        return "two tables of one name";
    }
    if (table != nullptr) {
        tell_rows(draft_, *table, draft_.qualifier(relation),
                  locked ? history::AccessKind::locking_read : history::AccessKind::read,
                  rows.told);
    }
    return why;
}

/// The query behind a derived table or the name of a common table expression, if it is one.
Carrier::Inner Carrier::inner_of(const Relation& relation) const {
    const Structure& structure = draft_.structure;
    Inner inner;
    if (relation.kind == RelationKind::derived) {
        inner.query = relation.query;
    } else if (relation.kind == RelationKind::table && draft_.is_cte(relation)) {
        const std::string name = draft_.name(relation.name);
        const auto named = [&](const Cte& cte) { return draft_.name(cte.name) == name; };
        const auto found = std::find_if(structure.ctes.begin(), structure.ctes.end(), named);
        const auto uses = std::count_if(
            structure.relations.begin(), structure.relations.end(), [&](const Relation& one) {
                return one.kind == RelationKind::table && draft_.name(one.name) == name;
            });
        inner.query = found->query;
        if (structure.queries[found->owner].recursive) {
            inner.obstacle = "recursive common table expression";
        } else if (uses != 1 ||
                   std::count_if(structure.ctes.begin(), structure.ctes.end(), named) != 1) {
            inner.obstacle = "common table expression used twice";
        } else if (found->renames_columns && draft_.state.dialect == Dialect::mysql) {
            inner.obstacle = "renamed columns";
        }
    }
    if (inner.query != no_node && inner.obstacle.empty()) {
        inner.obstacle = obstacle(inner.query);
    }
    if (inner.query != no_node && inner.obstacle.empty()) {
        inner.obstacle = obstacle_of_names(relation);
    }
    return inner;
}

/// What would show that the relation has columns more.
std::string_view Carrier::obstacle_of_names(const Relation& relation) const {
    const Structure& structure = draft_.structure;
    const Block& block = structure.blocks[relation.block];
    if (called(relation) == no_token) {
        return "derived table without a name";
    }
    if (shares_its_name(draft_, relation)) {
        return "two tables of one name";
    }
    if (relation.renames_columns && draft_.state.dialect == Dialect::mysql) {
        return "renamed columns";
    }
    if (draft_.state.dialect == Dialect::postgres && is_used_as_a_row(draft_, relation)) {
        return "row of a derived table";
    }
    const StarUse use = star_over(draft_, relation);
    const bool alone = structure.queries[block.query].operation == SetOperation::none &&
                       structure.queries[block.query].role != QueryRole::arm &&
                       !is_grouped(draft_, relation.block);
    if (use == StarUse::among_others || (use == StarUse::behind_all && !alone)) {
        return "* over a derived table";
    }
    return {};
}

}  // namespace isotap::sql
