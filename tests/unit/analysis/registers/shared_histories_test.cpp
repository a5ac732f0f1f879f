// Histories that other checkers publish, with their verdicts. They are not part of this repository:
// ISOTAP_SHARED names the folder that has them under histories/.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/analysis/registers/answers.hpp"

namespace isotap::analysis {
namespace {

namespace fs = std::filesystem;

fs::path shared_histories() {
    if (const char* shared = std::getenv("ISOTAP_SHARED")) {
        return fs::path(shared) / "histories";
    }
    const char* source = std::getenv("ISOTAP_SOURCE");
    return fs::path(source != nullptr ? source : ".") / ".." / "shared" / "histories";
}

std::string answers_of(const fs::path& file) {
    const auto read = history::read_history(file.string());
    EXPECT_FALSE(read.has_error()) << read.error().message();
    return read ? test::answers(*read) : "";
}

TEST(SharedHistories, AwditsFoldersNameTheStrongestLevel) {
    const fs::path root = shared_histories() / "awdit";
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    const std::pair<const char*, const char*> folders[] = {
        {"causal", "PPP"}, {"read-atomic", "PPF"}, {"read-committed", "PFF"}, {"none", "FFF"}};
    int files = 0;
    for (const auto& [folder, expected] : folders) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (entry.is_regular_file()) {
                EXPECT_EQ(answers_of(entry.path()).substr(0, 3), expected) << entry.path();
                ++files;
            }
        }
    }
    EXPECT_EQ(files, 22);
    EXPECT_EQ(answers_of(root / "causal/fully-ser.txt"), "PPPPPP");
    EXPECT_EQ(answers_of(root / "causal/long-fork.txt"), "PPPFFF");
    EXPECT_EQ(answers_of(root / "causal/lost-update.txt"), "PPPPFF");
    EXPECT_EQ(answers_of(root / "causal/generated/l20e200sqrt.txt"), "PPPFFF");
}

/// The whole vector of each file; where dbcop itself asserts something, it is one of these letters.
TEST(SharedHistories, DbcopsBoundaries) {
    const fs::path root = shared_histories() / "dbcop";
    if (!fs::exists(root)) {
        GTEST_SKIP() << root << " is not there: NOT TESTED";
    }
    const std::pair<const char*, const char*> vectors[] = {
        {"rc_pass_all_committed", "PPPPPP"},
        {"rc_violation_dirty_read", "FFFFFF"},
        {"rc_violation_committed_order_cycle", "FFFFFF"},
        {"rr_pass_reads_in_separate_txns", "PPPPPP"},
        {"rr_violation_fractured_read", "PFFFFF"},
        {"ra_violation_non_atomic_visibility", "PFFFFF"},
        {"ra_pass_stale_read_after_newer_across_transactions", "PPFFFF"},
        {"cc_pass_simple_chain", "PPPPPP"},
        {"cc_violation_cycle_7", "PPFFFF"},
        {"cc_violation_ww_conflict_6", "PPFFFF"},
        {"cc_pass_independent", "PPPPPP"},
        {"boundary_causal_to_prefix", "PPPFFF"},
        {"boundary_prefix_to_si_lost_update", "PPPPFF"},
        {"boundary_si_to_ser_write_skew", "PPPPPF"},
        {"passes_serializable_interleaved", "PPPPPP"},
        {"version_zero_lost_update", "PPPPFF"},
        {"version_zero_single", "PPPPPP"},
        {"version_zero_explicit_writer", "PPPPPP"},
        {"docs_example2_claimed_write_skew", "PPPPPF"},
    };
    for (const auto& [name, expected] : vectors) {
        EXPECT_EQ(answers_of(root / (std::string(name) + ".hist")), expected) << name;
    }
    const auto repeats = [&](const char* name) {
        const auto read = history::read_history((root / name).string());
        return read && RegisterChecker(read->history, read->writers).non_repeatable_reads().empty();
    };
    EXPECT_FALSE(repeats("rr_violation_fractured_read.hist"));
    EXPECT_TRUE(repeats("rr_pass_reads_in_separate_txns.hist"));
    EXPECT_TRUE(repeats("ra_violation_non_atomic_visibility.hist"));
}

}  // namespace
}  // namespace isotap::analysis
