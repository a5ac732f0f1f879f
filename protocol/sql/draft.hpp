#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/trimmed_writers.hpp"

namespace isotap::sql {

/// A text of ours with pieces of the client's.
struct Quoting {
    std::string text;
    std::vector<Quote> quotes;

    void add(std::string_view more) { text += more; }
    void quote(TokenRange tokens) {
        tokens.empty() ? void() : quotes.push_back({text.size(), tokens});
    }
    void stamp() { quotes.push_back({text.size(), {}}); }
    void add(const Quoting& more);
};

/// An added column of a PostgreSQL result. In binary form it would be what nobody here reads, so it
/// is cast to text; where the result is text, and the cast changes nothing, it is left out.
[[nodiscard]] std::string needless_cast(std::string column);

/// A plan in the making: what all planners ask of a statement and do to it. Lives for one call of
/// `make_plan`.
struct Draft {
    Draft(const TokenList& token_list, const Structure& statement, const LexerState& lexer_state,
          const Catalog& tables, const PlannerOptions& planner_options) noexcept
        : tokens(token_list),
          structure(statement),
          state(lexer_state),
          catalog(tables),
          options(planner_options) {
        plan.coverage = history::Coverage::full;
    }

    const TokenList& tokens;
    const Structure& structure;
    const LexerState& state;
    const Catalog& catalog;
    const PlannerOptions& options;
    Plan plan;
    /// Something is packed: MariaDB must be told not to cut it.
    bool packs = false;
    /// See `Plan::otherwise`.
    bool reads_twice = false;

    // Coverage only ever gets worse; the first reason for the worst one stands.
    void partial(std::string_view reason);
    void partial_if(std::string_view reason) { reason.empty() ? void() : partial(reason); }
    /// Gives up: whatever the draft holds is dropped.
    void opaque(std::string_view reason);
    [[nodiscard]] bool given_up() const noexcept {
        return plan.coverage == history::Coverage::opaque;
    }

    // Text.
    [[nodiscard]] std::string name(TokenIndex token) const;
    [[nodiscard]] std::string quote(std::string_view name) const;
    /// How expressions name a relation: its alias, or its name as it was written.
    [[nodiscard]] std::string qualifier(const Relation& relation) const;
    /// Inserts in front of `token`, right behind the one before it.
    void insert(TokenIndex token, std::string text);
    /// The same, with pieces of the client's text.
    void insert_quoting(TokenIndex token, Quoting addition);
    /// The same, with a stamp between the two texts.
    void insert_stamped(TokenIndex token, std::string before, std::string_view after);
    void replace(TokenRange range, std::string text);

    // Facts.
    [[nodiscard]] bool is_cte(const Relation& relation) const;
    /// The table that a relation names, if it is one that can be captured; else null, with `why`.
    const Table* table(const Relation& relation, std::string_view& why) const;
    [[nodiscard]] const Relation* target(BlockId block) const noexcept;
    /// A call of an aggregate in this block, subqueries left out.
    [[nodiscard]] bool aggregates(BlockId block) const;
    /// The client's own text has a result that the limit of GROUP_CONCAT cuts.
    [[nodiscard]] bool concatenates() const;
    /// The first token of `range` outside of parentheses that is `keyword`, or `no_token`.
    [[nodiscard]] TokenIndex find(TokenRange range, Keyword keyword) const noexcept;

    /// What names a row of `table`, one expression each.
    [[nodiscard]] std::vector<std::string> key_parts(const Table& table,
                                                     const std::string& qualifier) const;

    // Columns. Each call enters what it adds into the plan: the order of calls is their order.
    std::size_t add_table(const Table& table, history::AccessKind kind);
    /// The expressions that name a row of `table`, each behind a comma: `, q.id::text`.
    std::string key_columns(const Table& table, const std::string& qualifier, std::size_t index);
    std::string added(ColumnRole role, std::size_t index, const std::string& expression);
    Quoting added(ColumnRole role, std::size_t index, const Quoting& expression);
    /// Key and version of a row that is read.
    std::string read_columns(const Table& table, const std::string& qualifier,
                             history::AccessKind kind);

    /// Lowers coverage for every table that is read elsewhere than in `block`, or in `told`.
    void note_other_reads(BlockId block, const std::vector<BlockId>& told = {});
    /// The splices in the order of the text.
    Plan finish();
};

void plan_select(Draft& draft);
void plan_postgres_write(Draft& draft);
void plan_mysql_write(Draft& draft);
void plan_truncate(Draft& draft);
/// COPY of a table.
void plan_copy(Draft& draft);
/// LOAD DATA of MariaDB into `table`.
void plan_mariadb_load(Draft& draft, const Block& block, const Table& table);
/// What LOAD DATA asks for, reads and meets, whoever tells of its rows. `untold`: why some are not
/// told where the server counts them as removed.
void note_load(Draft& draft, const Block& block, std::string_view untold = {});
/// A write of which triggers tell: its text stays as it is.
void plan_told_write(Draft& draft, const Block& block);
/// Takes auxiliary columns out of every `*`.
void hide_auxiliary(Draft& draft);

}  // namespace isotap::sql
