#pragma once

#include <cstdint>

#include "protocol/sql/draft.hpp"

/// Whether a derived table or a common table expression may have columns more.
namespace isotap::sql {

enum class StarUse : std::uint8_t {
    none,          ///< no `*` shows the relation's columns
    behind_all,    ///< one does, and its columns are the last of the block's
    among_others,  ///< other columns follow, or come from the same star
};

/// How the select list of its own block shows all columns of the relation.
StarUse star_over(const Draft& draft, const Relation& relation);

/// PostgreSQL: somewhere the bare name of the relation stands, which is its whole row, or a star of
/// it in an expression. Names are compared in the whole statement: rather once too often.
bool is_used_as_a_row(const Draft& draft, const Relation& relation);

}  // namespace isotap::sql
