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
#include "tests/unit/analysis/check/elle_names.hpp"

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
    if (options.starts_with("default")) {
        models.add(Model::strict_serializable);
    }
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
    const ModelSet models = asked(row.options);
    const bool broken = !(findings.violated & models).empty();
    if (!models.empty() && (row.valid == "false") != broken) {
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
    "la-lost-update.edn models=strict-serializable",
    "la-int-nil-then-value.edn (internal-cases only)",
    "rw-gh8-thin-air.edn models=strict-serializable linearizable-keys",
    "rw-cyclic-versions-linearizable.edn models=strict-serializable linearizable-keys",
    "rw-g0.edn anomalies=G0 sequential-keys",
    "rw-g2-item.edn models=read-committed linearizable-keys",
    "rw-g2-item.edn anomalies=G2 linearizable-keys",
    "rw-internal.edn anomalies=internal",
    "rw-wfr.edn models=serializable",
    "rw-wfr.edn models=serializable wfr-keys",
    "rw-cyclic-versions-sequential.edn models=strict-serializable sequential-keys",
    "rw-scc-sort-bug.edn models=strong-serializable wfr-keys linearizable-keys",
    "cp-ww-wr-rw-item.edn default",
    "cp-predicate-read-miss.edn default",
    "cp-init-g-single-pred.edn default",
    "cp-g-single-multi-key-delete.edn default",
};

/// The weakest models that Elle says are violated (`:not`), and those that we say, where they
/// differ. Elle speaks about the anomalies that it was asked for; we speak about all.
std::string weakest_difference(const Row& row, const Findings& findings) {
    std::set<std::string> elles;
    for (std::string name : row.weakest) {
        std::erase_if(name, [](char c) { return c == '(' || c == ')'; });
        if (model_from(name)) {
            elles.insert(name);
        }
    }
    std::set<std::string> ours;
    std::string said;
    for (const Model model : boundary_of(findings.violated).weakest.list()) {
        ours.emplace(to_string(model));
        said += " " + std::string(to_string(model));
    }
    return elles.empty() || elles == ours ? "" : "weakest violated here:" + said;
}

/// Rows whose weakest violated models differ, and stay so: docs/CHECKERS.md says why.
const std::set<std::string> known_weakest{
    "la-strong-session-si.edn models=strong-session-snapshot-isolation",
    "la-g-nonadjacent-process-gh17.edn models=strong-session-snapshot-isolation",
    "la-g-nonadjacent.edn models=strict-serializable",
    "la-rr-g-single-item.edn models=repeatable-read",
    "la-rr-g-nonadjacent-item.edn models=repeatable-read",
    "rw-cyclic-versions-linearizable.edn models=strict-serializable linearizable-keys",
    "rw-g0.edn anomalies=G0 sequential-keys",
    "rw-g2-item.edn anomalies=G2 linearizable-keys",
    "rw-internal.edn anomalies=internal",
    "rw-initial-state.edn models=serializable",
    "rw-wfr.edn models=serializable wfr-keys",
    "rw-cyclic-versions-sequential.edn models=strict-serializable sequential-keys",
    "rw-scc-sort-bug.edn models=strong-serializable wfr-keys linearizable-keys",
    "cp-ww-wr-rw-item.edn default",
    "cp-predicate-read-miss.edn default",
    "cp-init-g-single-pred.edn default",
    "cp-g-single-multi-key-delete.edn default",
};

fs::path elle_folder() {
    const char* shared = std::getenv("ISOTAP_SHARED");
    const char* source = std::getenv("ISOTAP_SOURCE");
    const fs::path beside = fs::path(source != nullptr ? source : ".") / ".." / "shared";
    return (shared != nullptr ? fs::path(shared) : beside) / "histories" / "elle" / "tests";
}

/// Checks the rows of one of Elle's checkers; gives how many there were.
int check_rows(const fs::path& root, const std::string& checker, ModelSet besides) {
    int checked = 0;
    for (const Row& row : rows(root / "VERDICTS.tsv")) {
        // An order of transactions that is handed in is no part of the history.
        if (row.checker != checker || !fs::exists(root / row.file) ||
            row.options.find("transaction-order") != std::string::npos) {
            continue;
        }
        const auto read = history::read_history((root / row.file).string());
        if (read.has_error()) {
            ADD_FAILURE() << read.error().message();
            continue;
        }
        CheckOptions options;
        options.asked = asked(row.options) | besides;
        const Findings findings = check_history(*read, row.file, options);
        const std::string differs = difference(row, findings);
        const std::string name = row.file + " " + row.options;
        const std::string weakest = weakest_difference(row, findings);
        EXPECT_EQ(!weakest.empty(), known_weakest.contains(name)) << name << ": " << weakest;
        EXPECT_EQ(!differs.empty(), known_differences.contains(name)) << name << ": " << differs;
        ++checked;
    }
    return checked;
}

TEST(ElleVerdicts, AppendRowsComeOutAsInElle) {
    const fs::path root = elle_folder();
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    EXPECT_EQ(check_rows(root, "list-append", ModelSet{Model::strict_serializable}), 44);
}

TEST(ElleVerdicts, RegisterRowsComeOutAsInElle) {
    const fs::path root = elle_folder();
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    ModelSet levels;
    for (const Model level : {Model::read_committed, Model::read_atomic, Model::causal,
                              Model::snapshot_isolation, Model::strict_serializable}) {
        levels.add(level);
    }
    EXPECT_EQ(check_rows(root, "rw-register", levels), 21);
}

/// Without a word about models, Elle asks for the strictest.
TEST(ElleVerdicts, PredicateRowsComeOutAsInElle) {
    const fs::path root = elle_folder();
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    ModelSet levels;
    for (const Model level : {Model::read_committed, Model::read_atomic, Model::causal,
                              Model::snapshot_isolation, Model::strict_serializable}) {
        levels.add(level);
    }
    EXPECT_EQ(check_rows(root, "closed-predicate", levels), 10);
}

}  // namespace
}  // namespace isotap::analysis
