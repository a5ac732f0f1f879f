#include "protocol/sql/constant_column.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/plain_column.hpp"
#include "protocol/sql/told.hpp"

namespace isotap::sql {
namespace {

/// No more rows are read again.
constexpr std::string_view rows_max = "1000";
constexpr std::string_view rows_read = "1001";
/// In all rows of the result.
constexpr std::string_view bytes_max = "65535";

/// What a column more, or another limit of GROUP_CONCAT, might show in.
bool has_what_counts_or_remembers(const Draft& draft) {
    for (TokenIndex i = 0; i < draft.tokens.size(); ++i) {
        const Token& token = draft.tokens[i];
        if (token.is(TokenKind::user_variable) || token.is(TokenKind::system_variable) ||
            token.is(Keyword::rollup)) {
            return true;
        }
    }
    const auto& calls = draft.structure.calls;
    return draft.concatenates() ||
           std::any_of(calls.begin(), calls.end(), [](const Call& call) { return call.window; });
}

/// A DISTINCT of one table of which an index may have all columns: the server goes from one value
/// to the next there, but for a column of ours. Which of several equal texts it meets first, and
/// whether it needs a temporary table, which shows in the metadata, is another thing then.
bool may_skip_through_index(const Draft& draft, const Block& block) {
    if (!block.has(Clause::distinct)) {
        return false;
    }
    const auto& relations = draft.structure.relations;
    const BlockId id = draft.structure.id_of(block);
    const auto read_here = [id](const Relation& one) { return one.block == id; };
    const auto first = std::find_if(relations.begin(), relations.end(), read_here);
    std::string_view why;
    const Table* table = first == relations.end() ? nullptr : draft.table(*first, why);
    return table != nullptr && std::count_if(relations.begin(), relations.end(), read_here) == 1 &&
           (!table->indexed || shows_only(draft, id, table->key, *table->indexed));
}

/// So is when a HAVING by itself is evaluated, and which of equal texts the groups of a DISTINCT
/// show.
bool shows_the_plan(const Draft& draft, const Block& block) {
    const auto& blocks = draft.structure.blocks;
    const bool lone_having = std::any_of(blocks.begin(), blocks.end(), [](const Block& one) {
        return one.has(Clause::having) && !one.has(Clause::group_by);
    });
    const bool distinct_groups =
        block.has(Clause::distinct) && is_grouped(draft, draft.structure.id_of(block));
    return lone_having || distinct_groups || may_skip_through_index(draft, block);
}

bool is_total(const Draft& draft, const Relation& relation, BlockId block, TokenRange order_by) {
    std::string_view why;
    const Table* table = draft.table(relation, why);
    return table != nullptr && orders_by_key(draft, block, order_by, table->key);
}

}  // namespace

/// A plain SELECT without queries in its expressions.
const Block* ConstantColumns::only_block() const {
    const Structure& structure = draft_.structure;
    const Block* block = structure.single_block();
    const bool plain =
        draft_.state.dialect == Dialect::mysql && draft_.options.reads_twice && block != nullptr &&
        block->kind == BlockKind::select && block->has(Clause::items) &&
        !block->has(Clause::into) && structure.ctes.empty() &&
        std::none_of(structure.queries.begin(), structure.queries.end(), [](const Query& query) {
            return query.role == QueryRole::expression || !query.locking.empty();
        });
    return plain && !has_what_counts_or_remembers(draft_) ? block : nullptr;
}

bool ConstantColumns::can_tell(QueryId source) const {
    const std::vector<BlockId> arms = arms_of(draft_.structure, source);
    const Block* block = only_block();
    return block != nullptr && arms.size() == 1 &&
           draft_.structure.blocks[arms.front()].kind == BlockKind::select &&
           companions_.obstacle_of_block(arms.front()).empty() &&
           !has_limit(draft_.structure, draft_.structure.top) && !shows_the_plan(draft_, *block);
}

void ConstantColumns::tell(QueryId source) {
    const BlockId block = arms_of(draft_.structure, source).front();
    Reading reading;
    reading.source = companions_.source_of(block);
    reading.source.add("limit ");
    reading.source.add(rows_read);
    reading.too_many.add("count(*)>");
    reading.too_many.add(rows_max);
    const TokenRange group = only_plain_column(draft_, block);
    reading.result_max.add(group.empty() ? "count(*)" : "(count(distinct isotap_g)+1)");
    if (!group.empty()) {
        reading.besides.add(",");
        reading.besides.quote(group);
        reading.besides.add(" as isotap_g");
    }
    const auto& relations = draft_.structure.relations;
    const auto read_here = [block](const Relation& one) { return one.block == block; };
    const bool joined = std::count_if(relations.begin(), relations.end(), read_here) > 1;
    for (const Relation& relation : relations) {
        if (read_here(relation)) {
            add(relation, reading, joined);
        }
    }
}

/// `LIMIT shown OFFSET skipped`, `LIMIT skipped, shown`.
std::optional<ConstantColumns::Window> ConstantColumns::window() const {
    const TokenRange limit = draft_.structure.queries[draft_.structure.top].limit;
    constexpr TokenIndex size = 4;
    if (limit.size() != size || !draft_.tokens[limit.first].is(Keyword::limit) ||
        !draft_.tokens[limit.first + 1].is(TokenKind::integer) ||
        !draft_.tokens[limit.first + 3].is(TokenKind::integer)) {
        return std::nullopt;
    }
    Window window{limit.first + 1, limit.first + 3};
    if (draft_.tokens[limit.first + 2].is(Keyword::offset)) {
        std::swap(window.skipped, window.shown);
    }
    return window;
}

bool ConstantColumns::can_tell_skipped() const {
    const Structure& structure = draft_.structure;
    const Block* block = only_block();
    if (block == nullptr || structure.relations.size() != 1 || !window()) {
        return false;
    }
    const BlockId id = structure.id_of(*block);
    const TokenRange order_by = structure.queries[structure.top].order_by;
    return !is_grouped(draft_, id) && !block->has(Clause::distinct) && !order_by.empty() &&
           shows_plain_columns(draft_, id) && companions_.obstacle_of_block(id).empty() &&
           is_total(draft_, structure.relations.front(), id, order_by);
}

void ConstantColumns::tell_skipped() {
    const Window limit = *window();
    const TokenRange skipped{limit.skipped, limit.skipped + 1};
    const TokenRange where = (*only_block())[Clause::where];
    Reading reading;
    reading.source.add(" ");
    reading.source.quote((*only_block())[Clause::from]);
    reading.source.add(" where ");
    if (!where.empty()) {
        reading.source.add("(");
        reading.source.quote({where.first + 1, where.last});
        reading.source.add(") and ");
    }
    reading.source.quote(skipped);
    reading.source.add("<=");
    reading.source.add(rows_max);
    reading.source.add(" ");
    reading.source.quote(draft_.structure.queries[draft_.structure.top].order_by);
    reading.source.add(" limit ");
    reading.source.quote(skipped);
    reading.too_many.quote(skipped);
    reading.too_many.add(">");
    reading.too_many.add(rows_max);
    reading.result_max.add("least(");
    reading.result_max.quote({limit.shown, limit.shown + 1});
    reading.result_max.add(",");
    reading.result_max.add(bytes_max);
    reading.result_max.add(")");
    add(draft_.structure.relations.front(), reading, false);
}

/// No variable of the server is asked: MariaDB would evaluate the subquery for each row then, and
/// sort and group in another way.
void ConstantColumns::add(const Relation& relation, const Reading& reading, bool each_once) {
    std::string_view why;
    std::vector<Told> rows;
    tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
              history::AccessKind::read, rows);
    std::string list;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = "isotap_c" + std::to_string(i);
        list.append(i == 0 ? "" : ",").append(rows[i].text).append(" as ").append(name);
        rows[i].text = name;
    }
    Told all = packed(rows, Dialect::mysql).front();
    all = each_once ? isotap::sql::each_once(std::move(all)) : std::move(all);
    Quoting column;
    column.add("(select if(");
    column.add(reading.too_many);
    column.add(" or ");
    column.add(reading.result_max);
    column.add("*length(" + all.text + ")>");
    column.add(bytes_max);
    column.add(",'!'," + all.text + ") from (select " + list);
    column.add(reading.besides);
    column.add(reading.source);
    column.add(") as isotap_r)");
    Quoting item = draft_.added(ColumnRole::packed_if_short, all.table, column);
    item.add(" as " + std::string(added_name_prefix) + std::to_string(draft_.plan.added.size()) +
             " ");
    draft_.insert_quoting((*only_block())[Clause::items].last, std::move(item));
    draft_.packs = draft_.reads_twice = true;
}

}  // namespace isotap::sql
