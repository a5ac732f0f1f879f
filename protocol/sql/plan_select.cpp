#include <algorithm>

#include "protocol/sql/draft.hpp"

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
    const std::string called =
        draft.name(relation.alias != no_token ? relation.alias : relation.name);
    for (TokenIndex i = of + 1; i < query.locking.last; ++i) {
        if (draft.name(i) == called) {
            return history::AccessKind::locking_read;
        }
    }
    return history::AccessKind::read;
}

/// Without ONLY_FULL_GROUP_BY the MySQL family takes a lone column beside an aggregate, and an
/// aggregate in a subquery may belong to this block: then one arbitrary row would be reported.
bool hides_an_aggregate(const Draft& draft, BlockId block) {
    return std::any_of(draft.structure.blocks.begin(), draft.structure.blocks.end(),
                       [&](const Block& inner) {
                           return draft.structure.queries[inner.query].parent == block &&
                                  draft.aggregates(draft.structure.id_of(inner));
                       });
}

/// The server picks columns beside aggregates, and decides when a lone HAVING is evaluated, by the
/// plan that it finds: another column in the list may show the client another row. And the longer
/// limit of our GROUP_CONCAT would hold for the client's as well.
std::string_view mysql_obstacle(const Draft& draft, const Block& block) {
    const BlockId id = draft.structure.id_of(block);
    if (block.has(Clause::group_by)) {
        return "GROUP BY";
    }
    if (block.has(Clause::having)) {
        return "HAVING";
    }
    if (hides_an_aggregate(draft, id)) {
        return "aggregate in a subquery";
    }
    if (!draft.aggregates(id)) {
        return {};
    }
    if (!draft.state.mariadb) {
        return "aggregate";  // no way to lift the limit of GROUP_CONCAT for one statement
    }
    const bool cut = std::any_of(
        draft.structure.calls.begin(), draft.structure.calls.end(), [&](const Call& call) {
            const Keyword keyword = keyword_of(draft.tokens.text(call.name));
            return keyword == Keyword::group_concat || keyword == Keyword::json_arrayagg ||
                   keyword == Keyword::json_objectagg;
        });
    return cut ? "GROUP_CONCAT" : std::string_view{};
}

/// What stands in the way of adding a column to the list; empty if nothing does.
std::string_view obstacle(const Draft& draft, const Block& block) {
    if (block.kind != BlockKind::select) {
        return block.kind == BlockKind::values ? "VALUES" : "TABLE";
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
    return draft.state.dialect == Dialect::mysql ? mysql_obstacle(draft, block)
                                                 : std::string_view{};
}

/// `FROM t, other.t`: legal where only qualified names are used; ours might not be unique.
bool shares_its_name(const Draft& draft, const Relation& relation) {
    const auto called = [&draft](const Relation& one) {
        return draft.name(one.alias != no_token ? one.alias : one.name);
    };
    return std::count_if(draft.structure.relations.begin(), draft.structure.relations.end(),
                         [&](const Relation& other) {
                             return other.block == relation.block &&
                                    called(other) == called(relation);
                         }) > 1;
}

bool writes_somewhere(const Draft& draft) {
    return std::any_of(
        draft.structure.blocks.begin(), draft.structure.blocks.end(), [](const Block& block) {
            return block.kind == BlockKind::insert || block.kind == BlockKind::update ||
                   block.kind == BlockKind::remove || block.kind == BlockKind::merge;
        });
}

bool reads_tables(const Draft& draft) {
    return std::any_of(draft.structure.relations.begin(), draft.structure.relations.end(),
                       [&](const Relation& relation) {
                           return relation.kind == RelationKind::table && !draft.is_cte(relation);
                       });
}

}  // namespace

void plan_select(Draft& draft) {
    if (!reads_tables(draft)) {
        return;  // nothing to capture: SELECT 1
    }
    const Block* block = draft.structure.single_block();
    if (block == nullptr) {
        draft.opaque("set operation");
        return;
    }
    if (const std::string_view why = obstacle(draft, *block); !why.empty()) {
        draft.opaque(why);
        return;
    }
    const BlockId id = draft.structure.id_of(*block);
    const Query& query = draft.structure.queries[draft.structure.top];
    const bool mysql = draft.state.dialect == Dialect::mysql;
    const bool grouped =
        block->has(Clause::group_by) || block->has(Clause::having) || draft.aggregates(id);
    std::string columns;
    std::string_view missed;
    for (const Relation& relation : draft.structure.relations) {
        if (relation.block != id) {
            continue;
        }
        std::string_view why;
        const Table* table = draft.table(relation, why);
        if (table != nullptr && shares_its_name(draft, relation)) {
            table = nullptr;
            why = "two tables of one name";
        }
        if (table == nullptr) {
            missed = missed.empty() ? why : missed;
            continue;
        }
        const std::string qualifier = draft.qualifier(relation);
        const history::AccessKind kind = kind_of(draft, query, relation);
        columns += grouped ? draft.packed_column(*table, qualifier, kind)
                           : draft.read_columns(*table, qualifier, kind);
    }
    if (writes_somewhere(draft)) {
        draft.partial("write in a common table expression");
    }
    if (!missed.empty()) {
        draft.partial(missed);
    }
    draft.note_other_reads(id);
    if (block->has(Clause::having)) {
        draft.partial("HAVING hides groups");
    }
    if (!query.limit.empty() && !query.order_by.empty()) {
        draft.partial("LIMIT hides rows");
    }
    if (columns.empty()) {
        draft.opaque(draft.plan.reason);
        return;
    }
    draft.insert((*block)[Clause::items].last, columns + " ");
    if (grouped && mysql) {
        draft.insert(0, "set statement group_concat_max_len=1073741824 for ");
    }
    draft.plan.reply = ReplyChange::strip;
}

}  // namespace isotap::sql
