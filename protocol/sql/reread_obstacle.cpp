// What keeps rows from being read again behind a statement.
#include <algorithm>
#include <string>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/reread.hpp"
#include "protocol/sql/subquery_use.hpp"

namespace isotap::sql {
namespace {

/// A locked row that somebody else holds is passed over instead of waited for.
constexpr std::uint32_t skips_locked = 100600;

bool holds(const std::vector<std::string>& columns, std::string_view name) {
    return std::any_of(columns.begin(), columns.end(),
                       [name](const std::string& one) { return same_word(one, name); });
}

bool quantifies(const Token& token) noexcept {
    return token.is(Keyword::in) || token.is(Keyword::any) || token.is(Keyword::some) ||
           token.is(Keyword::all) || token.is(Keyword::exists);
}

/// Of several operands some may not be looked at, though the whole is true.
bool may_skip_operands(const Token& token, std::string_view text, bool in_where) noexcept {
    return token.is(Keyword::not_) || text == "!" || token.is(Keyword::between) ||
           (!in_where && (token.is(Keyword::and_) || text == "&&"));
}

}  // namespace

bool Rereads::can(QueryId id) const {
    const Structure& structure = draft_.structure;
    const Query& query = structure.queries[id];
    const Block& block = structure.blocks[query.body];
    const Relation* relation = only_relation(id);
    if (relation == nullptr || !query.locking.empty() || block.has(Clause::distinct) ||
        block.has(Clause::group_by) || block.has(Clause::having) ||
        (draft_.state.mariadb && draft_.state.server_version < skips_locked)) {
        return false;
    }
    if (!companions_.obstacle(id).empty() || companions_.is_correlated(id) ||
        !is_bare(*relation, block[Clause::from]) || !is_sure_to_run(id)) {
        return false;
    }
    std::string_view why;
    const Table& table = *draft_.table(*relation, why);
    return hold_ == Reread::Hold::snapshot ||
           (!is_written(table) && reads_rows_themselves(table, query.body));
}

QueryId Rereads::source_of_result() const {
    const Structure& structure = draft_.structure;
    QueryId id = structure.top;
    for (;;) {
        const Query& query = structure.queries[id];
        const Block& block = structure.blocks[query.body];
        const Relation* only = nullptr;
        std::size_t relations = 0;
        for (const Relation& relation : structure.relations) {
            if (relation.block == query.body) {
                only = &relation;
                ++relations;
            }
        }
        if (relations != 1 || only->kind != RelationKind::derived || only->lateral ||
            block.next_arm != no_node || block.has(Clause::where) || block.has(Clause::into) ||
            !query.with.empty() || has_limit(structure, id)) {
            return id;
        }
        id = only->query;
    }
}

bool Rereads::can_read_arms(QueryId id) const {
    const Structure& structure = draft_.structure;
    const std::vector<BlockId> arms = arms_of(structure, id);
    const auto read_here = [&](const Relation& relation) {
        return std::find(arms.begin(), arms.end(), relation.block) != arms.end();
    };
    return hold_ == Reread::Hold::snapshot &&
           std::any_of(structure.relations.begin(), structure.relations.end(), read_here) &&
           std::none_of(structure.relations.begin(), structure.relations.end(),
                        [&](const Relation& one) {
                            return read_here(one) && shares_its_name(draft_, one);
                        }) &&
           companions_.obstacle(id).empty();
}

/// The table of a plain SELECT with nothing inside.
const Relation* Rereads::only_relation(QueryId id) const {
    const Structure& structure = draft_.structure;
    const Query& query = structure.queries[id];
    const Relation* only = nullptr;
    for (const Relation& relation : structure.relations) {
        if (query.all.holds(relation.all.first)) {
            if (only != nullptr || relation.block != query.body) {
                return nullptr;
            }
            only = &relation;
        }
    }
    const bool nests =
        std::any_of(structure.queries.begin(), structure.queries.end(), [&](const Query& other) {
            return &other != &query && query.all.holds(other.all.first) &&
                   other.all.last <= query.all.last;
        });
    return nests || structure.blocks[query.body].kind != BlockKind::select ? nullptr : only;
}

/// The statement has evaluated it, if it has touched a row at all.
bool Rereads::is_sure_to_run(QueryId id) const {
    const Query& query = draft_.structure.queries[id];
    if (query.role == QueryRole::source) {
        return true;
    }
    const SubqueryUse use = use_of(draft_, id);
    if (query.role != QueryRole::expression || !use.evaluated) {
        return false;
    }
    if (hold_ == Reread::Hold::snapshot) {
        return true;  // the same rows, whoever has looked at them
    }
    const Block& parent = draft_.structure.blocks[query.parent];
    for (const Clause clause : {Clause::where, Clause::set, Clause::source}) {
        if (parent[clause].holds(query.all.first)) {
            return stands_alone(id, parent[clause]);
        }
    }
    return false;
}

/// No operator in front of it ends without its value.
bool Rereads::stands_alone(QueryId id, TokenRange around) const {
    const bool in_where = draft_.tokens[around.first].is(Keyword::where);
    std::size_t depth = 0;
    for (TokenIndex i = draft_.structure.queries[id].all.first; i-- > around.first;) {
        const Token& token = draft_.tokens[i];
        if (token.is(TokenKind::close_paren)) {
            ++depth;
        } else if (depth > 0) {
            depth -= token.is(TokenKind::open_paren) ? 1 : 0;
        } else if (token.is(TokenKind::open_paren)
                       ? quantifies(draft_.tokens[i - 1])
                       : may_skip_operands(token, draft_.tokens.text(i), in_where)) {
            return false;
        }
    }
    return true;
}

/// `[schema.]name [[AS] alias]`, without hints and partitions.
bool Rereads::is_bare(const Relation& relation, TokenRange from) const {
    std::size_t expected = 2;  // FROM name
    expected += relation.schema != no_token ? 2 : 0;
    if (relation.alias != no_token) {
        expected += draft_.tokens[relation.alias - 1].is(Keyword::as) ? 2 : 1;
    }
    return from.size() == expected;
}

bool Rereads::is_written(const Table& table) const {
    return std::any_of(draft_.plan.tables.begin(), draft_.plan.tables.end(),
                       [&](const CapturedTable& one) {
                           return one.identity == table.identity && !history::is_read(one.kind);
                       });
}

/// The server reads the rows themselves, and all that the condition finds: no other index serves
/// the condition, none has all columns that are asked for, and none answers MIN or MAX.
bool Rereads::reads_rows_themselves(const Table& table, BlockId id) const {
    if (!table.indexed) {
        return false;
    }
    const Block& block = draft_.structure.blocks[id];
    const Query& query = draft_.structure.queries[block.query];
    const TokenRange items = block[Clause::items];
    const TokenRange where = block[Clause::where];
    if (names(where, *table.indexed) || names(query.order_by, *table.indexed)) {
        return false;
    }
    if (draft_.aggregates(id) && (names(items, *table.indexed) || names(items, table.key))) {
        return false;
    }
    return table.indexed->empty() || names_beyond(items, table) || names_beyond(where, table);
}

/// Some word is one of these columns, or looks like it.
bool Rereads::names(TokenRange range, const std::vector<std::string>& columns) const {
    for (TokenIndex i = range.first; i < range.last; ++i) {
        const Token& token = draft_.tokens[i];
        if ((token.is(TokenKind::word) || token.is(TokenKind::quoted_name)) &&
            holds(columns, draft_.name(i))) {
            return true;
        }
    }
    return false;
}

/// A column that no index has.
bool Rereads::names_beyond(TokenRange range, const Table& table) const {
    for (TokenIndex i = range.first; i < range.last; ++i) {
        if (!is_for_sure_a_column(i)) {
            continue;
        }
        const std::string name = draft_.name(i);
        if (holds(table.columns, name) && !holds(*table.indexed, name) && !holds(table.key, name)) {
            return true;
        }
    }
    return false;
}

bool Rereads::is_for_sure_a_column(TokenIndex i) const {
    const Token& token = draft_.tokens[i];
    const Token& before = draft_.tokens[i - 1];
    const Token& behind = draft_.tokens[i + 1];
    const bool name = token.is(TokenKind::word) || token.is(TokenKind::quoted_name);
    const bool operand = before.is(TokenKind::open_paren) || before.is(TokenKind::comma) ||
                         before.is(TokenKind::dot) || before.is(TokenKind::equals) ||
                         before.is(TokenKind::symbol) || before.is(Keyword::select) ||
                         before.is(Keyword::where) || before.is(Keyword::and_) ||
                         before.is(Keyword::or_);
    return name && operand && !behind.is(TokenKind::open_paren) && !behind.is(TokenKind::dot);
}

}  // namespace isotap::sql
