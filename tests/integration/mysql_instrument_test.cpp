// What a client of MariaDB sees through an instrumented session is what it sees directly, packet by
// packet; and what the statements then tell is the truth.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "tests/integration/instrument_bridge.hpp"
#include "tests/integration/mysql_shop.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {
namespace {

constexpr std::uint32_t found_rows = 1U << 1;

MysqlServer& server() {
    static MysqlServer one;
    return one;
}

/// The two columns, as `isotap schema add` makes them.
std::string with_versions(const std::string& table) {
    return "ALTER TABLE " + table +
           " ADD COLUMN isotap_rowid CHAR(36) CHARACTER SET ascii INVISIBLE DEFAULT (UUID()),"
           " ADD COLUMN isotap_wlist VARCHAR(1000) CHARACTER SET ascii INVISIBLE NOT NULL"
           " DEFAULT 'T0';";
}

void make_tables() {
    server().sql(shop_tables() + with_versions("item") + with_versions("sale") +
                 with_versions("acc"));
}

std::vector<Said> talk(std::uint16_t port, std::uint32_t capabilities, Manner manner) {
    make_tables();
    return talk_about_the_shop(Endpoint{port}, capabilities, manner);
}

void name_tables(PlannedTables& plans) {
    plans.add("item", {"id", "v", "n", "at"}, "id");
    plans.add("sale", {"id", "item", "price", "note"}, "");
    plans.add("acc", {"id", "bal"}, "");
}

/// Says what happened, in numbers.
class Counting final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override {
        if (const auto* access = std::get_if<history::Access>(&event)) {
            ++accesses[access->kind];
        } else if (const auto* ended = std::get_if<history::StatementEnded>(&event)) {
            ++coverage[ended->coverage];
        }
    }
    std::map<history::AccessKind, int> accesses;
    std::map<history::Coverage, int> coverage;
};

using Parameters = std::tuple<Manner, std::uint32_t>;

class InstrumentedMariadb : public testing::TestWithParam<Parameters> {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mariadb)) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(InstrumentedMariadb, AnswersAsTheServerItself) {
    const auto& [manner, capabilities] = GetParam();
    PlannedTables plans;
    name_tables(plans);
    Counting events;
    const std::vector<Said> direct = talk(server().port(), capabilities, manner);
    InstrumentBridge bridge(server().port(), plans, events);
    expect_same(direct, talk(bridge.port(), capabilities, manner));
    EXPECT_EQ(bridge.surprises(), 0);
    EXPECT_GT(events.accesses[history::AccessKind::read], 20);
    EXPECT_GT(events.accesses[history::AccessKind::update], 5);
    EXPECT_GT(events.coverage[history::Coverage::full], 20);
}

TEST_P(InstrumentedMariadb, AnswersTheSameByteByByte) {
    const auto& [manner, capabilities] = GetParam();
    PlannedTables plans;
    name_tables(plans);
    Counting events;
    const std::vector<Said> direct = talk(server().port(), capabilities, manner);
    InstrumentBridge bridge(server().port(), plans, events);
    bridge.slice();
    expect_same(direct, talk(bridge.port(), capabilities, manner));
    EXPECT_EQ(bridge.surprises(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, InstrumentedMariadb,
    testing::Combine(testing::Values(Manner::text, Manner::prepared, Manner::cursor),
                     testing::Values(0U, client_flag::deprecate_eof, found_rows,
                                     client_flag::deprecate_eof | client_flag::session_track |
                                         client_flag::multi_statements | found_rows)));

// What subqueries and the source of an INSERT read is told row by row, and once.
TEST(CapturedReads, AreThoseOfEveryBlock) {
    if (!mysql_available(MysqlFlavour::mariadb)) GTEST_SKIP() << "no such server here";
    make_tables();
    PlannedTables plans;
    name_tables(plans);
    Counting events;
    InstrumentBridge bridge(server().port(), plans, events);
    MysqlWire wire(Endpoint{bridge.port()});
    wire.log_in();
    wire.query("USE shop");
    struct Case {
        const char* text;
        int reads;
        int locking_reads;
    };
    // Of the four items, the sales are of 1, 2 and 9.
    const Case cases[] = {
        {"SELECT id FROM item UNION ALL SELECT id FROM sale", 4 + 3, 0},
        {"SELECT COUNT(*) FROM (SELECT id FROM item) d WHERE d.id > 2", 2, 0},
        {"SELECT n FROM item WHERE id IN (SELECT item FROM sale)", 2 + 3, 0},
        {"SELECT n FROM item WHERE id NOT IN (SELECT item FROM sale)", 2 + 3, 0},
        {"SELECT EXISTS (SELECT 1 FROM sale WHERE price > 1)", 2, 0},
        {"SELECT n FROM item i WHERE EXISTS (SELECT 1 FROM sale WHERE item = i.id)", 2 + 2, 0},
        {"INSERT INTO sale SELECT id + 100, id, v, n FROM item WHERE id < 4", 0, 3},
        {"INSERT INTO sale SELECT i.id + 200, 1, v, n FROM item i JOIN acc USING (id)", 0, 4 + 4},
    };
    for (const Case& one : cases) {
        events.accesses.clear();
        events.coverage.clear();
        EXPECT_NE(wire.query(one.text).front().head(), 0xff) << one.text;
        wire.query("SELECT 1");
        EXPECT_EQ(events.accesses[history::AccessKind::read], one.reads) << one.text;
        EXPECT_EQ(events.accesses[history::AccessKind::locking_read], one.locking_reads);
        EXPECT_EQ(events.coverage[history::Coverage::full], 2) << one.text;
    }
    wire.query("UPDATE acc SET bal = bal + 1 WHERE id < 5");
    wire.query("SELECT 1");
    EXPECT_EQ(events.accesses[history::AccessKind::update], 4) << "the first of its session";
    events.coverage.clear();
    wire.query("SELECT n FROM item WHERE id IN (SELECT item FROM sale WHERE price > 1000)");
    EXPECT_EQ(events.coverage[history::Coverage::partial], 1) << "no row to tell what was read";
    EXPECT_EQ(bridge.surprises(), 0);
}

/// An engine that several sessions feed, each on a thread of its own, until it is asked.
class Judge final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override {
        const std::lock_guard lock(mutex_);
        if (!asked_) engine_.accept(event);
    }

    /// Final: sessions that end later are not heard any more.
    const analysis::Engine& finished() {
        const std::lock_guard lock(mutex_);
        if (!asked_) engine_.finish();
        asked_ = true;
        return engine_;
    }

  private:
    std::mutex mutex_;
    analysis::Engine engine_;
    bool asked_ = false;
};

/// Sessions of one database whose events an engine judges.
class Judged : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mariadb)) GTEST_SKIP() << "no such server here";
        make_tables();
        name_tables(plans_);
    }

    std::unique_ptr<MysqlWire> client(const std::string& level) {
        auto wire = std::make_unique<MysqlWire>(Endpoint{bridge_.port()});
        wire->log_in();
        wire->query("USE shop");
        wire->query("SET SESSION TRANSACTION ISOLATION LEVEL " + level);
        return wire;
    }

    std::vector<std::string> found() {
        std::vector<std::string> names;
        for (const analysis::Anomaly& one : judge_.finished().anomalies()) {
            names.push_back(analysis::name_of(one.kind));
        }
        return names;
    }

    PlannedTables plans_;
    Judge judge_;
    InstrumentBridge bridge_{server().port(), plans_, judge_};
};

