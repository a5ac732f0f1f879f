#pragma once

#include <cstdint>
#include <string>

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

/// wList without its oldest entry where it is full; a comma and the stamp go behind it.
std::string trimmed_writers(const std::string& writers, std::uint32_t entries, Dialect dialect);

}  // namespace isotap::sql
