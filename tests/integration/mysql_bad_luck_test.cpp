// What goes wrong around captured statements of the MySQL family harms no client: it gets what it
// gets directly, and the reason is told.
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* account =
    "use shop; drop table if exists account; drop table if exists moved;"
    "create table account (id int primary key, balance int not null, note varchar(40));"
    "insert into account values (1, 100, 'a'), (2, 100, 'b'), (3, 100, 'c');";

const std::vector<std::string> statements{
    "select * from account where id < 3", "update account set balance = balance + 1 where id < 3",
    "insert into account (id, balance, note) values (9, 1, 'n')",
    "delete from account where id = 9", "select balance from account where id = 1"};

/// A client that keeps what it is told.
class Listener {
  public:
    explicit Listener(std::uint16_t port) : wire_({.port = port}) {
        EXPECT_EQ(wire_.log_in().head(), 0);
    }

    std::string& said() noexcept { return said_; }

    void say(const std::string& sql) { note(sql, wire_.query(sql)); }

    void prepare(const std::string& sql) {
        constexpr std::uint8_t prepare_command = 0x16;
        const auto reply = wire_.command(prepare_command, sql);
        EXPECT_EQ(reply.front().head(), 0) << reply.front().payload;
        prepared_.push_back(reply.front().payload.substr(1, 4));
    }
    void execute_all() {
        constexpr std::uint8_t execute_command = 0x17;
        for (const std::string& id : prepared_) {
            note("execute",
                 wire_.command(execute_command, id + mysql_number(0, 1) + mysql_number(1, 4)));
        }
    }

  private:
    void note(const std::string& what, const std::vector<MysqlPacket>& reply) {
        said_ += what.substr(0, 80) + ':';
        for (const MysqlPacket& packet : reply) {
            said_ += ' ' + packet.payload;
        }
        said_ += '\n';
    }

    MysqlWire wire_;
    std::string said_;
    std::vector<std::string> prepared_;
};

class MysqlBadLuck : public testing::TestWithParam<MysqlFlavour> {
  protected:
    using Talk = std::function<void(Listener&)>;

    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    }

    void serve(std::vector<std::string> settings = {}) {
        server_ = std::make_unique<MysqlServer>(
            MysqlOptions{.flavour = GetParam(), .settings = std::move(settings)});
        server_->sql(account);
    }
    [[nodiscard]] Finished add_columns() const {
        return run({.arguments = {isotap_program(), "schema", "add", server_->url()}});
    }
    /// A proxy whose side connection logs in so.
    void listen(const std::string& login = "tap") {
        isotap_ = std::make_unique<IsotapProcess>(
            "mysql://" + login + "@127.0.0.1:" + std::to_string(server_->port()) + "/shop",
            std::vector<std::string>{"--mode", "instrument", "--admin", "127.0.0.1:0",
                                     "--limits.plan-wait", "30s", "--on-overload", "block"});
    }

    /// The same talk, each time after the same beginning: what is heard must be the same.
    void expect_same(const std::function<void()>& begin, const Talk& talk) {
        begin();
        Listener direct(server_->port());
        talk(direct);
        begin();
        Listener through(isotap_->port());
        talk(through);
        EXPECT_EQ(through.said(), direct.said());
    }

    [[nodiscard]] std::string coverage() { return isotap_->get("/api/coverage"); }

    /// Analysis comes a little behind the statements.
    void expect_told(const std::string& what) {
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        std::string told;
        do {
            told = coverage();
        } while (told.find(what) == std::string::npos &&
                 std::chrono::steady_clock::now() < deadline);
        EXPECT_THAT(told, HasSubstr(what));
    }

    /// A table with rows 1, 2, 3 …
    void make_large(const std::string& rows, const std::string& more) const {
        std::string text =
            "use shop; drop table if exists large; create table large (id int primary key, v int" +
            more + "); insert into large (id, v) values (1, 0);";
        for (std::size_t made = 1; made < std::stoul(rows); made *= 2) {
            const std::string next = "id + " + std::to_string(made);
            text.append("insert into large (id, v) select ").append(next);
            text.append(", 0 from large where ").append(next).append(" <= ").append(rows + ';');
        }
        server_->sql(text);
    }

    static void say_all(Listener& client) {
        for (const std::string& statement : statements) {
            client.say(statement);
        }
    }

    std::unique_ptr<MysqlServer> server_;
    std::unique_ptr<IsotapProcess> isotap_;
};

TEST_P(MysqlBadLuck, TheSideConnectionIsRefused) {
    serve();
    EXPECT_EQ(add_columns().exit_code, 0);
    listen("tap:wrong");
    expect_same([&] { server_->sql(account); }, say_all);
    expect_told("no side connection");
    EXPECT_THAT(isotap_->log(), HasSubstr("Access denied"));
}

