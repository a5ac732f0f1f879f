#include "protocol/ledger/reply_ledger.hpp"

#include <deque>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace isotap::protocol {
namespace {

enum class Owed { row, done };
using Ledger = ReplyLedger<Owed>;

TEST(ReplyLedger, GivesBackInOrderWhatEachRequestKept) {
    Ledger ledger(8, 1024);
    ASSERT_TRUE(ledger.push(Owed::row, Time{}, as_bytes("first")));
    ASSERT_TRUE(ledger.push(Owed::done, Time{}, as_bytes("second"), true, Treatment::swallow));

    EXPECT_EQ(ledger.front().reply, Owed::row);
    EXPECT_EQ(ledger.front().treatment, Treatment::forward);
    EXPECT_EQ(as_text(ledger.kept()), "first");
    ledger.pop();
    EXPECT_EQ(ledger.front().reply, Owed::done);
    EXPECT_EQ(ledger.front().treatment, Treatment::swallow);
    EXPECT_TRUE(ledger.front().cut);
    EXPECT_EQ(as_text(ledger.kept()), "second");
    ledger.pop();
    EXPECT_TRUE(ledger.empty());
}

TEST(ReplyLedger, RefusesMoreThanItsBound) {
    Ledger ledger(2, 1024);
    EXPECT_TRUE(ledger.push(Owed::row, Time{}));
    EXPECT_TRUE(ledger.push(Owed::row, Time{}));
    EXPECT_FALSE(ledger.push(Owed::row, Time{}));
    EXPECT_EQ(ledger.size(), 2U);
}

TEST(ReplyLedger, ForgetsATextRatherThanOutgrowItsBound) {
    Ledger ledger(8, 6);
    ASSERT_TRUE(ledger.push(Owed::row, Time{}, as_bytes("abcd")));
    ASSERT_TRUE(ledger.push(Owed::done, Time{}, as_bytes("efgh")));
    ledger.pop();
    EXPECT_EQ(ledger.front().reply, Owed::done);
    EXPECT_TRUE(ledger.front().cut);
    EXPECT_EQ(as_text(ledger.kept()), "");
}

TEST(ReplyLedger, DropsBehindTheFrontUpToTheStop) {
    Ledger ledger(8, 1024);
    for (const char* kept : {"front", "drop", "stay", "stop", "beyond"}) {
        ASSERT_TRUE(ledger.push(Owed::row, Time{}, as_bytes(std::string_view(kept))));
    }
    std::size_t seen = 0;
    ledger.drop_behind_front([&seen](const Ledger::Entry&) { return ++seen == 1; },
                             [](const Ledger::Entry& entry) { return entry.kept_size == 6; });
    std::string order;
    for (; !ledger.empty(); ledger.pop()) {
        order += std::string(as_text(ledger.kept())) + ' ';
    }
    EXPECT_EQ(order, "front stay stop beyond ");
}

/// Against a plain deque, over long runs of every operation, dry and never dry.
TEST(ReplyLedger, BehavesAsAQueueDoes) {
    for (const unsigned seed : {1U, 2U, 3U}) {
        std::mt19937 random(seed);
        Ledger ledger(200, 1 << 20);
        std::deque<std::pair<Owed, std::string>> model;
        for (int step = 0; step < 20'000; ++step) {
            const bool push = model.empty() || (model.size() < 150 && random() % 100 < 50);
            if (push) {
                const Owed owed = random() % 2 == 0 ? Owed::row : Owed::done;
                std::string kept(random() % 40, static_cast<char>('a' + random() % 26));
                ASSERT_TRUE(ledger.push(owed, Time{}, as_bytes(kept)));
                model.emplace_back(owed, std::move(kept));
            } else if (random() % 50 == 0) {
                const auto is_done = [](const Ledger::Entry& e) { return e.reply == Owed::done; };
                ledger.drop_behind_front(is_done, [](const Ledger::Entry&) { return false; });
                for (std::size_t i = 1; i < model.size();) {
                    if (model[i].first == Owed::done) {
                        model.erase(model.begin() + static_cast<std::ptrdiff_t>(i));
                    } else {
                        ++i;
                    }
                }
            } else {
                ledger.pop();
                model.pop_front();
            }
            ASSERT_EQ(ledger.size(), model.size());
            if (!model.empty()) {
                ASSERT_EQ(ledger.front().reply, model.front().first);
                ASSERT_EQ(as_text(ledger.kept()), model.front().second);
            }
        }
    }
}

}  // namespace
}  // namespace isotap::protocol
