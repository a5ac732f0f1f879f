#pragma once

#include <string_view>

#include "isotap/analysis/contract.hpp"

namespace isotap::proxy {

/// What an engine promises, of the contracts that the program carries; it lives as long as that.
/// Throws StartupError where nobody wrote one.
const analysis::Contract& engine_contract(std::string_view engine);

}  // namespace isotap::proxy