TEST_P(MysqlBadLuck, TheServerHasNoConnectionLeft) {
    constexpr int most = 12;
    serve({"max-connections=" + std::to_string(most)});
    server_->sql("create user plain@'%'; grant all on shop.* to plain@'%'");
    EXPECT_EQ(add_columns().exit_code, 0);
    listen("plain");
    Listener client(isotap_->port());
    {
        std::vector<std::unique_ptr<Listener>> others;
        for (int i = 1; i < most; ++i) {
            others.push_back(std::make_unique<Listener>(server_->port()));
        }
        say_all(client);
        expect_told("no side connection");
        EXPECT_THAT(isotap_->log(), HasSubstr("Too many connections"));
    }
    // There is room again: it tries again after a while.
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (coverage().find("\"full\":0,") != std::string::npos &&
           std::chrono::steady_clock::now() < deadline) {
        client.say("update account set balance = balance + 1 where id = 1");
    }
    EXPECT_EQ(coverage().find("\"full\":0,"), std::string::npos);
}

TEST_P(MysqlBadLuck, TheSideConnectionMaySeeNothing) {
    serve();
    server_->sql(
        "create user blind@'%'; create user reader@'%'; grant select on shop.* to reader@'%'");
    EXPECT_EQ(add_columns().exit_code, 0);
    listen("blind");
    expect_same([&] { server_->sql(account); }, say_all);
    expect_told("\"reasons\":[{\"reason\":");
    listen("reader");
    const auto begin = [&] {
        server_->sql(account);
        EXPECT_EQ(add_columns().exit_code, 0);
    };
    expect_same(begin, say_all);
    expect_told("\"reasons\":[{\"reason\":");
}

TEST_P(MysqlBadLuck, TheNamesOfTheColumnsAreTaken) {
    serve();
    for (const char* taken :
         {"isotap_rowid int default 7, add column isotap_wlist varchar(9) default 'mine'",
          "isotap_wlist varchar(9) invisible default 'mine'",
          "isotap_rowid int not null default 3"}) {
        const auto begin = [&] {
            server_->sql(account + std::string("alter table account add column ") + taken);
        };
        begin();
        EXPECT_THAT(add_columns().output, HasSubstr("it has columns of these names already"));
        listen();
        expect_same(begin, [](Listener& client) {
            say_all(client);
            client.say("update account set isotap_wlist = 'own' where id = 2");
            client.say("select *, isotap_rowid, isotap_wlist from account");
        });
        expect_told("table without versions");
    }
}

TEST_P(MysqlBadLuck, TheTableIsAlteredBehindOurBack) {
    serve();
    listen();
    std::vector<std::string> changes{
        "alter table account add column more int",
        "alter table account drop column more",
        "alter table account modify balance bigint not null",
        "create index of_balance on account (balance)",
        "rename table account to moved; create table account (id int primary key, balance int, "
        "note varchar(40)); insert into account values (1, 5, 'new')",
        "drop table account; rename table moved to account",
        "alter table account modify note varchar(50) first",
        "alter table account drop column isotap_rowid"};
    const auto begin = [&] {
        server_->sql(account);
        EXPECT_EQ(add_columns().exit_code, 0);
    };
    const auto drop_a_trigger = [&] {
        const std::string drop = server_->sql(
            "select concat('drop trigger shop.', trigger_name) from information_schema.triggers "
            "where event_object_table = 'account' and event_manipulation = 'UPDATE' limit 1");
        server_->sql(drop);
    };
    expect_same(begin, [&](Listener& client) {
        for (const std::string& statement : statements) {
            client.prepare(statement);
        }
        const auto all = [&] {
            say_all(client);
            client.execute_all();
        };
        all();
        drop_a_trigger();
        all();
        for (const std::string& change : changes) {
            server_->sql("use shop; " + change);
            client.said() += change + '\n';
            say_all(client);
            // Known: what was prepared while the columns were there misses them.
            const bool keeps_columns = change.find("rename") == std::string::npos &&
                                       change.find("isotap") == std::string::npos;
            if (keeps_columns) {
                client.execute_all();
            }
        }
    });
    expect_told("\"reasons\":[{\"reason\":");
    EXPECT_EQ(isotap_->log().find("fuse"), std::string::npos) << isotap_->log();
}