TEST_F(Judged, ALostUpdateIsFound) {
    const auto one = client("REPEATABLE READ");
    const auto other = client("REPEATABLE READ");
    one->query("BEGIN");
    other->query("BEGIN");
    one->query("SELECT bal FROM acc WHERE id = 1");
    other->query("SELECT bal FROM acc WHERE id = 1");
    one->query("UPDATE acc SET bal = 90 WHERE id = 1");
    one->query("COMMIT");
    other->query("UPDATE acc SET bal = 80 WHERE id = 1");
    other->query("COMMIT");
    EXPECT_EQ(found(), std::vector<std::string>{"lost-update"});
    EXPECT_EQ(bridge_.surprises(), 0);
}

TEST_F(Judged, WriteSkewIsFound) {
    const auto one = client("REPEATABLE READ");
    const auto other = client("REPEATABLE READ");
    for (MysqlWire* wire : {one.get(), other.get()}) {
        wire->query("BEGIN");
        wire->query("SELECT SUM(bal) FROM acc WHERE id IN (1, 2)");
    }
    one->query("UPDATE acc SET bal = 0 WHERE id = 1");
    other->query("UPDATE acc SET bal = 0 WHERE id = 2");
    one->query("COMMIT");
    other->query("COMMIT");
    EXPECT_EQ(found(), std::vector<std::string>{"G2-item"});
}

TEST_F(Judged, SerializableTransfersAreClean) {
    constexpr int clients = 32;
    constexpr int transfers = 12;
    std::vector<std::thread> threads;
    threads.reserve(clients);
    for (int i = 0; i < clients; ++i) {
        threads.emplace_back([this, i] {
            const auto wire = client("SERIALIZABLE");
            for (int n = 0; n < transfers; ++n) {
                const std::string from = std::to_string((i * 7 + n) % 4 + 1);
                const std::string to = std::to_string((i + n * 3) % 4 + 1);
                wire->query("BEGIN");
                bool good =
                    wire->query("SELECT bal FROM acc WHERE id = " + from).back().head() != 0xff;
                for (const auto& [id, change] : {std::pair(from, "- 1"), std::pair(to, "+ 1")}) {
                    good = good && wire->query("UPDATE acc SET bal = bal " + std::string(change) +
                                               " WHERE id = " + id)
                                           .front()
                                           .head() != 0xff;
                }
                wire->query(good ? "COMMIT" : "ROLLBACK");
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found(), std::vector<std::string>{});
    EXPECT_EQ(bridge_.surprises(), 0);
    const auto statistics = judge_.finished().statistics();
    EXPECT_GT(statistics.transactions.committed, 30U);
    EXPECT_GT(statistics.edges, 30U);
    EXPECT_EQ(statistics.unresolved, 0U);
}

}  // namespace
}  // namespace isotap::test
