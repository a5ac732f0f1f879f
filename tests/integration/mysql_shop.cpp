#include "tests/integration/mysql_shop.hpp"

#include <gtest/gtest.h>

namespace isotap::test {
namespace {

constexpr std::uint8_t prepare = 0x16;
constexpr std::uint8_t execute = 0x17;
constexpr std::uint8_t fetch = 0x1c;
constexpr std::uint8_t reset_connection = 0x1f;

/// Whether an index was used is said of the statement with its added columns, see TRANSPARENCY.md.
MysqlPacket without_index_flag(MysqlPacket packet) {
    constexpr std::size_t end_of_rows = 9;  // bytes, less than
    constexpr std::size_t status_at = 3;
    constexpr unsigned no_index_used = 0x20;
    if (packet.head() == 0xfe && packet.payload.size() < end_of_rows) {
        char& status = packet.payload.at(status_at);
        status = static_cast<char>(static_cast<unsigned char>(status) & ~no_index_used);
    }
    return packet;
}

std::string as_text(const std::vector<MysqlPacket>& packets) {
    static const char* const digits = "0123456789abcdef";
    std::string text;
    for (const MysqlPacket& one : packets) {
        const MysqlPacket packet = without_index_flag(one);
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

/// As wide as a length of one byte and its NULL bitmap allow, as the server allows, and beyond.
std::vector<std::string> wide_reads() {
    std::vector<std::string> reads;
    for (const int columns : {245, 246, 247, 248, 249, 250, 251, 252, 4'094, 4'096, 4'097}) {
        std::string list = "id";
        for (int i = 1; i < columns; ++i) {
            list += i % 3 == 0 ? ",NULL" : ",id";
        }
        reads.push_back("SELECT " + list + " FROM acc WHERE id < 3");
    }
    return reads;
}

std::vector<std::string> all_statements() {
    std::vector<std::string> all = wide_reads();
    for (const auto* more : {&nested_reads(), &shop_statements(), &session_statements()}) {
        all.insert(all.end(), more->begin(), more->end());
    }
    return all;
}

std::vector<Said> by_text(MysqlWire& wire) {
    std::vector<Said> said;
    for (const std::string& one : all_statements()) {
        said.push_back({one, as_text(wire.query(one))});
    }
    return said;
}

std::vector<Said> by_prepared_statements(MysqlWire& wire, bool cursor) {
    std::vector<Said> said;
    for (const std::string& one : all_statements()) {
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

}  // namespace

std::string shop_tables() {
    return "DROP DATABASE IF EXISTS shop; CREATE DATABASE shop; USE shop;"
           "CREATE TABLE item (id INT AUTO_INCREMENT PRIMARY KEY, v INT, n VARCHAR(30) UNIQUE,"
           " at DATETIME NULL ON UPDATE CURRENT_TIMESTAMP);"
           "CREATE TABLE sale (id INT PRIMARY KEY, item INT, price DECIMAL(8,2), note TEXT);"
           "CREATE TABLE acc (id INT PRIMARY KEY, bal INT);"
           "INSERT INTO item (v, n) VALUES (1,'one'),(2,'two'),(3,'three'),(4,NULL);"
           "INSERT INTO sale VALUES (1,1,1.50,'a'),(2,2,2.50,NULL),(3,9,0.10,REPEAT('x',300));"
           "INSERT INTO acc WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s"
           " WHERE n < 20) SELECT n, 100 FROM s;";
}

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
        "SELECT n, (SELECT MAX(price) FROM sale WHERE sale.item = item.id) FROM item"
        " WHERE id < 4 ORDER BY id",
        "SELECT n FROM item WHERE id IN (SELECT item FROM sale WHERE price > 0.5) ORDER BY id",
        "SELECT n, (SELECT MAX(v) FROM item) FROM item WHERE id > (SELECT MIN(id) FROM sale)",
        "SELECT n FROM item WHERE id IN (SELECT item FROM sale WHERE price > 1000)",
        "SELECT EXISTS (SELECT 1 FROM sale WHERE price > 2), (SELECT MIN(v) FROM item)",
        "SELECT id FROM item WHERE id NOT IN (SELECT item FROM sale) ORDER BY id",
        "SELECT v FROM item WHERE id < 3 EXCEPT SELECT id FROM sale",
    };
    return all;
}

const std::vector<std::string>& shop_statements() {
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
        "INSERT INTO acc VALUES (1, 5), (500, 6), (500, 7) ON DUPLICATE KEY UPDATE"
        " bal = acc.bal + VALUES(bal)",
        "INSERT INTO acc VALUES (1, 5) ON DUPLICATE KEY UPDATE bal = bal",
        "INSERT INTO acc SET id = 3, bal = 1 ON DUPLICATE KEY UPDATE bal = bal - 1",
        "INSERT INTO acc VALUES (501, 'word') ON DUPLICATE KEY UPDATE bal = 1",
        "INSERT INTO acc VALUES (501, 1), (1, 1) ON DUPLICATE KEY UPDATE id = 3",
        "INSERT INTO item (v, n) VALUES (1, 'one'), (2, 'new') ON DUPLICATE KEY UPDATE v = v + 1",
        "SELECT LAST_INSERT_ID()",
        "INSERT INTO item (v, n) VALUES (1, 'one') ON DUPLICATE KEY UPDATE"
        " id = LAST_INSERT_ID(id), v = 4",
        "SELECT LAST_INSERT_ID(), v FROM item WHERE n = 'one'",
        "INSERT IGNORE INTO acc VALUES (1, 1), (501, 1), (502, 1)",
        "INSERT IGNORE INTO item (v, n) VALUES (1, 'one'), (2, 'fresh'), (3, 'more')",
        "SELECT LAST_INSERT_ID()",
        "INSERT IGNORE INTO acc VALUES (503, 1), (504, 1)",
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
        "BEGIN",
        "UPDATE acc SET bal = (SELECT MAX(price) FROM sale WHERE item < 9) WHERE id < 3",
        "SELECT id FROM acc WHERE bal > (SELECT MIN(price) FROM sale) ORDER BY id",
        "UPDATE acc SET bal = (SELECT price FROM sale WHERE id = 2) WHERE id = 4",
        "SHOW WARNINGS",
        "INSERT INTO acc SELECT id + 300, item FROM sale WHERE price > 1 AND id < 100",
        "INSERT INTO acc VALUES (400, (SELECT COUNT(note) FROM sale))",
        "DELETE FROM acc WHERE id > 2 AND bal > (SELECT MAX(price) FROM sale WHERE id < 3)",
        "SELECT * FROM acc",
        "ROLLBACK",
        "DELETE FROM sale WHERE id >= 100",
        "DELETE FROM sale WHERE id >= 100",
        "DELETE FROM sale WHERE id = 1 RETURNING note, price",
        "DELETE FROM item USING item JOIN sale ON item.id = sale.item",
    };
    return all;
}

/// Tables, settings and counts of the session itself.
const std::vector<std::string>& session_statements() {
    static const std::vector<std::string> all{
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
        "SELECT SQL_CALC_FOUND_ROWS id, bal FROM acc LIMIT 2",
        "SELECT FOUND_ROWS()",
        "ROLLBACK",
    };
    return all;
}

std::vector<Said> talk_about_the_shop(const Endpoint& peer, std::uint32_t capabilities,
                                      Manner manner) {
    MysqlWire wire(peer);
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

}  // namespace isotap::test
