// Small histories of every kind, most of them broken, against the definition itself: a history is
// serializable when some order of its transactions explains every version that was seen and made.
// ISOTAP_BRUTE_HISTORIES makes it as many as one likes.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

namespace isotap::sim {
namespace {

using analysis::Engine;
using analysis::EngineOptions;
using history::TransactionId;
using history::Version;

struct Operation {
    std::size_t row = 0;
    bool writes = false;
    Version before;
};

struct SmallTransaction {
    std::uint64_t session = 0;
    int began = 0;
    int ended = 0;
    std::vector<Operation> operations;
};

using SmallHistory = std::vector<SmallTransaction>;

constexpr std::size_t rows_max = 4;

Version made_by(std::size_t transaction, std::size_t operation) {
    return Version::written_by(
        {TransactionId{transaction + 1}, static_cast<std::uint32_t>(operation + 1)});
}

/// Chains of writers in any order, and readers of any of their versions. Reads stand before the
/// writes of the same transaction, so that all of them are of what others made.
SmallHistory random_history(std::mt19937_64& random) {
    const auto below = [&random](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>{0, bound - 1}(random);
    };
    SmallHistory all(2 + below(6));
    const std::size_t rows = 1 + below(rows_max);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].session = 1 + below(4);
        all[i].began = static_cast<int>(below(20));
        all[i].ended = all[i].began + 1 + static_cast<int>(below(6));
        const std::size_t reads = below(4);
        for (std::size_t n = 0; n < reads; ++n) {
            all[i].operations.push_back({below(rows), false, {}});
        }
    }
    // The sessions of a history take turns: nobody is in two transactions at once.
    std::array<int, 5> free_at{};
    for (SmallTransaction& transaction : all) {
        const int length = transaction.ended - transaction.began;
        int& free = free_at[transaction.session];
        transaction.began = std::max(transaction.began, free + 1);
        transaction.ended = transaction.began + length;
        free = transaction.ended;
    }
    std::array<std::vector<Version>, rows_max> chain;
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t row = 0; row < rows; ++row) {
        std::shuffle(order.begin(), order.end(), random);
        chain[row].push_back(Version::initial());
        for (const std::size_t writer : order) {
            if (below(3) == 0) {
                auto& operations = all[writer].operations;
                operations.push_back({row, true, chain[row].back()});
                chain[row].push_back(made_by(writer, operations.size() - 1));
            }
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::array<Version, rows_max> seen{};
        for (Operation& operation : all[i].operations) {
            if (operation.writes) {
                continue;
            }
            Version& first = seen[operation.row];
            while (first.kind == history::VersionKind::unknown ||
                   first.writer == i + 1) {  // the same version each time, and no own one
                first = chain[operation.row][below(chain[operation.row].size())];
            }
            operation.before = first;
        }
    }
    return all;
}

bool explains(const SmallHistory& all, const std::vector<std::size_t>& order) {
    std::array<Version, rows_max> current;
    current.fill(Version::initial());
    for (const std::size_t i : order) {
        for (std::size_t n = 0; n < all[i].operations.size(); ++n) {
            const Operation& operation = all[i].operations[n];
            if (operation.before != current[operation.row]) {
                return false;
            }
            if (operation.writes) {
                current[operation.row] = made_by(i, n);
            }
        }
    }
    return true;
}

enum class Demand { none, sessions, real_time };

bool respects(const SmallHistory& all, const std::vector<std::size_t>& order, Demand demand) {
    for (std::size_t late = 1; late < order.size(); ++late) {
        for (std::size_t early = 0; early < late; ++early) {
            const SmallTransaction& first = all[order[early]];
            const SmallTransaction& second = all[order[late]];
            const bool ordered = second.ended < first.began;
            if (ordered && (demand == Demand::real_time ||
                            (demand == Demand::sessions && first.session == second.session))) {
                return false;
            }
        }
    }
    return true;
}

bool serializable(const SmallHistory& all, Demand demand) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        if (explains(all, order) && (demand == Demand::none || respects(all, order, demand))) {
            return true;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
}

Time at(int moment) {
    return Time{std::chrono::seconds{moment}};
}

/// Sessions one after the other, or all at once in a random order of ends: nothing may hang on it.
void play(const SmallHistory& all, std::mt19937_64& random, Engine& engine) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    std::stable_sort(order.begin(), order.end(), [&all](std::size_t a, std::size_t b) {
        return all[a].session < all[b].session ||
               (all[a].session == all[b].session && all[a].began < all[b].began);
    });
    for (const std::size_t i : order) {
        const TransactionId id{i + 1};
        engine.accept(history::TransactionBegan{history::SessionId{all[i].session}, id,
                                                at(all[i].began), false});
        for (std::size_t n = 0; n < all[i].operations.size(); ++n) {
            const Operation& operation = all[i].operations[n];
            engine.accept(history::Access{
                {id, static_cast<std::uint32_t>(n + 1)},
                history::NameId{1},
                {0, operation.row},
                operation.writes ? history::AccessKind::update : history::AccessKind::read,
                operation.before,
                operation.writes ? made_by(i, n) : Version{}});
        }
        engine.accept(history::TransactionEnded{id, at(all[i].ended), at(all[i].ended),
                                                history::Outcome::committed, false});
    }
    engine.finish();
}

std::uint64_t histories() {
    const char* wanted = std::getenv("ISOTAP_BRUTE_HISTORIES");
    return wanted == nullptr ? 2'000 : std::strtoull(wanted, nullptr, 10);
}

TEST(BruteForce, EveryOrderTriedByHandAgrees) {
    std::mt19937_64 random{20};
    std::uint64_t good = 0;
    const std::uint64_t count = histories();
    for (std::uint64_t n = 0; n < count; ++n) {
        const SmallHistory all = random_history(random);
        const auto demand = static_cast<Demand>(n % 3);
        std::vector<std::size_t> order;
        EngineOptions options;
        options.session_order = demand != Demand::none;
        options.real_time_order = demand == Demand::real_time;
        options.arrival_skew = std::chrono::hours{1};
        options.search_every = 1 + n % 4;
        options.on_serial_order = [&order](TransactionId id) {
            order.push_back(static_cast<std::size_t>(id) - 1);
        };
        Engine engine{options};
        play(all, random, engine);
        const bool expected = serializable(all, demand);
        ASSERT_EQ(engine.verdict() == analysis::Verdict::clean, expected) << "history " << n;
        ASSERT_EQ(engine.anomalies().empty(), expected) << "history " << n;
        if (expected) {
            ++good;
            ASSERT_EQ(order.size(), all.size());
            ASSERT_TRUE(explains(all, order))
                << "history " << n << ": the witness explains nothing";
            ASSERT_TRUE(respects(all, order, demand)) << "history " << n;
        }
    }
    // Both answers must have been put to the test.
    EXPECT_GT(good, count / 20);
    EXPECT_LT(good, count - count / 20);
}

}  // namespace
}  // namespace isotap::sim
