#pragma once

#include <string>
#include <string_view>

#include <boost/system/result.hpp>

#include "analysis/workload/scenario.hpp"

namespace isotap::workload {

/// Why a scenario cannot be read.
struct ScenarioError {
    Place place;
    std::string expected;
    std::string found;

    /// `FILE:line:column: expected …, found …`
    [[nodiscard]] std::string message(std::string_view file) const;
};

/// `boost::system::result` asks how an error would be thrown; here a broken `value()` is a defect
/// of ours.
[[noreturn]] void throw_exception_from_error(const ScenarioError& error,
                                             const boost::source_location& where);

template <typename T>
using Read = boost::system::result<T, ScenarioError>;

/// Our own form, described in docs/SCENARIOS.md. A scenario without a name is called `file_name`.
Read<Scenario> read_scenario(std::string_view text, std::string_view file_name);

/// A specification of PostgreSQL's isolation tester. One that lists no permutation gets all of
/// them, up to a bound.
Read<Scenario> read_specification(std::string_view text, std::string_view file_name);

/// The reader by the end of the file's name: `.spec`, or ours.
Read<Scenario> read_by_name(std::string_view text, std::string_view path);

}  // namespace isotap::workload
