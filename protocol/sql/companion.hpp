#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/sql/draft.hpp"
#include "protocol/sql/told.hpp"

namespace isotap::sql {

/// Reads again, in the same statement and so in the same snapshot, the rows that a block reads and
/// whose columns do not reach the result: arms of UNION and EXCEPT, DISTINCT, HAVING, subqueries in
/// expressions. What is read again is the block's own FROM and WHERE.
///
/// Only conditions are repeated that give the same answer each time and cannot fail: names,
/// literals, comparisons; no calls, no casts, no arithmetic.
class Companions {
  public:
    /// What becomes of placeholders that are repeated.
    enum class Parameters : std::uint8_t {
        refused,  ///< MySQL family: they would be more than the client has values for
        valued,   ///< the text that they get into has values of its own
    };

    explicit Companions(Draft& draft, Parameters parameters = Parameters::refused) noexcept
        : draft_(draft), parameters_(parameters) {}

    /// What keeps the arms of this query from being read again; empty: nothing does.
    [[nodiscard]] std::string_view obstacle(QueryId query) const;

    /// The same of one block, whatever LIMIT stands around it.
    [[nodiscard]] std::string_view obstacle_of_block(BlockId id) const;

    /// Reads every arm of the query again, beside the whole statement. It must be uncorrelated.
    void read_beside(QueryId query);

    /// What keeps the rows from being read again by which a correlated EXISTS in the condition of a
    /// block of the statement keeps or rejects the rows of that block; empty: nothing does.
    [[nodiscard]] std::string_view obstacle_of_deciding(QueryId id) const;

    /// Reads those rows again, beside the whole statement.
    void read_deciding(QueryId query);

    /// Reads the arms of a subquery again for each row of the statement's block, in its list. With
    /// `once`, only the row that comes first tells it: of an uncorrelated one, all would say the
    /// same. MySQL family: in the order of evaluation, so not under a LIMIT. Oracle's MySQL can do
    /// nothing once without a trace: there each row tells it, unless it is long.
    void read_in_list(QueryId query, const Block& block, bool once);

    /// Puts what is read beside around the statement. Call it last.
    void wrap();

    /// The subquery uses, or may use, a column of a table outside of it.
    [[nodiscard]] bool is_correlated(QueryId query) const;

    /// ` from … where … `, as the client wrote them.
    [[nodiscard]] Quoting source_of(BlockId id) const;

  private:
    [[nodiscard]] bool hides_rows(QueryId id) const;
    /// A LIMIT that changes nothing: see `only_exists`.
    [[nodiscard]] bool within_exists(TokenIndex limit) const;
    [[nodiscard]] std::string_view obstacle_of_text(TokenRange range) const;
    [[nodiscard]] bool is_column_within(TokenIndex name, TokenRange range) const;
    [[nodiscard]] bool refers_outside(TokenRange text, TokenRange scope) const;
    void add_condition(const Block& block, Quoting& text) const;
    [[nodiscard]] Quoting told_once(const Quoting& column) const;

    /// A block that is read again.
    struct Beside {
        BlockId block = no_node;
        QueryId deciding = no_node;  ///< the subquery that it is a part of, where that decides
    };
    [[nodiscard]] Quoting beside(const Beside& one, Quoting& head);
    [[nodiscard]] Quoting decided_by(const Beside& one, std::vector<Told>& rows) const;

    Draft& draft_;
    Parameters parameters_;
    std::vector<Beside> beside_;
};

}  // namespace isotap::sql
