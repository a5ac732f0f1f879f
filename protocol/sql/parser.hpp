#pragma once

#include <initializer_list>
#include <string_view>

#include "protocol/sql/structure.hpp"

namespace isotap::sql {

/// Recursive descent over clauses; expressions are skipped with their parentheses balanced, looking
/// only for subqueries and calls. Used by `parse` alone, one object per statement.
///
/// Every method leaves the cursor on the first token that it does not take. A doubt moves the
/// cursor to the end, so that every loop ends without asking for it.
class Parser {
  public:
    Parser(const TokenList& tokens, const LexerState& state, Structure& structure) noexcept;

    void run();

  private:
    // parser_statement.cpp: what a statement starts with.
    void statement();
    void other_statement();
    void ddl();
    void ddl_targets();
    void copy();

    // parser_query.cpp: WITH, arms, what follows them.
    QueryId query(QueryRole role, BlockId parent);
    void ctes(QueryId owner);
    void cte(QueryId owner);
    BlockId body(QueryId query);
    BlockId arm(QueryId query);
    bool set_operator(SetOperation& operation);
    void tail(QueryId id);
    void locking(QueryId id);

    // parser_select.cpp: SELECT and VALUES.
    void select(BlockId block);
    void select_options(BlockId block);
    void select_clauses(BlockId block);
    void into(BlockId block);
    void values(BlockId block);
    void items(BlockId block);
    void item(BlockId block);

    // parser_relation.cpp: FROM.
    void relations(BlockId block, RelationRole role);
    void joined(BlockId block, RelationRole role);
    bool join(BlockId block, RelationRole role);
    void join_condition(BlockId block);
    void relation(BlockId block, RelationRole role);
    void relation_in_parens(BlockId block, RelationRole role);
    void derived(BlockId block, Relation& relation);
    void function_relation(BlockId block, Relation& relation);
    void table_relation(BlockId block, Relation& relation);
    void table_suffix(BlockId block, Relation& relation);
    void alias(Relation& relation);
    void index_hints(BlockId block);
    bool name_chain(Relation& relation);

    // parser_write.cpp: INSERT, UPDATE, DELETE, MERGE.
    void insert(BlockId block);
    void insert_source(BlockId block);
    void conflict(BlockId block);
    void update(BlockId block);
    void remove(BlockId block);
    void merge(BlockId block);
    void load();
    void load_format();
    void target(BlockId block, bool needs_as);
    void target_names(BlockId block);
    void where(BlockId block);
    void returning(BlockId block);

    // parser_expression.cpp
    void expression(BlockId block, bool commas = false);
    void expression_token(BlockId block);
    void parenthesised(BlockId block);
    [[nodiscard]] bool ends_expression() const noexcept;
    [[nodiscard]] bool joins_here() const noexcept;
    [[nodiscard]] bool opens_query() const noexcept;
    [[nodiscard]] bool opens_query(TokenIndex at, std::size_t depth) const noexcept;
    [[nodiscard]] bool is_call() const noexcept;
    void call(BlockId block);
    [[nodiscard]] TokenIndex behind_parens(TokenIndex open) const noexcept;
    void skip_parens();

    // The cursor.
    [[nodiscard]] const Token& token(TokenIndex ahead = 0) const noexcept {
        return tokens_[at_ + ahead];
    }
    [[nodiscard]] bool is(Keyword keyword) const noexcept { return token().is(keyword); }
    [[nodiscard]] bool is(TokenKind kind) const noexcept { return token().is(kind); }
    [[nodiscard]] bool is_any(std::initializer_list<Keyword> keywords) const noexcept;
    [[nodiscard]] bool at_end() const noexcept { return at_ >= end_; }
    bool accept(Keyword keyword) noexcept { return is(keyword) && (++at_, true); }
    bool accept(TokenKind kind) noexcept { return !at_end() && is(kind) && (++at_, true); }
    void expect(Keyword keyword) { accept(keyword) || doubt("unexpected word"); }
    void expect(TokenKind kind) { accept(kind) || doubt("unexpected token"); }
    [[nodiscard]] bool is_name() const noexcept;
    [[nodiscard]] bool is_free_word() const noexcept;
    [[nodiscard]] bool is_reserved() const noexcept;
    bool doubt(std::string_view why);

    [[nodiscard]] bool postgres() const noexcept { return state_.dialect == Dialect::postgres; }
    [[nodiscard]] bool mysql() const noexcept { return state_.dialect == Dialect::mysql; }
    [[nodiscard]] TokenRange since(TokenIndex first) const noexcept { return {first, at_}; }
    Query& query_at(QueryId id) noexcept { return out_.queries[id]; }
    Block& block_at(BlockId id) noexcept { return out_.blocks[id]; }
    BlockId new_block(BlockKind kind, QueryId query);
    QueryId new_query(QueryRole role, BlockId parent);

    const TokenList& tokens_;
    const LexerState& state_;
    Structure& out_;
    TokenIndex at_ = 0;
    TokenIndex end_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace isotap::sql
