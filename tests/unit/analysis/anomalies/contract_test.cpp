#include "isotap/analysis/contract.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis {
namespace {

using history::IsolationLevel;
using ::testing::HasSubstr;
using testing::HistoryScript;
using testing::t0;

std::filesystem::path folder() {
    return std::filesystem::path{std::getenv("ISOTAP_SOURCE")} / "configs" / "contracts";
}

Contract load(const std::filesystem::path& file) {
    std::ifstream stream{file};
    const std::string text{std::istreambuf_iterator<char>{stream}, {}};
    auto contract = Contract::parse(text);
    EXPECT_TRUE(contract.has_value()) << file << ": " << (contract ? "" : contract.error());
    return contract ? *contract : Contract{};
}

/// What the engine says to one history, told at a level, under a contract.
template <typename Tell>
Severity severity_of(const Contract& contract, IsolationLevel level, Tell tell) {
    EngineOptions options;
    options.contract = &contract;
    HistoryScript h{options};
    tell(h, level);
    h.engine().finish();
    EXPECT_EQ(h.engine().anomalies().size(), 1U);
    return h.engine().anomalies().empty() ? Severity::hazard : h.engine().anomalies()[0].severity;
}

void write_skew(HistoryScript& h, IsolationLevel level) {
    h.begin(1, level);
    h.begin(2, level);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    h.write(1, 2, t0);
    h.write(2, 1, t0);
    h.commit(1);
    h.commit(2);
}

void lost_update(HistoryScript& h, IsolationLevel level) {
    h.begin(1, level);
    h.begin(2, level);
    h.read(1, 1, t0);
    const auto v = h.write(2, 1, t0);
    h.commit(2);
    h.write(1, 1, v);
    h.commit(1);
}

void dirty_read(HistoryScript& h, IsolationLevel level) {
    h.begin(1, IsolationLevel::read_uncommitted);
    h.begin(2, level);
    h.read(2, 1, h.write(1, 1, t0));
    h.abort(1);
    h.commit(2);
}

TEST(Contract, EveryFileOfOursIsRead) {
    std::size_t seen = 0;
    for (const auto& entry : std::filesystem::directory_iterator{folder()}) {
        if (entry.path().extension() != ".toml") continue;  // the folder's own page
        const Contract contract = load(entry.path());
        EXPECT_EQ(contract.engine(), entry.path().stem().string());
        ASSERT_NE(contract.at(IsolationLevel::read_committed), nullptr);
        EXPECT_TRUE(contract.at(IsolationLevel::read_committed)->models.has(Model::read_committed));
        EXPECT_THAT(contract.at(IsolationLevel::repeatable_read)->documentation,
                    HasSubstr("https://"));
        ++seen;
    }
    EXPECT_EQ(seen, 6U);
}

TEST(Contract, WriteSkewIsAllowedBelowSerializable) {
    const Contract postgres = load(folder() / "postgresql.toml");
    EXPECT_EQ(severity_of(postgres, IsolationLevel::repeatable_read, write_skew), Severity::hazard);
    EXPECT_EQ(severity_of(postgres, IsolationLevel::serializable, write_skew), Severity::violation);
    EXPECT_EQ(severity_of(postgres, IsolationLevel::unknown, write_skew), Severity::hazard);
}

TEST(Contract, LostUpdatesDependOnTheEngine) {
    const auto at_repeatable_read = [](const char* file) {
        return severity_of(load(folder() / file), IsolationLevel::repeatable_read, lost_update);
    };
    EXPECT_EQ(at_repeatable_read("mysql.toml"), Severity::hazard);
    EXPECT_EQ(at_repeatable_read("mariadb.toml"), Severity::hazard);
    EXPECT_EQ(at_repeatable_read("tidb.toml"), Severity::hazard);
    EXPECT_EQ(at_repeatable_read("mariadb-snapshot.toml"), Severity::violation);
    EXPECT_EQ(at_repeatable_read("postgresql.toml"), Severity::violation);
    EXPECT_EQ(at_repeatable_read("cockroachdb.toml"), Severity::violation);
}

TEST(Contract, OnlyTheReaderIsLetDownByADirtyRead) {
    const Contract mysql = load(folder() / "mysql.toml");
    EXPECT_EQ(severity_of(mysql, IsolationLevel::read_uncommitted, dirty_read), Severity::hazard);
    EXPECT_EQ(severity_of(mysql, IsolationLevel::read_committed, dirty_read), Severity::violation);
}

TEST(Contract, OneWeakTransactionExcusesTheCycle) {
    const Contract postgres = load(folder() / "postgresql.toml");
    EngineOptions options;
    options.contract = &postgres;
    HistoryScript h{options};
    h.begin(1, IsolationLevel::serializable);
    h.begin(2, IsolationLevel::read_committed);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    h.write(1, 2, t0);
    h.write(2, 1, t0);
    h.commit(1);
    h.commit(2);
    h.engine().finish();
    ASSERT_EQ(h.engine().anomalies().size(), 1U);
    EXPECT_EQ(h.engine().anomalies()[0].severity, Severity::hazard);
    EXPECT_EQ(h.engine().verdict(), Verdict::hazard);
}

TEST(Contract, SaysWhatIsWrongAndWhere) {
    const auto error = [](std::string_view text) {
        const auto contract = Contract::parse(text);
        return contract ? std::string{} : contract.error();
    };
    EXPECT_THAT(error("engine = "), HasSubstr("line 1"));
    EXPECT_THAT(error("x = 1"), HasSubstr("'engine'"));
    EXPECT_THAT(error("engine = 'a'"), HasSubstr("[[level]]"));
    EXPECT_THAT(error("engine = 'a'\n[[level]]\nname = 'fast'"), HasSubstr("line 2"));
    EXPECT_THAT(error("engine = 'a'\n[[level]]\nname = 'snapshot'\nmodels = ['fast']"),
                HasSubstr("line 4: expected a known name in 'models', found 'fast'"));
    EXPECT_THAT(error("engine = 'a'\n[[level]]\nname = 'snapshot'\nexcludes = [1]"),
                HasSubstr("line 4"));
    EXPECT_THAT(error("engine = 'a'\n[[level]]\nname = 'snapshot'"), HasSubstr("documentation"));
}

}  // namespace
}  // namespace isotap::analysis
