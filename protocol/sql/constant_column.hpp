#pragma once

#include <optional>
#include <string>

#include "protocol/sql/companion.hpp"
#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// MySQL family: rows that a result does not show, told by a column that is the same in all of its
/// rows: the statement's own FROM and WHERE once more, as a scalar subquery of its list. Being
/// constant it changes neither which rows are equal nor what is grouped, and in the same statement
/// it reads by the same snapshot, where the level has one. It is '!' where it would be long.
class ConstantColumns {
  public:
    explicit ConstantColumns(Draft& draft) noexcept : draft_(draft), companions_(draft) {}

    /// The rows that a DISTINCT, GROUP BY or HAVING was made of: those of `source`, which is the
    /// statement's own query or that of the derived table which is all that it reads. What else
    /// keeps rows from being read again is asked elsewhere.
    [[nodiscard]] bool can_tell(QueryId source) const;
    void tell(QueryId source);

    /// The rows in front of an OFFSET: where their order is total, and the numbers are spelled out.
    [[nodiscard]] bool can_tell_skipped() const;
    void tell_skipped();

  private:
    /// LIMIT with an OFFSET: the numbers, as tokens.
    struct Window {
        TokenIndex skipped = no_token;
        TokenIndex shown = no_token;
    };
    [[nodiscard]] const Block* only_block() const;
    [[nodiscard]] std::optional<Window> window() const;

    /// How a derived table reads the rows again.
    struct Reading {
        Quoting besides;     ///< more of its list
        Quoting source;      ///< what stands behind the list, its LIMIT as well
        Quoting too_many;    ///< a condition
        Quoting result_max;  ///< how many rows the statement's result has at most
    };
    void add(const Relation& relation, const Reading& reading, bool each_once);

    Draft& draft_;
    Companions companions_;
};

}  // namespace isotap::sql
