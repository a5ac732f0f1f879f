#pragma once

#include <string_view>

#include "protocol/sql/catalog.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::sql {

/// The condition by which a statement chose the rows of one table, in a form that a server can
/// evaluate over row images: `SELECT (condition) IS TRUE FROM images AS name`.
struct Predicate {
    /// Without WHERE; empty where there is none: all rows. A view into the statement, literals and
    /// parameters as they stand.
    std::string_view condition;
    /// What the condition calls the table, as it is spelled.
    std::string_view name;
    RelationId relation = no_node;
    bool has_parameters = false;  ///< bind values of the execution must be filled in
};

enum class PredicateDoubt : std::uint8_t {
    none,
    not_one_table,  ///< a join, a set operation, a derived table, no table
    subquery,       ///< other tables decide as well
    system_column,  ///< xmin, ctid …: an image has none
    cursor,         ///< WHERE CURRENT OF
    unsure,
};

/// The predicate of a single-table SELECT, UPDATE or DELETE. Calls of functions are left in it:
/// whether they are volatile is for the catalog to say. `predicate` is set only for `none`.
PredicateDoubt predicate_of(const TokenList& tokens, const Structure& structure,
                            const LexerState& state, Predicate& predicate) noexcept;

}  // namespace isotap::sql
