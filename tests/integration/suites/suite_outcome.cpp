#include "tests/integration/suites/suite_outcome.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string_view>

#include <boost/json.hpp>

namespace isotap::test {

Verdicts verdicts_in(const std::string& output) {
    constexpr std::string_view mark = "verdict: ";
    Verdicts verdicts;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(mark)) continue;
        const std::size_t space = line.find(' ', mark.size());
        // The report of isotap has a line that begins alike: one word follows.
        if (space == line.npos) continue;
        verdicts[line.substr(mark.size(), space - mark.size())] = line.substr(space + 1);
    }
    return verdicts;
}

Verdicts verdicts_of(const Verdicts& all, const std::vector<std::string>& labels) {
    Verdicts some;
    std::copy_if(all.begin(), all.end(), std::inserter(some, some.end()), [&](const auto& test) {
        return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
            return test.first.starts_with(label + ".");
        });
    });
    return some;
}

std::size_t passed_in(const Verdicts& verdicts) {
    return static_cast<std::size_t>(
        std::count_if(verdicts.begin(), verdicts.end(),
                      [](const auto& test) { return test.second.starts_with("passed"); }));
}

std::string differences(const Verdicts& direct, const Verdicts& through) {
    std::string text;
    for (const auto& [test, verdict] : direct) {
        const auto found = through.find(test);
        const std::string other = found == through.end() ? "missing" : found->second;
        if (other == verdict) continue;
        text.append(test).append(": ").append(verdict);
        text.append(", through isotap: ").append(other).append("\n");
    }
    for (const auto& [test, verdict] : through) {
        if (direct.contains(test)) continue;
        text.append(test).append(": only through isotap: ").append(verdict).append("\n");
    }
    return text;
}

SuiteCoverage coverage_in(const std::string& report, const std::string& suite) {
    const boost::json::value coverage = boost::json::parse(report).at("coverage");
    const auto count = [&](const char* name) { return coverage.at(name).to_number<double>(); };
    std::cout << suite << ": " << coverage.at("statements") << " data statements, captured in full "
              << count("full") << ", partly " << count("partial") << ", not " << count("opaque")
              << '\n';
    for (const boost::json::value& reason : coverage.at("reasons").as_array()) {
        std::cout << "  " << reason.at("count") << ' ' << reason.at("reason") << ": "
                  << reason.at("example") << '\n';
    }
    return {count("statements"), count("full")};
}

}  // namespace isotap::test
