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
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {
namespace {

constexpr std::uint32_t found_rows = 1U << 1;
constexpr std::uint8_t prepare = 0x16;
constexpr std::uint8_t execute = 0x17;
constexpr std::uint8_t fetch = 0x1c;
constexpr std::uint8_t reset_connection = 0x1f;

MysqlServer& server() {
    static MysqlServer one;
    return one;
}

/// The two columns, as `isotap schema add` makes them.
std::string with_versions(const std::string& table) {
    return "ALTER TABLE " + table +
           " ADD COLUMN isotap_rowid BIGINT UNSIGNED INVISIBLE NOT NULL DEFAULT (UUID_SHORT()),"
           " ADD COLUMN isotap_wlist VARCHAR(1000) CHARACTER SET ascii INVISIBLE NOT NULL"
           " DEFAULT 'T0';";
}

void make_tables() {
    server().sql(
        "DROP DATABASE shop; CREATE DATABASE shop; USE shop;"
        "CREATE TABLE item (id INT AUTO_INCREMENT PRIMARY KEY, v INT, n VARCHAR(30) UNIQUE,"
        " at DATETIME NULL ON UPDATE CURRENT_TIMESTAMP);"
        "CREATE TABLE sale (id INT PRIMARY KEY, item INT, price DECIMAL(8,2), note TEXT);"
        "CREATE TABLE acc (id INT PRIMARY KEY, bal INT);" +
        with_versions("item") + with_versions("sale") + with_versions("acc") +
        "INSERT INTO item (v, n) VALUES (1,'one'),(2,'two'),(3,'three'),(4,NULL);"
        "INSERT INTO sale VALUES (1,1,1.50,'a'),(2,2,2.50,NULL),(3,9,0.10,REPEAT('x',300));"
        "INSERT INTO acc SELECT seq, 100 FROM seq_1_to_20");
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

/// Reads of more than one block.
const std::vector<std::string>& nested_reads() {
    static const std::vector<std::string> all{
        "SELECT v, n FROM item UNION ALL SELECT id, note FROM sale ORDER BY 1, 2",
        "(SELECT id FROM item ORDER BY id LIMIT 2) UNION ALL SELECT 7",
        "SELECT COUNT(*) FROM item UNION ALL SELECT price FROM sale",
        "SELECT d.n, d.v FROM (SELECT v, n FROM item WHERE id < 4) d WHERE d.v > 1",
        "SELECT * FROM (SELECT v, n FROM item) d ORDER BY n DESC",
        "SELECT COUNT(*), MAX(d.v) FROM (SELECT v FROM item UNION ALL SELECT id FROM sale) d",
        "WITH c AS (SELECT id, n FROM item) SELECT c.n FROM c WHERE c.id > 2 ORDER BY c.id",
        "SELECT n FROM item WHERE EXISTS (SELECT 1 FROM sale WHERE sale.item = item.id)",
        "SELECT n, (SELECT MAX(price) FROM sale WHERE sale.item = item.id) FROM item",
        "SELECT n FROM item WHERE id IN (SELECT item FROM sale WHERE price > 0.5) ORDER BY id",
        "SELECT n, (SELECT MAX(v) FROM item) FROM item WHERE id > (SELECT MIN(id) FROM sale)",
        "SELECT n FROM item WHERE id IN (SELECT item FROM sale WHERE price > 1000)",
        "SELECT EXISTS (SELECT 1 FROM sale WHERE price > 2), (SELECT MIN(v) FROM item)",
        "SELECT id FROM item WHERE id NOT IN (SELECT item FROM sale) ORDER BY id",
        "SELECT v FROM item WHERE id < 3 EXCEPT SELECT id FROM sale",
    };
    return all;
}

const std::vector<std::string>& statements() {
    static const std::vector<std::string> all{
        "SELECT 1",
        "SELECT * FROM item",
        "SELECT v, n FROM item WHERE id < 3 ORDER BY id DESC",
        "SELECT i.n, s.price FROM item i LEFT JOIN sale s ON s.item = i.id ORDER BY i.id",
        "SELECT * FROM item NATURAL JOIN sale",
        "SELECT COUNT(*), SUM(v) FROM item",
        "SELECT n FROM item GROUP BY n",
        "SELECT DISTINCT v FROM item",
        "SELECT v FROM item UNION SELECT id FROM sale",
        "SELECT note FROM sale WHERE id = 3 FOR UPDATE",
        "SELECT * FROM item WHERE id = 77",
        "SELECT * FROM nowhere",
        "SELECT nothing FROM item",
        "SELEC 1",
        "SELECT v FROM item WHERE",
        "INSERT INTO item (v, n) VALUES (5, 'five')",
        "SELECT LAST_INSERT_ID()",
        "INSERT INTO item (v, n) VALUES (6, 'six'), (7, 'seven'), (8, 'eight')",
        "SELECT LAST_INSERT_ID()",
        "INSERT INTO item VALUES (50, 1, 'fifty', NULL)",
        "INSERT INTO item VALUES (60, 1, 'sixty', NULL), (61, 1, 'sixty-one', NULL)",
        "INSERT INTO item SET v = 9, n = 'nine'",
        "INSERT INTO item (v, n) VALUES (1, 'one')",
        "INSERT INTO item (v, n) VALUES ('word', 'ten')",
        "INSERT IGNORE INTO item (v, n) VALUES ('word', 'one')",
        "SHOW WARNINGS",
        "INSERT IGNORE INTO item (v, n) VALUES ('12 words', 'eleven')",
        "SHOW WARNINGS",
        "INSERT INTO sale SELECT id + 100, id, v, n FROM item WHERE id < 4",
        "INSERT INTO sale SELECT id + 100, id, v, n FROM item WHERE id > 1000",
        "INSERT INTO item () VALUES ()",
        "INSERT INTO sale VALUES (900, 1)",
        "INSERT INTO sale VALUES (901, 1, 2, 'r') RETURNING id, note",
        "REPLACE INTO sale VALUES (901, 2, 3, 's')",
        "REPLACE INTO sale VALUES (901, 2, 3, 't') RETURNING price",
        "INSERT INTO sale VALUES (901, 1, 1, 'u') ON DUPLICATE KEY UPDATE price = price + 1",
        "UPDATE item SET v = v + 1 WHERE id <= 3",
        "UPDATE item SET v = v WHERE id <= 3",
        "UPDATE item SET v = 20, n = CONCAT(n, '!') WHERE id = 2",
        "UPDATE item SET v = 20, n = 'two!' WHERE id = 2",
        "UPDATE item SET v = 1 WHERE id = 1000",
        "UPDATE item SET n = 'one' WHERE id = 2",
        "UPDATE item SET v = v + 1 WHERE id = 2",
        "UPDATE item i SET i.v = 3, i.n = UPPER(i.n) WHERE i.id IN (1, 3) ORDER BY id LIMIT 1",
        "UPDATE sale SET price = 10.40, note = 'A' WHERE id < 3",
        "UPDATE item JOIN sale ON item.id = sale.item SET item.v = 0",
        "SELECT id, v, n, at IS NULL FROM item ORDER BY id",
        "BEGIN",
        "UPDATE item SET v = 100 WHERE id = 1",
        "SAVEPOINT s",
        "DELETE FROM item WHERE id = 1",
        "SELECT * FROM item WHERE id = 1",
        "ROLLBACK TO s",
        "SELECT v FROM item WHERE id = 1 LOCK IN SHARE MODE",
        "ROLLBACK",
        "DELETE FROM sale WHERE id >= 100",
        "DELETE FROM sale WHERE id >= 100",
        "DELETE FROM sale WHERE id = 1 RETURNING note, price",
        "DELETE FROM item USING item JOIN sale ON item.id = sale.item",
        "CREATE TEMPORARY TABLE item (q INT)",
        "INSERT INTO item VALUES (1), (2)",
        "SELECT * FROM item",
        "UPDATE item SET q = 3",
        "DROP TEMPORARY TABLE item",
        "CREATE TABLE other (id INT PRIMARY KEY)",
        "INSERT INTO other VALUES (1)",
        "SELECT id FROM sale WHERE note LIKE '%;%' /* ; */;",
        "SET NAMES latin1",
        "SELECT n FROM item WHERE n = 'z\\'z'",
        "SET sql_mode = 'ANSI_QUOTES'",
        "SELECT \"n\" FROM item WHERE id = 3",
        "UPDATE \"item\" SET \"v\" = 4 WHERE id = 3",
        "SET autocommit = 0",
        "INSERT INTO acc VALUES (100, 1)",
        "UPDATE acc SET bal = bal + 1 WHERE id > 15",
        "COMMIT",
        "SELECT * FROM acc",
        "DELETE FROM acc WHERE id IN (7, 8, 9)",
        "SELECT ROW_COUNT(), 1",
        "SELECT ROW_COUNT()",
        "UPDATE acc SET bal = 0 WHERE id < 3",
        "SELECT ROW_COUNT()",
        "SELECT SQL_CALC_FOUND_ROWS id FROM acc LIMIT 2",
        "SELECT FOUND_ROWS()",
        "ROLLBACK",
    };
    return all;
}

std::string as_text(const std::vector<MysqlPacket>& packets) {
    static const char* const digits = "0123456789abcdef";
    std::string text;
    for (const MysqlPacket& packet : packets) {
        text += std::to_string(packet.sequence) + ":";
        for (const char c : packet.payload) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte < 0x7f) {
                text += c;
            } else {
                text += '\\';
                text += digits[byte >> 4];
                text += digits[byte & 15];
            }
        }
        text += '\n';
    }
    return text;
}

struct Said {
    std::string what;
    std::string answer;
};

/// The number of a prepared statement counts those of all sessions.
std::vector<MysqlPacket> without_number(std::vector<MysqlPacket> prepared) {
    if (prepared.front().head() == 0) prepared.front().payload.replace(1, 4, 4, '#');
    if (prepared.front().head() == 0xff) prepared.front().payload.resize(9);
    return prepared;
}

/// An EXECUTE of a statement without parameters.
std::string execution(std::uint32_t statement, bool cursor) {
    return mysql_number(statement, 4) + mysql_number(cursor ? 1 : 0, 1) + mysql_number(1, 4);
}

std::vector<Said> by_text(MysqlWire& wire) {
    std::vector<Said> said;
    for (const auto* all : {&nested_reads(), &statements()}) {
        for (const std::string& one : *all) {
            said.push_back({one, as_text(wire.query(one))});
        }
    }
    return said;
}

std::vector<Said> by_prepared_statements(MysqlWire& wire, bool cursor) {
    std::vector<Said> said;
    std::vector<std::string> all = nested_reads();
    all.insert(all.end(), statements().begin(), statements().end());
    for (const std::string& one : all) {
        if (one.find("ROW_COUNT") != std::string::npos) {
            continue;  // known: the first prepared one, right behind an OK that was made again
        }
        const std::vector<MysqlPacket> prepared = wire.command(prepare, one);
        said.push_back(
            {"prepare " + one,
             as_text(prepared.front().head() == 0xff ? prepared : without_number(prepared))});
        if (prepared.front().head() == 0xff) {
            continue;
        }
        const auto number = [&](std::size_t at) {
            return static_cast<std::uint8_t>(prepared.front().payload[at]);
        };
        const std::uint32_t id = number(1) + number(2) * 256U + number(3) * 65536U;
        for (int time = 0; time < 2; ++time) {
            const bool rows = number(5) != 0 && one.starts_with("SELECT");
            const auto reply = wire.command(execute, execution(id, cursor && rows));
            said.push_back({"execute " + one, as_text(reply)});
            if (cursor && rows && reply.front().head() != 0xff) {
                for (int i = 0; i < 3; ++i) {
                    const auto next = wire.command(fetch, mysql_number(id, 4) + mysql_number(2, 4));
                    said.push_back({"fetch " + one, as_text(without_number(next))});
                    if (next.front().head() == 0xff) break;
                }
            }
        }
        wire.send(mysql_command(0x19, mysql_number(id, 4)));
    }
    return said;
}

enum class Manner { text, prepared, cursor };

std::vector<Said> talk(std::uint16_t port, std::uint32_t capabilities, Manner manner) {
    make_tables();
    MysqlWire wire(Endpoint{port});
    MysqlLogin login;
    login.capabilities = capabilities;
    wire.log_in(login);
    wire.query("USE shop");
    wire.query("SET timestamp = 1700000000");
    std::vector<Said> said = manner == Manner::text
                                 ? by_text(wire)
                                 : by_prepared_statements(wire, manner == Manner::cursor);
    wire.query("SET autocommit = 1");
    wire.command(reset_connection);
    wire.query("SET timestamp = 1700000000");
    said.push_back({"after a reset", as_text(wire.query("SELECT id, v, n, at FROM item"))});
    return said;
}

void expect_same(const std::vector<Said>& direct, const std::vector<Said>& through) {
    ASSERT_EQ(direct.size(), through.size());
    for (std::size_t i = 0; i < direct.size(); ++i) {
        EXPECT_EQ(direct[i].answer, through[i].answer) << direct[i].what;
    }
}

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
