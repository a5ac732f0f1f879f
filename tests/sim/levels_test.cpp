// The engine against a database of which everything is known: no alarm that its level forbids, and
// every bug that was planted is found. ISOTAP_SIM_TRANSACTIONS makes it as large as one likes.
#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "tests/sim/workload.hpp"

namespace isotap::sim {
namespace {

using analysis::Anomaly;
using analysis::AnomalyType;
using analysis::Engine;
using analysis::EngineOptions;
using analysis::Model;
using history::IsolationLevel;

std::uint64_t transactions() {
    const char* wanted = std::getenv("ISOTAP_SIM_TRANSACTIONS");
    return wanted == nullptr ? 6'000 : std::strtoull(wanted, nullptr, 10);
}

EngineOptions live_options() {
    EngineOptions options;
    options.arrival_skew = std::chrono::milliseconds{2};
    options.search_every = 256;
    options.real_time_order = true;
    options.witnesses_per_component = 100'000;
    return options;
}

struct Promise {
    IsolationLevel level;
    Model kept;
    double conditions = 0;
    double empties = 0;  ///< a table
};

class Levels : public ::testing::TestWithParam<Promise> {};

TEST_P(Levels, NeverRaiseAnAlarmThatTheyForbid) {
    const auto [level, kept, conditions, empties] = GetParam();
    const std::uint64_t total = transactions();
    std::uint64_t alarms = 0;
    std::uint64_t hazards = 0;
    for (std::uint64_t seed = 1, done = 0; done < total; ++seed) {
        WorkloadOptions workload;
        workload.seed = seed;
        workload.level = level;
        workload.transactions = std::min<std::uint64_t>(total - done, 100'000);
        workload.sessions = 2 + seed % 15;
        workload.rows = 4 + (seed * 7) % 60;
        workload.empty_share = empties;
        if (conditions > 0) {
            workload.condition_share = conditions;
            workload.held_back = 0;  // an answer comes after what it is about
        }
        EngineOptions options = live_options();
        options.asked = analysis::ModelSet{kept};
        options.on_anomaly = [&, kept_model = kept](Anomaly&& anomaly) {
            if (anomaly.violates.has(kept_model)) {
                ++alarms;
                ADD_FAILURE() << "seed " << seed << ": " << name_of(anomaly.kind);
            }
            ++hazards;
        };
        Engine engine{options};
        Workload run{workload, engine};
        run.run();
        engine.finish();
        ASSERT_EQ(alarms, 0U);
        EXPECT_EQ(engine.statistics().breaches, 0U) << "seed " << seed;
        EXPECT_EQ(engine.statistics().gaps, 0U);
        EXPECT_EQ(engine.statistics().transactions.committed, run.committed());
        done += workload.transactions;
    }
    // The weaker levels must show something: else nothing was looked at.
    EXPECT_EQ(hazards != 0, kept != Model::strict_serializable);
}

INSTANTIATE_TEST_SUITE_P(
    Sim, Levels,
    ::testing::Values(Promise{IsolationLevel::read_uncommitted, Model::strong_read_uncommitted},
                      Promise{IsolationLevel::read_committed, Model::strong_read_committed},
                      Promise{IsolationLevel::snapshot, Model::strong_snapshot_isolation},
                      Promise{IsolationLevel::serializable, Model::strict_serializable},
                      Promise{IsolationLevel::snapshot, Model::strong_snapshot_isolation, 0.2},
                      Promise{IsolationLevel::serializable, Model::strict_serializable, 0.2},
                      Promise{IsolationLevel::read_committed, Model::strong_read_committed, 0, 0.1},
                      Promise{IsolationLevel::snapshot, Model::strong_snapshot_isolation, 0, 0.1},
                      Promise{IsolationLevel::serializable, Model::strict_serializable, 0, 0.1}),
    [](const auto& parameter) {
        std::string name{to_string(parameter.param.kept)};
        name += parameter.param.conditions > 0 ? "_with_conditions" : "";
        name += parameter.param.empties > 0 ? "_emptying" : "";
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

/// A window that is far too small, few rows: much is forgotten too early. That may hide anomalies,
/// and is said, but must not invent any.
TEST(Window, ForgettingTooEarlyInventsNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        WorkloadOptions workload;
        workload.seed = seed;
        workload.transactions = transactions() / 20;
        workload.rows = 40;
        EngineOptions options = live_options();
        options.arrival_skew = std::chrono::seconds{1};
        options.search_every = 16;
        options.window = 24;
        options.rows = 10;
        options.on_anomaly = [&](Anomaly&& anomaly) {
            EXPECT_FALSE(anomaly.violates.has(Model::strong_snapshot_isolation))
                << "seed " << seed << ": " << name_of(anomaly.kind);
        };
        Engine engine{options};
        Workload run{workload, engine};
        run.run();
        engine.finish();
        EXPECT_GT(engine.statistics().forced, 0U);
        EXPECT_LE(engine.statistics().live, 24U + workload.sessions);
    }
}

struct Plant {
    const char* name;
    Bug bug;
    IsolationLevel level;
    Model kept;  ///< what the level promises, and the bug breaks
};

class Planted : public ::testing::TestWithParam<Plant> {};

TEST_P(Planted, IsFound) {
    const Plant& plant = GetParam();
    std::size_t with_bug = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        std::set<history::TransactionId> accused;
        WorkloadOptions workload;
        workload.seed = seed;
        workload.level = plant.level;
        workload.transactions = transactions() / 20;
        workload.bug = plant.bug;
        workload.bug_chance = 0.1;
        workload.abort_share = 0.2;
        if (plant.bug == Bug::phantom) {
            workload.condition_share = 0.3;
            workload.bug_chance = 0.5;
            workload.held_back = 0;
        }
        EngineOptions options = live_options();
        options.arrival_skew = std::chrono::seconds{1};  // nothing retires: stale reads go far back
        options.on_anomaly = [&](Anomaly&& anomaly) {
            if (anomaly.violates.has(plant.kept)) {
                for (const auto& involved : anomaly.transactions) {
                    accused.insert(involved.id);
                }
            }
        };
        Engine engine{options};
        Workload run{workload, engine};
        run.run();
        engine.finish();
        for (const history::TransactionId id : run.bugged()) {
            ++with_bug;
            EXPECT_TRUE(accused.contains(id))
                << "seed " << seed << ", T" << static_cast<std::uint64_t>(id);
        }
    }
    EXPECT_GT(with_bug, 0U) << "the bug never showed";
}

INSTANTIATE_TEST_SUITE_P(
    Sim, Planted,
    ::testing::Values(Plant{"lost_write", Bug::lost_write, IsolationLevel::snapshot,
                            Model::strong_snapshot_isolation},
                      Plant{"dirty_read", Bug::dirty_read, IsolationLevel::read_committed,
                            Model::strong_read_committed},
                      Plant{"skipped_lock", Bug::skipped_lock, IsolationLevel::read_committed,
                            Model::strong_read_committed},
                      Plant{"forked_version", Bug::forked_version, IsolationLevel::snapshot,
                            Model::strong_snapshot_isolation},
                      Plant{"stale_snapshot", Bug::stale_snapshot, IsolationLevel::snapshot,
                            Model::strong_snapshot_isolation},
                      Plant{"unrepeatable_read", Bug::unrepeatable_read, IsolationLevel::snapshot,
                            Model::strong_snapshot_isolation},
                      Plant{"phantom", Bug::phantom, IsolationLevel::serializable,
                            Model::serializable},
                      Plant{"skipped_validation", Bug::skipped_validation,
                            IsolationLevel::serializable, Model::strict_serializable}),
    [](const auto& parameter) { return std::string{parameter.param.name}; });

}  // namespace
}  // namespace isotap::sim
