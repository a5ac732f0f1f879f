#include "proxy/catalog/plan_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/catalog/asker.hpp"

namespace isotap::proxy {
namespace {

/// What the fake server below is, and what it was asked. The test changes it only while nothing is
/// asked for.
struct Server {
    bool reachable = true;
    bool takes_rewritten = true;
    std::string signature = "one";
    std::string table = "account";
    int connections = 0;
    int proofs = 0;
};

class FakeSide final : public SideConnection {
  public:
    explicit FakeSide(Server& server) : server_(server) {}

    [[nodiscard]] std::uint32_t postgres_version() const override { return 150000; }
    Asked<void> enter(const sql::PlanContext& context, const sql::LexerState&) override {
        if (context.user == "stranger") {
            return Trouble{PlanOutcome::not_as_user, "no side connection as this user", {}};
        }
        return {};
    }
    Asked<NamesKnown> look_up(const NamesAsked& names) override {
        TableFacts facts;
        facts.identity = "public." + server_.table;
        facts.kind = sql::TableKind::ordinary;
        facts.columns = {"id", "balance"};
        facts.key = {"id"};
        facts.key_text = {KeyText::plain};
        NamesKnown known;
        for (const TableName& name : names.tables) {
            if (name.second == server_.table) {
                known.tables.emplace_back(name, facts);
            }
        }
        return known;
    }
    Asked<void> prove(const Proof&) override {
        ++server_.proofs;
        if (!server_.takes_rewritten) {
            return Trouble{PlanOutcome::refuted, "rewritten text refused", {}};
        }
        return {};
    }
    Asked<std::string> signature() override { return server_.signature; }

  private:
    Server& server_;
};

class PlanBookTest : public testing::Test {
  protected:
    static Upstream upstream() {
        Upstream made;
        made.dialect = history::Dialect::postgres;
        return made;
    }
    CatalogThread::Connect connect() {
        return
            [this](const Upstream&, const std::string&) -> Asked<std::unique_ptr<SideConnection>> {
                ++server.connections;
                if (!server.reachable) {
                    return Trouble{PlanOutcome::no_connection, "no side connection", "refused"};
                }
                return std::unique_ptr<SideConnection>(std::make_unique<FakeSide>(server));
            };
    }

    Server server;
    const sql::PlanContext context{"shop", "app", "", "", "", ""};
    Asker asker{upstream(), Versions::automatic, Prove::now, connect()};
};

TEST_F(PlanBookTest, MakesAPlanOnceForAllStatementsOfAShape) {
    EXPECT_EQ(asker.find("select * from account where id = 1", context), nullptr);
    asker.wait();
    const auto plan = asker.find("select * from account where id = 1", context);
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->coverage, history::Coverage::full);
    EXPECT_TRUE(plan->rewrites());
    EXPECT_EQ(asker.find("select * from account where id = 2", context), plan);
    EXPECT_EQ(server.proofs, 1);
    EXPECT_EQ(asker.count(PlanOutcome::proved), 1U);
}

TEST_F(PlanBookTest, LetsNobodyWaitForWhatTouchesNoTable) {
    for (const char* text : {"begin", "set x = 1", "select 1", "create table t ()",
                             "copy t from "
                             "stdin",
                             "select now()"}) {
        const auto plan = asker.find(text, context);
        ASSERT_NE(plan, nullptr) << text;
        EXPECT_FALSE(plan->rewrites()) << text;
    }
    EXPECT_EQ(server.connections, 0);
}

TEST_F(PlanBookTest, ReleasesEverySessionThatWaits) {
    asker.session = history::SessionId{1};
    EXPECT_EQ(asker.find("select id from account", context), nullptr);
    asker.session = history::SessionId{2};
    EXPECT_EQ(asker.find("select id from account", context), nullptr);
    const auto insisting = asker.find("select id from account", context, true);
    ASSERT_NE(insisting, nullptr);
    EXPECT_EQ(insisting->reason, "not proved yet");
    asker.wait();
    EXPECT_EQ(server.proofs, 1);
    EXPECT_NE(asker.find("select id from account", context), nullptr);
}

TEST_F(PlanBookTest, DropsWhatItKnewWhenTheSchemaChanges) {
    EXPECT_TRUE(asker.plan("select id from account", context)->rewrites());
    server.table = "konto";
    asker.change_schema(context);
    const auto plan = asker.plan("select id from account", context);
    EXPECT_FALSE(plan->rewrites());
    EXPECT_EQ(plan->reason, "unknown table");
}

TEST_F(PlanBookTest, KeepsContextsApart) {
    EXPECT_TRUE(asker.plan("select id from account", context)->rewrites());
    sql::PlanContext stranger = context;
    stranger.user = "stranger";
    const auto plan = asker.plan("select id from account", stranger);
    EXPECT_EQ(plan->reason, "no side connection as this user");
    EXPECT_EQ(asker.count(PlanOutcome::not_as_user), 1U);
}

TEST_F(PlanBookTest, AddsNothingThatWasNotProved) {
    server.takes_rewritten = false;
    const auto plan = asker.plan("select id from account", context);
    EXPECT_FALSE(plan->rewrites());
    EXPECT_EQ(plan->reason, "rewritten text refused");
    EXPECT_EQ(asker.count(PlanOutcome::refuted), 1U);
}

TEST_F(PlanBookTest, WorksWithoutASideConnectionAndAsksSeldom) {
    server.reachable = false;
    for (const char* text : {"select id from account", "select balance from account"}) {
        const auto plan = asker.plan(text, context);
        EXPECT_EQ(plan->coverage, history::Coverage::opaque);
        EXPECT_EQ(plan->reason, "no side connection");
    }
    EXPECT_EQ(server.connections, 1);
}

TEST_F(PlanBookTest, HoldsNoMorePlansThanItMay) {
    asker.limits.cached_plans = 16;
    for (int i = 0; i < 40; ++i) {
        EXPECT_TRUE(asker.plan("select id as c" + std::to_string(i) + " from account", context)
                        ->rewrites());
    }
    EXPECT_EQ(server.proofs, 40);
    asker.plan("select id as c39 from account", context);
    EXPECT_EQ(server.proofs, 40);
    asker.plan("select id as c0 from account", context);
    EXPECT_EQ(server.proofs, 41);
}

TEST_F(PlanBookTest, KnowsNoMoreContextsThanItMay) {
    asker.limits.plan_contexts = 1;
    EXPECT_TRUE(asker.plan("select id from account", context)->rewrites());
    sql::PlanContext other = context;
    other.database = "other";
    EXPECT_EQ(asker.plan("select id from account", other)->reason, "too many contexts");
}

TEST(PlanBookLater, NeverLetsAClientWait) {
    Server server;
    Upstream upstream;
    upstream.dialect = history::Dialect::postgres;
    Asker asker(upstream, Versions::automatic, Prove::later,
                [&](const Upstream&, const std::string&) -> Asked<std::unique_ptr<SideConnection>> {
                    return std::unique_ptr<SideConnection>(std::make_unique<FakeSide>(server));
                });
    const auto plan = asker.find("select id from account", {});
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->reason, "not proved yet");
}

}  // namespace
}  // namespace isotap::proxy
