// What clients and servers of the MySQL family talk about: one entry shows one or more promises of
// docs/TRANSPARENCY.md.
#include <string>

#include "tests/wire/mysql_talk.hpp"

namespace isotap::test {
namespace {

using client_flag::deprecate_eof;
using client_flag::long_password;
using client_flag::multi_statements;
using client_flag::optional_metadata;
using client_flag::query_attributes;
using client_flag::session_track;

constexpr std::uint8_t quit = 0x01;
constexpr std::uint8_t init_db = 0x02;
constexpr std::uint8_t com_query = 0x03;
constexpr std::uint8_t field_list = 0x04;
constexpr std::uint8_t statistics = 0x09;
constexpr std::uint8_t process_info = 0x0a;
constexpr std::uint8_t debug = 0x0d;
constexpr std::uint8_t ping = 0x0e;
constexpr std::uint8_t change_user = 0x11;
constexpr std::uint8_t binlog_dump = 0x12;
constexpr std::uint8_t prepare = 0x16;
constexpr std::uint8_t execute = 0x17;
constexpr std::uint8_t send_long_data = 0x18;
constexpr std::uint8_t close_statement = 0x19;
constexpr std::uint8_t reset_statement = 0x1a;
constexpr std::uint8_t set_option = 0x1b;
constexpr std::uint8_t fetch = 0x1c;
constexpr std::uint8_t reset_connection = 0x1f;
constexpr std::uint8_t bulk_execute = 0xfa;

std::string n(std::uint64_t value, int width) {
    return mysql_number(value, width);
}

/// COM_STMT_EXECUTE without parameters.
std::string run(const std::string& id, std::uint8_t cursor = 0) {
    return id + n(cursor, 1) + n(1, 4);
}

/// One parameter, a text (type 253), with its type.
std::string run_with(const std::string& id, std::string_view text) {
    return run(id) + n(0, 1) + n(1, 1) + n(253, 2) + n(text.size(), 1) + std::string(text);
}

void make_table(MysqlTalk& talk) {
    talk.query("DROP TABLE IF EXISTS t");
    talk.query("CREATE TABLE t (a INT PRIMARY KEY, b TEXT)");
    talk.query("INSERT INTO t VALUES (1,'one'),(2,NULL),(3,'')");
}

void queries(MysqlTalk& talk) {
    make_table(talk);
    talk.query("SELECT a, b FROM t");
    talk.query("SELECT a FROM t WHERE a > 9");
    talk.query("UPDATE t SET b='x' WHERE a < 3");
    talk.query("SELECT nonsense");
    talk.query("");
    talk.query("SELECT 1/0");
    talk.query("SHOW WARNINGS");
}

void transactions(MysqlTalk& talk) {
    make_table(talk);
    for (const char* sql :
         {"BEGIN", "SAVEPOINT s", "DELETE FROM t WHERE a=1", "ROLLBACK TO s", "RELEASE SAVEPOINT s",
          "COMMIT AND CHAIN", "ROLLBACK", "START TRANSACTION READ ONLY", "DELETE FROM t", "COMMIT",
          "SET autocommit=0", "SELECT a FROM t", "CREATE TABLE IF NOT EXISTS u (a INT)",
          "SET autocommit=1", "XA START 'x'", "INSERT INTO t VALUES (9,'xa')", "XA END 'x'",
          "XA PREPARE 'x'", "XA ROLLBACK 'x'"}) {
        talk.query(sql);
    }
}

void session_state(MysqlTalk& talk) {
    talk.query("DROP TABLE IF EXISTS counted");
    talk.query("CREATE TABLE counted (a INT AUTO_INCREMENT PRIMARY KEY, b INT)");
    talk.query("INSERT INTO counted (b) VALUES (1),(2),(3)");
    talk.query("SELECT LAST_INSERT_ID(), ROW_COUNT()");
    talk.query("SELECT SQL_CALC_FOUND_ROWS a FROM counted LIMIT 1");
    talk.query("SELECT FOUND_ROWS()");
    talk.query("SELECT CAST('x' AS SIGNED)");
    talk.query("SELECT @@warning_count");
    talk.query("SHOW WARNINGS");
}

void several_statements(MysqlTalk& talk) {
    talk.query("SELECT 1; SELECT 2; SET @a=1; SELECT 3");
    talk.query("SELECT 1; SELECT nonsense; SELECT 3");
    talk.query("DROP PROCEDURE IF EXISTS p");
    talk.query("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2, 3; SET @b=4; END");
    talk.query("CALL p(); SELECT 9");
    talk.command(set_option, n(1, 2));
    talk.query("SELECT 1; SELECT 2");
    talk.command(reset_connection);
    talk.query("SELECT 1; SELECT 2");
    talk.command(set_option, n(0, 2));
    talk.query("SELECT 1; SELECT 2");
    talk.command(set_option, n(7, 2));
    talk.query("SELECT 1; SELECT 2");
}

/// Where they end, and what each of them leaves behind for the next.
void several_on_rows(MysqlTalk& talk) {
    make_table(talk);
    for (const char* sql :
         {"SELECT a, b FROM t WHERE a = 1; UPDATE t SET b = 'y' WHERE a < 3; SELECT b FROM t;",
          "INSERT INTO t VALUES (4,'four'),(5,NULL); SELECT ROW_COUNT(), FOUND_ROWS() ; ; \n",
          "BEGIN; DELETE FROM t WHERE a = 4; SELECT a FROM t ORDER BY a; ROLLBACK; SELECT a FROM t",
          "INSERT INTO t VALUES (6,'six'); INSERT INTO t VALUES (6,'again'); SELECT 1",
          "UPDATE t SET b = 1/0 WHERE a = 6; SHOW WARNINGS; SELECT b FROM t WHERE a = 6",
          "SELECT CAST('x' AS SIGNED); SELECT @@warning_count; SHOW WARNINGS",
          "SELECT 1; SELEC 2; SELECT 3 FROM t",
          "SELECT a FROM t WHERE a = 1; SELECT b FROM FROM t; SELECT 4",
          "SELEC 1; SELECT 2",
          "SELECT a FROM t WHERE a = 2;; SELECT 3",
          "SELECT a FROM t WHERE a = 3; -- a comment",
          "/* one */ SELECT a FROM t WHERE a = 3 /* two; */; SELECT 5 # the end",
          ";SELECT 1",
          "SET sql_mode = 'ANSI_QUOTES'; SELECT \"a\" FROM t; SET sql_mode = ''; SELECT \"a\"",
          "CREATE TABLE IF NOT EXISTS v (a INT); INSERT INTO v VALUES (1); DROP TABLE v; SELECT 6",
          "DROP PROCEDURE IF EXISTS q; CREATE PROCEDURE q() BEGIN SELECT 1; SELECT a FROM t; END",
          "SELECT a FROM t WHERE a = 1; CALL q(); SELECT 7 FROM t LIMIT 1",
          "SELECT a FROM t WHERE a = 1; PREPARE s FROM 'SELEC'; SELECT 8",
          "USE information_schema; SELECT DATABASE()",
          "SELECT nothing FROM nowhere; SELECT 1"}) {
        talk.query(sql);
    }
    talk.send(mysql_command(com_query, "SELECT 1; SELECT 2") + mysql_command(ping, "") +
              mysql_command(com_query, "SELECT 3; SELECT 4"));
    talk.reply_to(com_query);
    talk.reply_to(ping);
    talk.reply_to(com_query);
}

void prepared_statements(MysqlTalk& talk) {
    make_table(talk);
    talk.command(prepare, "SELECT a, b FROM t WHERE b = ?");
    const std::string select = talk.prepared();
    talk.command(execute, run_with(select, "one"));
    talk.command(execute, run(select) + n(0, 1) + n(0, 1) + n(3, 1) + "one");
    talk.command(prepare, "INSERT INTO t VALUES (7, ?)");
    const std::string insert = talk.prepared();
    // Long data has no reply: it travels in one segment with what uses it.
    talk.send(mysql_command(send_long_data, insert + n(0, 2) + "long ") +
              mysql_command(send_long_data, insert + n(0, 2) + "data") +
              mysql_command(execute, run(insert) + n(0, 1) + n(1, 1) + n(252, 2)));
    talk.reply_to(execute);
    talk.command(reset_statement, insert);
    // MariaDB numbers statements over all connections: the second number must be far away.
    talk.send(mysql_command(close_statement, insert) +
              mysql_command(close_statement, n(0x7ffffff0, 4)) +
              mysql_command(com_query, "SELECT b FROM t WHERE a = 7"));
    talk.reply_to(com_query);
    talk.command(execute, run(insert));
    talk.command(prepare, "SELECT nonsense");
    talk.command(prepare, "SET @a = 1");
    talk.command(execute, run(talk.prepared()));
    talk.query("ALTER TABLE t ADD c INT");
    talk.command(execute, run_with(select, "one"));
    talk.command(prepare, "SELECT * FROM t");
    talk.query("ALTER TABLE t DROP c");
    talk.command(execute, run(talk.prepared()));
}

void prepared_call(MysqlTalk& talk) {
    talk.query("DROP PROCEDURE IF EXISTS q");
    talk.query("CREATE PROCEDURE q(OUT x INT) BEGIN SELECT 1; SET x = 2; END");
    talk.command(prepare, "CALL q(@x)");
    talk.command(execute, run(talk.prepared()));
    talk.command(prepare, "CALL q(?)");
    talk.command(execute, run(talk.prepared()) + n(0, 1) + n(1, 1) + n(3, 2) + n(0, 4));
}

void cursors(MysqlTalk& talk) {
    make_table(talk);
    talk.command(prepare, "SELECT a, b FROM t");
    const std::string id = talk.prepared();
    constexpr std::uint8_t read_only = 1;
    talk.command(execute, run(id, read_only));
    talk.command(fetch, id + n(2, 4));
    talk.query("SELECT 'in between'");
    talk.command(fetch, id + n(2, 4));
    talk.command(fetch, id + n(2, 4));
    talk.command(execute, run(id, read_only));
    talk.command(reset_statement, id);
    talk.command(fetch, id + n(1, 4));
    talk.command(prepare, "SET @c = 1");
    talk.command(execute, run(talk.prepared(), read_only));
}

void local_files(MysqlTalk& talk) {
    talk.query("DROP TABLE IF EXISTS loaded");
    talk.query("CREATE TABLE loaded (a INT PRIMARY KEY)");
    const std::string load = "LOAD DATA LOCAL INFILE 'any' INTO TABLE loaded";
    talk.query(load);
    talk.send(mysql_packet(2, "1\n2\n") + mysql_packet(3, "3\n") + mysql_packet(4, ""));
    talk.one_packet();
    talk.query(load);
    talk.send(mysql_packet(2, ""));
    talk.one_packet();
    talk.query("LOAD DATA LOCAL INFILE 'any' INTO TABLE missing");
    talk.query("SET sql_mode='STRICT_ALL_TABLES'");
    talk.query("LOAD DATA LOCAL INFILE 'any' INTO TABLE loaded (nonsense)");
    talk.query("SELECT COUNT(*) FROM loaded");
}

/// Rows and statements around the size at which a packet needs a second frame.
void large_packets(MysqlTalk& talk) {
    constexpr int frame = 0xffffff;
    for (const int size : {frame - 5, frame - 4, frame - 3, frame, frame + 1}) {
        talk.query("SELECT REPEAT('x'," + std::to_string(size) + ")");
    }
    for (const int size : {frame - 2, frame - 1, frame}) {
        const std::string head = "SELECT 1 /*";
        talk.query(head + std::string(static_cast<std::size_t>(size) - head.size() - 2, 'y') +
                   "*/");
    }
}

void odd_commands(MysqlTalk& talk) {
    talk.command(ping);
    talk.command(init_db, "mysql");
    talk.command(init_db, "nowhere");
    talk.command(init_db, "shop");
    talk.send(mysql_command(statistics));
    talk.wire().read_reply(statistics);
    talk.command(ping);
}

void list_of_fields(MysqlTalk& talk) {
    make_table(talk);
    talk.command(field_list, std::string("t") + '\0');
    talk.command(ping);
}

void process_list(MysqlTalk& talk) {
    // Its rows differ from run to run: only its end must be found.
    talk.send(mysql_command(process_info));
    talk.wire().read_reply(process_info);
    talk.send(mysql_command(debug));
    talk.wire().read_reply(debug);
    talk.command(ping);
}

void reset(MysqlTalk& talk) {
    talk.query("SET @a=1");
    talk.query("BEGIN");
    talk.command(reset_connection);
    talk.query("SELECT @a");
}

void change_of_user(MysqlTalk& talk) {
    const auto change = [&](std::string_view user) {
        talk.send(mysql_command(change_user, std::string(user) + '\0' + n(0, 1) + "shop" + '\0' +
                                                 n(45, 2) + "mysql_native_password" + '\0'));
        for (;;) {
            const MysqlPacket packet = talk.wire().read();
            if (packet.payload.empty() || packet.head() == 0 || packet.head() == 0xff) {
                break;
            }
            talk.send(mysql_packet(static_cast<std::uint8_t>(packet.sequence + 1), ""));
        }
    };
    talk.query("SET @a=1");
    change("root");
    talk.query("SELECT @a, CURRENT_USER()");
    change("nobody");
    talk.command(ping);
}

void error_after_rows(MysqlTalk& talk) {
    make_table(talk);
    talk.query("SELECT a, IF(a < 3, 0, (SELECT a FROM t)) FROM t");
    talk.query("SELECT 1");
}

void last_word_with_the_request(MysqlTalk& talk) {
    talk.query("DROP TABLE IF EXISTS last");
    talk.query("CREATE TABLE last (a INT)");
    talk.send(mysql_command(com_query, "INSERT INTO last VALUES (1)") + mysql_command(quit));
    talk.to_the_end();
}

/// All that a client has sent before it stopped sending is run, and answered.
void end_behind_a_pipeline(MysqlTalk& talk) {
    make_table(talk);
    talk.send(mysql_command(com_query, "INSERT INTO t VALUES (11, 'x')") +
              mysql_command(com_query, "UPDATE t SET b = 'y' WHERE a > 1") +
              mysql_command(prepare, "DELETE FROM t WHERE a = 2") +
              mysql_command(com_query, "SELECT a, b FROM t ORDER BY a"));
    talk.wire().stream().end_sending();
    for (const std::uint8_t code : {com_query, com_query, prepare, com_query}) {
        talk.reply_to(code);
    }
    // Oracle's MySQL has an error for a client that does not say good-bye.
    while (!talk.wire().ended()) {
        talk.wire().read();
    }
}

void good_bye_of_the_server(MysqlTalk& talk) {
    talk.query("SET SESSION wait_timeout=1");
    talk.to_the_end();
}

void unknown_command(MysqlTalk& talk) {
    talk.command(0x77, "what");
    talk.query("SELECT 'still here'");
}

void replication(MysqlTalk& talk) {
    talk.command(binlog_dump, n(4, 4) + n(0, 2) + n(77, 4) + "no such file");
    talk.to_the_end();
}

void trackers(MysqlTalk& talk) {
    talk.query("SET SESSION session_track_system_variables='autocommit,sql_mode'");
    talk.query("SET SESSION session_track_transaction_info='CHARACTERISTICS'");
    talk.query("SET SESSION session_track_state_change=1");
    make_table(talk);
    talk.query("USE mysql");
    talk.query("USE shop");
    talk.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    talk.query("BEGIN");
    talk.query("SELECT a FROM t");
    talk.query("INSERT INTO t VALUES (5,'five')");
    talk.query("COMMIT");
}

void attributes(MysqlTalk& talk) {
    const std::string two = n(2, 1) + n(1, 1) + n(0, 1) + n(1, 1) + n(254, 2) + n(1, 1) + "k" +
                            n(8, 2) + n(1, 1) + "n" + n(5, 1) + "value" + n(42, 8);
    talk.query("SELECT 'none'");
    talk.command(com_query, two + "SELECT 'two'");
    talk.command(com_query, two + "BEGIN; COMMIT; SELECT 1");
}

void metadata_left_out(MysqlTalk& talk) {
    talk.query("SELECT 1");
    talk.query("SET resultset_metadata=NONE");
    talk.query("SELECT 1, 2");
    talk.command(prepare, "SELECT ?, 2");
    talk.command(execute, run_with(talk.prepared(), "x"));
    talk.query("SET resultset_metadata=FULL");
    talk.query("SELECT 1, 2");
}

void metadata_cached(MysqlTalk& talk) {
    make_table(talk);
    talk.command(prepare, "SELECT a, b FROM t");
    const std::string id = talk.prepared();
    talk.command(execute, run(id));
    talk.command(execute, run(id));
    talk.query("ALTER TABLE t MODIFY b VARCHAR(10)");
    talk.command(execute, run(id));
}

void bulk(MysqlTalk& talk) {
    make_table(talk);
    talk.command(prepare, "INSERT INTO t VALUES (?, 'bulk')");
    const std::string id = talk.prepared();
    // 128: types are sent. Three rows of one number each, each with its indicator.
    constexpr std::uint16_t with_types = 128;
    talk.command(bulk_execute, id + n(with_types, 2) + n(3, 2) + n(0, 1) + n(10, 4) + n(0, 1) +
                                   n(11, 4) + n(0, 1) + n(12, 4));
    talk.query("SELECT COUNT(*) FROM t");
    talk.command(bulk_execute, id + n(with_types, 2) + n(3, 2) + n(0, 1) + n(10, 4));
    // Executes what it prepares before it knows its number.
    talk.send(mysql_command(prepare, "SELECT 5") + mysql_command(execute, run(n(0xffffffff, 4))));
    talk.reply_to(prepare);
    talk.reply_to(execute);
    talk.query("INSERT INTO t VALUES (20,'r') RETURNING a, b");
    talk.command(prepare, "INSERT INTO t VALUES (?, 'r') RETURNING a");
    talk.command(execute, run(talk.prepared()) + n(0, 1) + n(1, 1) + n(3, 2) + n(21, 4));
}

void progress(MysqlTalk& talk) {
    make_table(talk);
    talk.query("SET progress_report_time=1");
    talk.query("ALTER TABLE t ENGINE=Aria");
    talk.query("ALTER TABLE t ENGINE=InnoDB");
    talk.query("SELECT 1");
}

std::function<void(MysqlTalk&)> logged_in(void (*hold)(MysqlTalk&), std::uint32_t capabilities,
                                          std::uint32_t mariadb = 0) {
    return [=](MysqlTalk& talk) {
        talk.log_in({.capabilities = capabilities,
                     .mariadb = mariadb,
                     .without = mariadb != 0 ? long_password : 0});
        hold(talk);
    };
}

std::vector<MysqlConversation> make_conversations() {
    const std::uint32_t modern = deprecate_eof | session_track | multi_statements;
    std::vector<MysqlConversation> all{
        {"refused_login", "MY-02 MY-07 X-08",
         [](MysqlTalk& talk) {
             talk.log_in({.user = "nobody"});
             talk.to_the_end();
         }},
        {"unknown_command", "X-13", logged_in(unknown_command, modern), "mariadb mysql", true},
        {"replication", "MY-34", logged_in(replication, 0), "mariadb mysql", true},
        {"session_trackers", "MY-30", logged_in(trackers, modern)},
        {"query_attributes", "MY-31", logged_in(attributes, modern | query_attributes), "mysql"},
        {"metadata_left_out", "MY-32", logged_in(metadata_left_out, modern | optional_metadata),
         "mysql"},
        {"metadata_left_out_with_eof", "MY-32", logged_in(metadata_left_out, optional_metadata),
         "mysql"},
        {"metadata_cached", "MY-32", logged_in(metadata_cached, modern, 1U << 4), "mariadb"},
        {"metadata_cached_with_eof", "MY-32", logged_in(metadata_cached, 0, 1U << 4), "mariadb"},
        {"bulk", "MY-09 MY-26 MY-33", logged_in(bulk, modern, 1U << 2), "mariadb"},
        {"extended_metadata", "MY-33", logged_in(queries, modern, 1U << 3), "mariadb"},
        {"progress", "MY-33", logged_in(progress, modern, 1U << 0), "mariadb"},
        {"large_packets", "MY-20 MY-22 X-02", logged_in(large_packets, modern), "mariadb mysql",
         false, true},
        {"good_bye_of_the_server", "MY-35 X-05", logged_in(good_bye_of_the_server, modern),
         "mariadb mysql", false, true},
        {"list_of_fields", "MY-34", logged_in(list_of_fields, modern), "mariadb mysql", false,
         false, true},
        {"list_of_fields_with_eof", "MY-34", logged_in(list_of_fields, 0), "mariadb mysql", false,
         false, true},
        {"local_files", "MY-24", logged_in(local_files, client_flag::local_files)},
        {"change_of_user", "MY-12", logged_in(change_of_user, modern)},
    };
    struct Twice {
        const char* name;
        const char* shows;
        void (*hold)(MysqlTalk&);
    };
    // These look different with and without CLIENT_DEPRECATE_EOF.
    for (const Twice& one :
         std::vector<Twice>{{"queries", "MY-01 MY-02 MY-03 MY-20 MY-21", queries},
                            {"transactions", "MY-20", transactions},
                            {"session_state", "MY-36", session_state},
                            {"several_statements", "MY-23", several_statements},
                            {"several_on_rows", "MY-23", several_on_rows},
                            {"prepared_statements", "MY-25 MY-26 MY-27 MY-28", prepared_statements},
                            {"prepared_call", "MY-23", prepared_call},
                            {"cursors", "MY-29", cursors},
                            {"odd_commands", "MY-34", odd_commands},
                            {"process_list", "MY-34", process_list},
                            {"reset", "MY-12", reset},
                            {"error_after_rows", "MY-35", error_after_rows},
                            {"end_behind_a_pipeline", "X-07", end_behind_a_pipeline},
                            {"last_word_with_the_request", "X-07", last_word_with_the_request}}) {
        all.push_back({one.name, one.shows, logged_in(one.hold, modern)});
        all.push_back({std::string(one.name) + "_with_eof", one.shows,
                       logged_in(one.hold, multi_statements)});
    }
    return all;
}

}  // namespace

const std::vector<MysqlConversation>& mysql_conversations() {
    static const std::vector<MysqlConversation> all = make_conversations();
    return all;
}

}  // namespace isotap::test