/// A text that is longer when it is rewritten, values that are longer when they are compared, and
/// more rows than a text of the server's can name.
TEST_P(MysqlBadLuck, NothingLongFitsIntoAPacket) {
    serve({"max-allowed-packet=65536"});
    const auto begin = [&] {
        make_large("9999", ", w mediumtext");
        EXPECT_EQ(add_columns().exit_code, 0);
    };
    begin();
    listen();
    expect_same(begin, [](Listener& client) {
        for (const char* sql :
             {"update large set v = 1 where id = 1 and w <> 'a'",
              "select count(*) from large where w <> 'a'", "delete from large where w = 'a'",
              "insert into large values (10001, 1, 'a')"}) {
            client.say(sql);
            // The same shape, but long.
            std::string text = sql;
            client.say(text.replace(text.find("'a'") + 1, 1, 65'400 - text.size(), 'x'));
        }
        client.say("update large set v = v + 1");
        client.say("update large set w = '" + std::string(60'000, 'x') + "' where id = 5");
        client.say("update large set w = concat(w, 'y') where id = 5");
        client.say("select length(w) from large where id = 5");
    });
    expect_told("statement too long");
    expect_told("too many rows");
    EXPECT_EQ(isotap_->log().find("no side connection"), std::string::npos) << isotap_->log();
}

/// ISOTAP_UPDATED_ROWS asks for more of them: a million takes a while.
TEST_P(MysqlBadLuck, OneStatementWritesMoreRowsThanAreRecorded) {
    const char* asked = std::getenv("ISOTAP_UPDATED_ROWS");
    const std::string rows = asked == nullptr ? "12000" : asked;
    // As servers have it.
    serve(
        {GetParam() == MysqlFlavour::mysql ? "max-allowed-packet=64M" : "max-allowed-packet=16M"});
    make_large(rows, "");
    EXPECT_EQ(add_columns().exit_code, 0);
    listen();
    Listener client(isotap_->port());
    const std::size_t before = memory_of(isotap_->process().id()).peak;
    client.say("update large set v = v + 1");
    EXPECT_THAT(client.said(),
                HasSubstr("Rows matched: " + rows + "  Changed: " + rows + "  Warnings: 0"));
    client.say("delete from large");
    client.say("select 1");
    expect_told("too many rows\",\"count\":2");
    const std::size_t grown = memory_of(isotap_->process().id()).peak - before;
    EXPECT_LT(grown, 64U * 1024 * 1024);
    std::cout << grown / 1024 << " KiB for " << rows << " rows\n";
}

TEST_P(MysqlBadLuck, TheColumnsDoNotFit) {
    serve();
    std::string wide = "use shop; create table wide (c0 int primary key";
    for (int i = 1; i < 1017; ++i) {
        wide += ", c" + std::to_string(i) + " tinyint";
    }
    server_->sql(wide +
                 "); create table heavy (id int primary key, w varchar(65000) character set "
                 "latin1)");
    const Finished added = add_columns();
    EXPECT_NE(added.exit_code, 0) << added.output;
    EXPECT_THAT(added.output, HasSubstr("Row size too large"));
    listen();
    expect_same([&] { server_->sql("use shop; delete from wide; delete from heavy"); },
                [](Listener& client) {
                    for (const char* sql :
                         {"insert into wide (c0, c1016) values (1, 2)", "update wide set c5 = 5",
                          "select * from wide", "insert into heavy values (1, repeat('x', 65000))",
                          "update heavy set w = 'y'", "select * from heavy", "delete from wide",
                          "delete from heavy"}) {
                        client.say(sql);
                    }
                });
    expect_told("table without versions");
}

TEST_P(MysqlBadLuck, TheServerIsUpgradedUnderThePlans) {
    serve();
    EXPECT_EQ(add_columns().exit_code, 0);
    listen();
    const auto say_twice = [](Listener& client) {
        say_all(client);
        say_all(client);
    };
    {
        Listener early(isotap_->port());
        say_twice(early);
    }
    server_->kill();
    const MysqlFlavour other =
        GetParam() == MysqlFlavour::mariadb ? MysqlFlavour::mariadb_11 : MysqlFlavour::mariadb;
    if (!mysql_available(other)) GTEST_SKIP() << "both servers are needed";
    const std::uint16_t port = server_->port();
    server_ = std::make_unique<MysqlServer>(MysqlOptions{.flavour = other, .port = port});
    const auto begin = [&] {
        server_->sql(account);
        EXPECT_EQ(add_columns().exit_code, 0);
    };
    expect_same(begin, say_twice);
    expect_same([&] { server_->sql(account); }, say_twice);
}

TEST_P(MysqlBadLuck, TheServerIsStartedAgain) {
    serve();
    EXPECT_EQ(add_columns().exit_code, 0);
    listen();
    const std::string update = "update account set balance = 1 where id = 3";
    Listener(isotap_->port()).say(update);
    expect_told("\"full\":1");  // its rows are asked for when it has gone
    server_->kill();
    server_->start();
    Listener late(isotap_->port());
    late.say(update);
    EXPECT_THAT(late.said(), HasSubstr("Rows matched: 1"));
    // A side connection that found nobody meanwhile tries again after a while.
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (coverage().find("\"full\":1,") != std::string::npos &&
           std::chrono::steady_clock::now() < deadline) {
        late.say(update);
    }
    EXPECT_EQ(coverage().find("\"full\":1,"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlBadLuck,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
