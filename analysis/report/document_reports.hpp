#pragma once

#include <span>
#include <string>

#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// A page that needs no other file: the verdict, and every anomaly with its words and its picture.
std::string html_report(const Findings& findings, const Names& names);

/// One test case for each history. It fails where something was found that is as grave as
/// `fails_on`, says what else was found, and is skipped where the answer is unknown.
struct JunitCase {
    const Findings* findings = nullptr;
    std::string text;  ///< the text report of the history
};
std::string junit_report(std::span<const JunitCase> cases, Severity fails_on);

}  // namespace isotap::analysis
