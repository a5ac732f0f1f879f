#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/sql/token_list.hpp"

/// What a statement is made of, as token ranges: no expression trees, no names resolved. Nodes live
/// in flat lists and name one another by index.
namespace isotap::sql {

enum class StatementKind : std::uint8_t {
    none,  ///< empty
    select,
    insert,
    replace,
    update,
    remove,  ///< DELETE
    merge,
    load,  ///< LOAD DATA
    copy,
    explain,
    call,
    ddl,    ///< makes, changes or removes a table, or what else lives in a schema
    other,  ///< touches no row that we could name: SET, SHOW, BEGIN …
};

using QueryId = std::uint16_t;
using BlockId = std::uint16_t;
using RelationId = std::uint16_t;
inline constexpr std::uint16_t no_node = 0xFFFF;

/// Where a query stands.
enum class QueryRole : std::uint8_t {
    top,
    arm,         ///< in parentheses within a set operation, or around a whole query
    cte,         ///< behind WITH name AS
    derived,     ///< in FROM
    expression,  ///< in an expression: EXISTS, IN, a scalar
    source,      ///< what an INSERT inserts
};

enum class SetOperation : std::uint8_t { none, union_all, other };

/// WITH …, a body of one or several blocks, ORDER BY …, LIMIT …, FOR UPDATE: also around a single
/// INSERT, UPDATE or DELETE.
struct Query {
    QueryRole role = QueryRole::top;
    BlockId parent = no_node;  ///< the block that it stands in
    TokenRange all;
    TokenRange with;
    TokenRange order_by;
    TokenRange limit;  ///< LIMIT, OFFSET, FETCH, in whatever order they come
    TokenRange locking;
    SetOperation operation = SetOperation::none;
    BlockId body = no_node;  ///< the first arm; others by `Block::next_arm`
    bool recursive = false;
};

enum class BlockKind : std::uint8_t {
    select,
    values,
    table,   ///< TABLE name
    nested,  ///< a query in parentheses
    insert,
    replace,
    update,
    remove,
    merge,
};

/// The parts of a block. Each range starts with the keyword that opens the clause (where it has
/// one) and is empty where the clause is missing.
enum class Clause : std::uint8_t {
    distinct,  ///< DISTINCT, with its ON (…)
    items,     ///< the select list; of a write, what RETURNING lists, without the word
    into,
    from,  ///< also USING of a DELETE or MERGE, and the table list of a multi-table DELETE
    where,
    group_by,
    having,
    window,
    target,     ///< of a write: the table with its alias, or the table list of an UPDATE
    columns,    ///< of an INSERT: the list in parentheses
    source,     ///< of an INSERT: VALUES, SELECT, SET or DEFAULT VALUES
    conflict,   ///< ON CONFLICT … or ON DUPLICATE KEY UPDATE …
    set,        ///< SET … of an UPDATE
    returning,  ///< RETURNING and its list
};
inline constexpr std::size_t clause_count = 14;

/// One SELECT, VALUES, INSERT, UPDATE, DELETE …
struct Block {
    BlockKind kind = BlockKind::select;
    QueryId query = no_node;
    QueryId nested = no_node;
    BlockId next_arm = no_node;
    TokenRange all;
    std::array<TokenRange, clause_count> clauses{};
    bool joins_by_name = false;  ///< NATURAL JOIN or USING: `*` shows shared columns once
    bool multi_table = false;    ///< an UPDATE or DELETE of the MySQL family over a table list
    bool current_of = false;     ///< WHERE CURRENT OF

    [[nodiscard]] const TokenRange& operator[](Clause clause) const noexcept {
        return clauses[static_cast<std::size_t>(clause)];
    }
    [[nodiscard]] TokenRange& operator[](Clause clause) noexcept {
        return clauses[static_cast<std::size_t>(clause)];
    }
    [[nodiscard]] bool has(Clause clause) const noexcept { return !(*this)[clause].empty(); }
};

enum class Star : std::uint8_t {
    none,
    all,        ///< *
    qualified,  ///< name.*, schema.name.*
    composite,  ///< (expression).*
};

/// An entry of a select list or of RETURNING.
struct Item {
    BlockId block = no_node;
    Star star = Star::none;
    TokenRange all;
};

enum class RelationKind : std::uint8_t {
    table,  ///< a table, a view or a CTE: only a catalog and the CTEs can tell
    derived,
    function,
};

enum class RelationRole : std::uint8_t {
    read,
    target,   ///< of a write
    deleted,  ///< named between DELETE and FROM, a name or alias of another relation
    ddl,
};

/// An entry of FROM, or a target.
struct Relation {
    BlockId block = no_node;
    RelationKind kind = RelationKind::table;
    RelationRole role = RelationRole::read;
    TokenRange all;
    TokenIndex schema = no_token;
    TokenIndex name = no_token;
    TokenIndex alias = no_token;
    bool renames_columns = false;  ///< alias (a, b, …)
    bool sampled = false;          ///< TABLESAMPLE
    bool lateral = false;
    bool historic = false;  ///< FOR SYSTEM_TIME, AS OF: versions of the past
    QueryId query = no_node;
};

/// A common table expression.
struct Cte {
    QueryId owner = no_node;
    QueryId query = no_node;
    TokenIndex name = no_token;
    bool renames_columns = false;
};

/// A function call: a name in front of an open parenthesis.
struct Call {
    BlockId block = no_node;
    TokenIndex name = no_token;
    bool window = false;  ///< with OVER
};

/// The structure of one statement. Made to be kept and filled again, like TokenList.
struct Structure {
    StatementKind kind = StatementKind::none;
    /// Why we are not sure; empty when we are. A word or two, for people and counters.
    std::string_view doubt;
    QueryId top = no_node;
    std::vector<Query> queries;
    std::vector<Block> blocks;
    std::vector<Item> items;
    std::vector<Relation> relations;
    std::vector<Cte> ctes;
    std::vector<Call> calls;

    [[nodiscard]] bool sure() const noexcept { return doubt.empty(); }
    void clear() noexcept;

    /// The block of a statement that is one block: no set operation. Null otherwise.
    [[nodiscard]] const Block* single_block() const noexcept;
    [[nodiscard]] BlockId id_of(const Block& block) const noexcept {
        return static_cast<BlockId>(&block - blocks.data());
    }
};

/// Finds the structure of one statement. What the parser does not know for sure is named in
/// `doubt`; then `kind` is still right and the rest is not to be used. Bounded depth, any input.
void parse(const TokenList& tokens, const LexerState& state, Structure& structure);

}  // namespace isotap::sql
