#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/check/history_check.hpp"
#include "analysis/history/formats.hpp"
#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::proxy {

/// A history or recording that was read and checked, and what its numbers are called.
struct CheckedHistory {
    std::unique_ptr<const history::ReadHistory>
        read;  ///< null for a recording; `names` refers to it
    analysis::Findings findings;
    std::unique_ptr<const analysis::Names> names;   ///< for programs
    std::unique_ptr<const analysis::Names> labels;  ///< for people; refer to `names`
};

/// The contract of this name; null for an empty one. Throws StartupError where there is none.
const analysis::Contract* asked_contract(const std::string& engine);

/// Reads and checks whatever stands there, and shows how far it is where standard error is a
/// terminal. Throws StartupError.
CheckedHistory check_any(const std::string& path, std::optional<history::Format> format,
                         analysis::CheckOptions options);

}  // namespace isotap::proxy
