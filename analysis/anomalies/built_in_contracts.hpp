#pragma once

#include <string_view>
#include <vector>

#include "isotap/analysis/contract.hpp"

namespace isotap::analysis {

/// What stands in configs/contracts, as the program carries it. Safe from every thread; lives as
/// long as the program.
const std::vector<Contract>& built_in_contracts();

/// Null for an engine that nobody wrote a contract for.
const Contract* built_in_contract(std::string_view engine);

}  // namespace isotap::analysis
