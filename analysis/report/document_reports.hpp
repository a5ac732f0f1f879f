#pragma once

#include <span>
#include <string>

#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// A page that needs no other file: the verdict, and every anomaly with its words and its picture.
std::string html_report(const Findings& findings, const Names& names);

/// One test case for each history: it fails on whatever was found, hazards included, and is skipped
/// where the answer is unknown.
struct JunitCase {
    const Findings* findings = nullptr;
    std::string text;  ///< the text report of the history
};
std::string junit_report(std::span<const JunitCase> cases);

}  // namespace isotap::analysis
