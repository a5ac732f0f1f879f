#pragma once

#include <string>

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// MariaDB: the columns that `set`, a SET list, assigns to as one text, which is another one when
/// any of them has changed; empty if the list cannot be read.
std::string assigned_image(const Draft& draft, TokenRange set, const Table& table);

}  // namespace isotap::sql
