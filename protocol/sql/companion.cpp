#include "protocol/sql/companion.hpp"

#include <algorithm>
#include <string>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/deciding.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/told.hpp"
#include "protocol/sql/user_variables.hpp"

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

/// Behind the client's statement, where it is wrapped.
constexpr std::string_view closing = ") as isotap_o";

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
                // One placeholder more, and the client's parameters are not its own any more.
                if (draft_.state.dialect == Dialect::mysql) return "parameter in a condition";
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
    for (QueryId id = 0; id < draft_.structure.queries.size(); ++id) {
        if (draft_.structure.queries[id].limit.holds(limit)) {
            return only_exists(draft_, id);
        }
    }
    return false;
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

/// ` from … where …`, as the client wrote them.
Quoting Companions::source_of(BlockId id) const {
    const Block& block = draft_.structure.blocks[id];
    Quoting text;
    text.add(" ");
    if (block.kind == BlockKind::table) {
        text.add("from ");
        text.quote({block.all.first + 1, block.all.last});
    } else {
        text.quote(block[Clause::from]);
        add_condition(block, text);
    }
    text.add(" ");
    return text;
}

/// ` where …`. EXISTS (… LIMIT 0) reads nothing, and a plan holds for every number.
void Companions::add_condition(const Block& block, Quoting& text) const {
    const TokenRange where = block[Clause::where];
    const TokenRange limit = draft_.structure.queries[block.query].limit;
    if (!only_exists(draft_, block.query)) {
        text.add(where.empty() ? "" : " ");
        text.quote(where);
        return;
    }
    text.add(" where ");
    if (!where.empty()) {
        text.add("(");
        text.quote({where.first + 1, where.last});
        text.add(") and ");
    }
    text.quote({limit.first + 1, limit.last});
    text.add(" > 0");
}

void Companions::read_beside(QueryId query) {
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        beside_.push_back({arm, no_node});
    }
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

void Companions::read_deciding(QueryId query) {
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        beside_.push_back({arm, query});
    }
}

/// A variable of the session remembers which statement has been told of already. Named in an
/// assignment first: one that is not there yet would count as a constant.
Quoting Companions::told_once(const Quoting& column) const {
    const std::string mark = "@isotap_told" + std::to_string(draft_.plan.added.size());
    Quoting once;
    once.add("if(0," + in_ascii(mark + ":=''") + ",if(binary " + mark + "<=>binary ");
    once.stamp();
    // In the character set of what follows: that of the session may not go together with it.
    once.add(",null,concat(convert(left(" + mark + ":=");
    once.stamp();
    once.add(",0) using ascii),");
    once.add(column);
    once.add(")))");
    return once;
}

void Companions::read_in_list(QueryId query, const Block& block, bool once) {
    Quoting list;
    for (const BlockId arm : arms_of(draft_.structure, query)) {
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block != arm) {
                continue;
            }
            std::string_view why;
            std::vector<Told> rows;
            tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
                      history::AccessKind::read, rows);
            const Told told = packed(rows, draft_.state.dialect).front();
            Quoting column;
            column.add("(select " + told.text);
            column.add(source_of(arm));
            column.add(")");
            list.add(draft_.added(told.role, told.table, once ? told_once(column) : column));
        }
    }
    draft_.packs = draft_.packs || !list.text.empty();
    list.add(" ");
    draft_.insert_quoting(block[Clause::items].last, std::move(list));
}

/// SELECT o.*, first row only: what was read FROM (the statement) o CROSS JOIN (what was read). In
/// a derived table of its own no name of ours is in scope where the client's text is repeated.
void Companions::wrap() {
    Quoting head;
    Quoting tail;
    head.add("select isotap_o.*");
    tail.add(closing);
    for (const Beside& one : beside_) {
        tail.add(beside(one, head));
    }
    if (tail.text == closing) {
        return;
    }
    head.add(" from (");
    draft_.insert_quoting(0, std::move(head));
    draft_.insert_quoting(draft_.structure.queries[draft_.structure.top].all.last, std::move(tail));
}

/// What a subquery finds for each row of the block around it whose fate it decides, each row of its
/// own once. LATERAL stands for the place that it has in the condition, so that its names mean what
/// they mean there. `rows` get the names that they have then.
Quoting Companions::decided_by(const Beside& one, std::vector<Told>& rows) const {
    const Block& around = draft_.structure.blocks[draft_.structure.queries[one.deciding].parent];
    TokenRange where = around[Clause::where];
    ++where.first;
    const std::string found = "isotap_l" + std::to_string(one.block);
    std::string list;
    std::string names;
    for (Told& row : rows) {
        const std::string name = "isotap_c" + std::to_string(&row - rows.data());
        list += (list.empty() ? "" : ", ") + row.text + " as " + name;
        names += (names.empty() ? "" : ", ") + found + "." + name;
        row.text = "isotap_d." + name;
    }
    Quoting source;
    source.add(" from (select distinct " + names + " ");
    source.quote(around[Clause::from]);
    source.add(", lateral (select " + list);
    source.add(source_of(one.block));
    source.add(") as " + found);
    source.add(where_it_decides(draft_, where, exists_around(draft_, one.deciding)));
    source.add(") as isotap_d");
    return source;
}

/// The rows of one block, packed, with their columns in `head`.
Quoting Companions::beside(const Beside& one, Quoting& head) {
    std::vector<Told> rows;
    for (const Relation& relation : draft_.structure.relations) {
        std::string_view why;
        if (relation.block == one.block) {
            tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
                      history::AccessKind::read, rows);
        }
    }
    Quoting source;
    if (rows.empty()) {
        return source;
    }
    const std::string alias = "isotap_b" + std::to_string(one.block);
    source = one.deciding != no_node ? decided_by(one, rows) : source_of(one.block);
    Quoting text;
    text.add(" cross join (select ");
    std::size_t column = 0;
    for (const Told& told : packed(rows, draft_.state.dialect)) {
        const std::string name = "isotap_" + std::to_string(column);
        text.add((column++ == 0 ? "" : ", ") + told.text + " as " + name);
        Quoting once;
        once.add("case when row_number() over () = 1 then " + alias + "." + name + " end");
        head.add(draft_.added(told.role, told.table, once));
    }
    text.add(source);
    text.add(") as " + alias);
    return text;
}

}  // namespace isotap::sql
