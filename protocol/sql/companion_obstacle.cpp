// What keeps a part of a statement from being read again beside it.
#include <algorithm>
#include <string>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/companion.hpp"
#include "protocol/sql/deciding.hpp"
#include "protocol/sql/letter_case.hpp"

namespace isotap::sql {
namespace {

/// A symbol that compares. All others may fail, on one row or another.
bool compares(std::string_view symbol) noexcept {
    return symbol == "<>" || symbol == "!=" || symbol == "<" || symbol == ">" || symbol == "<=" ||
           symbol == ">=" || symbol == "<=>";
}

bool same_name(std::string_view one, std::string_view other, Dialect dialect) noexcept {
    return dialect == Dialect::postgres ? one == other : same_word(one, other);
}

/// Words that are clauses and operators in a condition; no column is meant.
bool is_syntax(Keyword keyword, Dialect dialect) noexcept {
    switch (keyword) {
        case Keyword::none: return false;
        case Keyword::between:
        case Keyword::escape:
        case Keyword::exists:
        case Keyword::unknown: return true;
        default:
            return (dialect == Dialect::postgres ? reserved_by_postgres(keyword)
                                                 : reserved_by_mysql(keyword)) == Reserved::yes;
    }
}

}  // namespace

std::string_view Companions::obstacle(QueryId query) const {
    const Structure& structure = draft_.structure;
    if (hides_rows(query)) {
        return "LIMIT hides rows";
    }
    if (!structure.queries[query].with.empty()) {
        return "common table expression";
    }
    for (const BlockId arm : arms_of(structure, query)) {
        if (const std::string_view why = obstacle_of_block(arm); !why.empty()) {
            return why;
        }
    }
    return {};
}

/// A set operation has read all rows of its arms before a LIMIT behind it can cut anything off.
bool Companions::hides_rows(QueryId id) const {
    const Structure& structure = draft_.structure;
    if (!has_limit(structure, id) || only_exists(draft_, id)) {
        return false;
    }
    const Query& query = structure.queries[id];
    bool arms = false;
    for (BlockId arm = query.body; arm != no_node; arm = structure.blocks[arm].next_arm) {
        const Block& block = structure.blocks[arm];
        arms = arms || (block.kind == BlockKind::nested && block.nested != no_node &&
                        has_limit(structure, block.nested));
    }
    return arms || query.operation != SetOperation::other;
}

std::string_view Companions::obstacle_of_block(BlockId id) const {
    const Block& block = draft_.structure.blocks[id];
    if (block.kind == BlockKind::values) {
        return {};
    }
    if (block.kind != BlockKind::select && block.kind != BlockKind::table) {
        return "write in a common table expression";
    }
    if (block.has(Clause::into)) {
        return "INTO";
    }
    for (const Relation& relation : draft_.structure.relations) {
        if (relation.block != id) {
            continue;
        }
        std::string_view why;
        if (draft_.table(relation, why) == nullptr) {
            return why;
        }
        if (relation.sampled || relation.lateral) {
            return "TABLESAMPLE";
        }
    }
    const std::string_view why = obstacle_of_text(block[Clause::from]);
    return why.empty() ? obstacle_of_text(block[Clause::where]) : why;
}

std::string_view Companions::obstacle_of_text(TokenRange range) const {
    for (const Call& call : draft_.structure.calls) {
        if (range.holds(call.name)) {
            return "function in a condition";
        }
    }
    for (const Relation& relation : draft_.structure.relations) {
        if (range.holds(relation.all.first) && draft_.is_cte(relation)) {
            return "common table expression";  // it is out of sight where the text is repeated
        }
    }
    for (TokenIndex i = range.first; i < range.last; ++i) {
        const Token& token = draft_.tokens[i];
        switch (token.kind) {
            case TokenKind::symbol:
                if (!compares(draft_.tokens.text(i))) return "operator in a condition";
                break;
            case TokenKind::star: {
                const bool all_columns = draft_.tokens[i - 1].is(TokenKind::dot) ||
                                         draft_.tokens[i - 1].is(Keyword::select);
                if (!all_columns) return "operator in a condition";
                break;
            }
            case TokenKind::parameter:
                if (draft_.state.dialect == Dialect::mysql && parameters_ == Parameters::refused) {
                    return "parameter in a condition";
                }
                break;
            case TokenKind::user_variable:
            case TokenKind::system_variable: return "variable in a condition";
            case TokenKind::open_bracket: return "array in a condition";
            default:
                if (token.is(Keyword::limit) && within_exists(i)) {
                    break;
                }
                if (token.is(Keyword::case_) || token.is(Keyword::div) || token.is(Keyword::mod) ||
                    token.is(Keyword::limit) || token.is(Keyword::for_)) {
                    return "operator in a condition";
                }
        }
    }
    return {};
}

bool Companions::within_exists(TokenIndex limit) const {
    const auto& queries = draft_.structure.queries;
    const auto found = std::find_if(queries.begin(), queries.end(), [limit](const Query& query) {
        return query.limit.holds(limit);
    });
    return found != queries.end() &&
           only_exists(draft_, static_cast<QueryId>(found - queries.begin()));
}

bool Companions::is_correlated(QueryId query) const {
    const Structure& structure = draft_.structure;
    const std::vector<BlockId> arms = arms_of(structure, query);
    return std::any_of(arms.begin(), arms.end(), [&](BlockId arm) {
        const Block& block = structure.blocks[arm];
        return refers_outside(block[Clause::from], block.all) ||
               refers_outside(block[Clause::where], block.all);
    });
}

/// A name that no relation within `scope` explains.
bool Companions::refers_outside(TokenRange text, TokenRange scope) const {
    const Structure& structure = draft_.structure;
    for (TokenIndex i = text.first; i < text.last; ++i) {
        const Token& token = draft_.tokens[i];
        const bool is_name =
            token.is(TokenKind::quoted_name) ||
            (token.is(TokenKind::word) && !is_syntax(token.keyword, draft_.state.dialect));
        const bool qualified = i > 0 && draft_.tokens[i - 1].is(TokenKind::dot);
        const auto of_relation = [&](const Relation& relation) {
            return relation.name == i || relation.alias == i || relation.schema == i;
        };
        if (!is_name || qualified ||
            std::any_of(structure.relations.begin(), structure.relations.end(), of_relation)) {
            continue;
        }
        if (!is_column_within(i, scope)) {
            return true;
        }
    }
    return false;
}

/// `column`, or the qualifier in `relation.column`, of a relation in `range`.
bool Companions::is_column_within(TokenIndex name, TokenRange range) const {
    const std::string wanted = draft_.name(name);
    const bool is_qualifier = draft_.tokens[name + 1].is(TokenKind::dot);
    const Dialect dialect = draft_.state.dialect;
    return std::any_of(draft_.structure.relations.begin(), draft_.structure.relations.end(),
                       [&](const Relation& relation) {
                           if (!range.holds(relation.all.first)) {
                               return false;
                           }
                           if (is_qualifier) {
                               return draft_.name(called(relation)) == wanted;
                           }
                           std::string_view why;
                           const Table* table = draft_.table(relation, why);
                           return table != nullptr &&
                                  std::any_of(table->columns.begin(), table->columns.end(),
                                              [&](const std::string& column) {
                                                  return same_name(column, wanted, dialect);
                                              });
                       });
}

std::string_view Companions::obstacle_of_deciding(QueryId id) const {
    const Structure& structure = draft_.structure;
    const BlockId parent = structure.queries[id].parent;
    const std::vector<BlockId> arms = arms_of(structure, structure.top);
    const TokenRange exists = exists_around(draft_, id);
    if (std::find(arms.begin(), arms.end(), parent) == arms.end() || exists.empty() ||
        !structure.blocks[parent][Clause::where].holds(exists.first)) {
        return "nested subquery";
    }
    return hides_rows(structure.top) ? "LIMIT hides rows" : obstacle_of_block(parent);
}

}  // namespace isotap::sql
