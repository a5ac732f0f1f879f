#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace isotap::test {

/// What became of each test of a suite, by its name.
using Verdicts = std::map<std::string, std::string>;

/// From the lines that the runners in this folder print.
Verdicts verdicts_in(const std::string& output);

/// Those of the tests whose names begin with one of the labels and a dot.
Verdicts verdicts_of(const Verdicts& all, const std::vector<std::string>& labels);

std::size_t passed_in(const Verdicts& verdicts);

/// What only one of them says, or says otherwise; empty when they say the same.
std::string differences(const Verdicts& direct, const Verdicts& through);

/// What a report says of coverage.
struct SuiteCoverage {
    double statements = 0;
    double full = 0;
};

/// Reads what `isotap check --json` or `isotap exec --json` says, and prints its reasons.
SuiteCoverage coverage_in(const std::string& report, const std::string& suite);

}  // namespace isotap::test
