// The levels as their definitions have them (Biswas and Enea, OOPSLA 2019): there is a total order
// of commits that extends sessions and reads and satisfies the axiom of the level. Small histories
// can try every order; the checker must agree with that on all of them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/analysis/registers/answers.hpp"

namespace isotap::analysis {
namespace {

constexpr int keys = 2;

struct SmallRead {
    int key;
    int writer;  ///< 0: the initial state
};
struct SmallTransaction {
    int session = 0;
    std::vector<SmallRead> reads;
    std::array<bool, keys> writes{};
};
/// Transactions 1 … n in session order; 0 is the initial state.
using SmallHistory = std::vector<SmallTransaction>;

SmallHistory random_history(std::mt19937& random) {
    const auto below = [&](int bound) {
        return static_cast<int>(random() % static_cast<unsigned>(bound));
    };
    const int count = 2 + below(4);
    const int sessions = 1 + below(3);
    SmallHistory history(static_cast<std::size_t>(count) + 1);
    history[0].writes.fill(true);
    for (int t = 1; t <= count; ++t) {
        auto& transaction = history[static_cast<std::size_t>(t)];
        transaction.session = below(sessions);
        for (bool& writes : transaction.writes) {
            writes = below(2) == 0;
        }
    }
    for (int t = 1; t <= count; ++t) {
        for (int reads = below(4); reads > 0; --reads) {
            const int key = below(keys);
            const int writer = below(count + 1);
            if (writer != t &&
                history[static_cast<std::size_t>(writer)].writes[static_cast<std::size_t>(key)]) {
                history[static_cast<std::size_t>(t)].reads.push_back({key, writer});
            }
        }
    }
    return history;
}

/// Reads first, then writes; values are the numbers of their writers.
std::string spell(const SmallHistory& history) {
    std::string text;
    for (int session = 0; session < 3; ++session) {
        for (std::size_t t = 1; t < history.size(); ++t) {
            if (history[t].session != session) {
                continue;
            }
            text += "[";
            for (const SmallRead& read : history[t].reads) {
                text += "k" + std::to_string(read.key) + "==" + std::to_string(read.writer) + " ";
            }
            for (int key = 0; key < keys; ++key) {
                if (history[t].writes[static_cast<std::size_t>(key)]) {
                    text += "k" + std::to_string(key) + ":=" + std::to_string(t) + " ";
                }
            }
            text += "] ";
        }
        text += "\n---\n";
    }
    return text;
}

using Relation = std::vector<std::vector<bool>>;

class AllOrders {
  public:
    explicit AllOrders(const SmallHistory& history)
        : history_(history),
          size_(history.size()),
          known_(size_, std::vector<bool>(size_)),
          causal_(known_) {
        for (std::size_t t = 1; t < size_; ++t) {
            known_[0][t] = true;
            for (std::size_t later = t + 1; later < size_; ++later) {
                known_[t][later] = history[t].session == history[later].session;
            }
            for (const SmallRead& read : history[t].reads) {
                known_[static_cast<std::size_t>(read.writer)][t] = true;
            }
        }
        causal_ = known_;
        for (std::size_t k = 0; k < size_; ++k) {
            for (std::size_t i = 0; i < size_; ++i) {
                for (std::size_t j = 0; j < size_; ++j) {
                    causal_[i][j] = causal_[i][j] || (causal_[i][k] && causal_[k][j]);
                }
            }
        }
    }

    /// Of each level, whether some order satisfies it.
    std::string answers() {
        std::string found(6, 'F');
        std::vector<std::size_t> order(size_ - 1);
        std::iota(order.begin(), order.end(), std::size_t{1});
        do {
            place_.assign(size_, 0);
            for (std::size_t i = 0; i < order.size(); ++i) {
                place_[order[i]] = i + 1;
            }
            if (extends_known()) {
                for (std::size_t level = 0; level < found.size(); ++level) {
                    if (found[level] == 'F' && satisfies(level)) {
                        found[level] = 'P';
                    }
                }
            }
        } while (std::next_permutation(order.begin(), order.end()));
        return found;
    }

  private:
    [[nodiscard]] bool before(std::size_t a, std::size_t b) const { return place_[a] < place_[b]; }

    [[nodiscard]] bool extends_known() const {
        for (std::size_t a = 0; a < size_; ++a) {
            for (std::size_t b = 0; b < size_; ++b) {
                if (known_[a][b] && !before(a, b)) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Whoever must be visible to a read, and wrote its key, comes before the writer it saw.
    [[nodiscard]] bool satisfies(std::size_t level) const {
        for (std::size_t reader = 1; reader < size_; ++reader) {
            const auto& reads = history_[reader].reads;
            for (std::size_t i = 0; i < reads.size(); ++i) {
                const auto seen = static_cast<std::size_t>(reads[i].writer);
                for (std::size_t other = 0; other < size_; ++other) {
                    const bool wrote =
                        history_[other].writes[static_cast<std::size_t>(reads[i].key)];
                    if (other != seen && other != reader && wrote &&
                        visible(level, other, reader, i) && !before(other, seen)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    [[nodiscard]] bool visible(std::size_t level, std::size_t other, std::size_t reader,
                               std::size_t read) const {
        switch (level) {
            case 0:
                for (std::size_t i = 0; i < read; ++i) {
                    if (static_cast<std::size_t>(history_[reader].reads[i].writer) == other) {
                        return true;
                    }
                }
                return false;
            case 1: return known_[other][reader];
            case 2: return causal_[other][reader];
            case 3: return in_prefix(other, reader);
            case 4: return in_prefix(other, reader) || before_conflict(other, reader);
            default: return before(other, reader);
        }
    }

    [[nodiscard]] bool in_prefix(std::size_t other, std::size_t reader) const {
        for (std::size_t last = 0; last < size_; ++last) {
            if (known_[last][reader] && (other == last || before(other, last))) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool before_conflict(std::size_t other, std::size_t reader) const {
        for (std::size_t rival = 0; rival < size_; ++rival) {
            if (rival == reader || !before(rival, reader) ||
                (other != rival && !before(other, rival))) {
                continue;
            }
            for (std::size_t key = 0; key < keys; ++key) {
                if (history_[rival].writes[key] && history_[reader].writes[key]) {
                    return true;
                }
            }
        }
        return false;
    }

    const SmallHistory& history_;
    std::size_t size_;
    Relation known_;
    Relation causal_;
    std::vector<std::size_t> place_;
};

/// 8 000 histories by default; ISOTAP_SMALL_HISTORIES asks for more.
TEST(AllOrders, TheCheckerAgreesOnSmallHistories) {
    const char* asked = std::getenv("ISOTAP_SMALL_HISTORIES");
    const long rounds = asked != nullptr ? std::strtol(asked, nullptr, 10) : 8'000;
    std::mt19937 random(20'241'117);
    std::array<int, 6> violated{};
    for (long round = 0; round < rounds; ++round) {
        const SmallHistory history = random_history(random);
        const std::string expected = AllOrders(history).answers();
        const std::string text = spell(history);
        const auto read = test::registers(text, history::Format::dbcop_hist);
        ASSERT_EQ(test::answers(read), expected) << "round " << round << "\n" << text;
        for (std::size_t level = 0; level < violated.size(); ++level) {
            violated[level] += expected[level] == 'F' ? 1 : 0;
        }
    }
    for (const int count : violated) {
        EXPECT_GT(count, rounds / 100) << "the histories must break every level now and then";
    }
}

}  // namespace
}  // namespace isotap::analysis
