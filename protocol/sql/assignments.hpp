#pragma once

#include <string>
#include <vector>

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// `SET a = …, (b, c) = …` gives one of these columns a value. Where the text could mean either,
/// true.
bool assigns_any(const Draft& draft, TokenRange set, const std::vector<std::string>& columns);

}  // namespace isotap::sql
