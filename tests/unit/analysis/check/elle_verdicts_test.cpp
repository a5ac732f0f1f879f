// Elle's own test histories, with the verdicts that Elle asserts. They are not part of this
// repository: ISOTAP_SHARED names the folder that has them under histories/.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/check/history_check.hpp"

namespace isotap::analysis {
namespace {

namespace fs = std::filesystem;

struct Row {
    std::string file;
    std::string checker;
    std::string options;
    std::string valid;
    std::set<std::string> types;
    std::set<std::string> weakest;
};

std::set<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> all;
    for (std::string word; in >> word;) {
        all.insert(word);
    }
    return all;
}

std::vector<Row> rows(const fs::path& table) {
    std::ifstream in(table);
    std::vector<Row> all;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::vector<std::string> cells;
        std::istringstream columns(line);
        for (std::string cell; std::getline(columns, cell, '\t');) {
            cells.push_back(cell);
        }
        cells.resize(6);
        all.push_back({cells[0], cells[1], cells[2], cells[3].substr(0, cells[3].find(' ')),
                       words(cells[4]), words(cells[5])});
    }
    return all;
}

/// `models=a,b …`: what Elle was asked; nothing for rows that name anomalies instead.
ModelSet asked(const std::string& options) {
    ModelSet models;
    const std::size_t at = options.find("models=");
    if (at == std::string::npos) {
        return models;
    }
    const std::size_t begin = at + std::string("models=").size();
    std::istringstream names(options.substr(begin, options.find(' ', begin) - begin));
    for (std::string name; std::getline(names, name, ',');) {
        const auto model = model_from(name == "strong-serializable" ? "strict-serializable" : name);
        EXPECT_TRUE(model.has_value()) << name;
        models.add(model.value_or(Model::serializable));
    }
    return models;
}

/// Every type that Elle names is found, under Elle's name. What it says about itself is left out.
std::set<std::string> missing(const Row& row, const Findings& findings) {
    std::set<std::string> expected = row.types;
    for (const char* own : {"empty-transaction-graph", "cycle-search-timeout",
                            "strong-snapshot-isolation-cycle-exists"}) {
        expected.erase(own);
    }
    for (const Anomaly& anomaly : findings.anomalies) {
        expected.erase(elle_name_of(anomaly.kind));
    }
    return expected;
}

/// Elle says 'valid' and 'unknown' of what it did not look for; with a model to ask for, its answer
/// is about that model.
std::string difference(const Row& row, const Findings& findings) {
    std::string text;
    const bool broken = findings.verdict == Verdict::violation;
    if (row.options.find("models=") != std::string::npos && (row.valid == "false") != broken) {
        text += "valid: " + row.valid + ", here " + std::string(to_string(findings.verdict)) + ". ";
    }
    for (const std::string& type : missing(row, findings)) {
        text += "not found: " + type + ". ";
    }
    if (!text.empty()) {
        text += "Found:";
        for (const Anomaly& anomaly : findings.anomalies) {
            text += " " + elle_name_of(anomaly.kind);
        }
    }
    return text;
}

/// Rows that differ, and stay so: docs/CHECKERS.md says why.
const std::set<std::string> known_differences{
    "la-g1b.edn models=strict-serializable",
    "la-unobserved-write.edn models=serializable",
    "la-lost-update.edn models=strict-serializable",
    "la-int-nil-then-value.edn (internal-cases only)",
};

TEST(ElleVerdicts, AppendRowsComeOutAsInElle) {
    const char* shared = std::getenv("ISOTAP_SHARED");
    const char* source = std::getenv("ISOTAP_SOURCE");
    const fs::path root =
        (shared != nullptr ? fs::path(shared)
                           : fs::path(source != nullptr ? source : ".") / ".." / "shared") /
        "histories" / "elle" / "tests";
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    int checked = 0;
    for (const Row& row : rows(root / "VERDICTS.tsv")) {
        if (row.checker != "list-append" || !fs::exists(root / row.file)) {
            continue;
        }
        const auto read = history::read_history((root / row.file).string());
        ASSERT_FALSE(read.has_error()) << read.error().message();
        CheckOptions options;
        options.asked = asked(row.options);
        if (options.asked.empty()) {
            options.asked = ModelSet{Model::strict_serializable};
        }
        const std::string differs = difference(row, check_history(*read, row.file, options));
        const std::string name = row.file + " " + row.options;
        EXPECT_EQ(!differs.empty(), known_differences.contains(name)) << name << ": " << differs;
        ++checked;
    }
    EXPECT_GT(checked, 30);
}

}  // namespace
}  // namespace isotap::analysis
