// Plans against a real MariaDB: what it says of tables, in which settings it is asked, and how
// changes are noticed.
#include <memory>
#include <mysql.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/catalog/mysql_login.hpp"
#include "proxy/ops/upstream_url.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/unit/proxy/catalog/asker.hpp"

namespace isotap::proxy {
namespace {

using history::Coverage;
using test::MysqlFlavour;
using test::MysqlOptions;
using test::MysqlServer;

class MysqlCatalog : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (!test::mysql_available(MysqlFlavour::mariadb)) return;
        server = std::make_unique<MysqlServer>(MysqlOptions{.tls = true});
    }
    static void TearDownTestSuite() { server.reset(); }

    void SetUp() override {
        if (!server) GTEST_SKIP() << "no MariaDB";
        server->sql("drop database if exists shop; create database shop");
        asker = ask_at(server->url());
    }

    static std::unique_ptr<Asker> ask_at(const std::string& url) {
        auto made = std::make_unique<Asker>(parse_upstream_url(url));
        made->lexing.mariadb = true;
        made->lexing.server_version = 101119;
        return made;
    }

    /// Runs the text in `shop` and gives its tables the columns.
    static void make(const std::string& text) {
        server->sql("use shop; " + text);
        const auto columns = auxiliary_columns(parse_upstream_url(server->url()));
        for (const AuxiliaryState& table : columns->tables()) {
            if (table.stage == AuxiliaryState::Stage::absent) {
                columns->add(table, [](std::uint64_t /*rows*/) {});
            }
        }
    }

    [[nodiscard]] std::string reason(const std::string& text) const {
        return std::string(asker->plan(text, context)->reason);
    }
    [[nodiscard]] bool rewrites(const std::string& text) const {
        return asker->plan(text, context)->rewrites();
    }
    [[nodiscard]] std::string identity(const std::string& text) const {
        const auto plan = asker->plan(text, context);
        return plan->tables.empty() ? std::string(plan->reason) : plan->tables.front().identity;
    }

    sql::PlanContext context{"shop", "tap", "", "", "", ""};
    std::unique_ptr<Asker> asker;
    static std::unique_ptr<MysqlServer> server;
};

std::unique_ptr<MysqlServer> MysqlCatalog::server;

TEST_F(MysqlCatalog, ProvesWhatClientsSend) {
    make("create table account (id int auto_increment primary key, owner text, balance int)");
    for (const char* text :
         {"select * from account", "select owner from account where id = ? for update",
          "update account set balance = balance + ? where id = ?",
          "delete from account where id = 3", "delete from account where id = 3 returning *",
          "insert into account values (1, 'ann', 10)", "insert into account (owner) values (?)",
          "select sum(balance) from account",
          "replace into account values (1, 'b', 2) returning id",
          "insert into account (owner) select owner from account where id < 3"}) {
        const auto plan = asker->plan(text, context);
        EXPECT_TRUE(plan->rewrites()) << text << ": " << plan->reason;
    }
    EXPECT_EQ(asker->count(PlanOutcome::proved), 10U);
    EXPECT_EQ(reason("select nothing from account"), "not prepared by itself");
}

TEST_F(MysqlCatalog, KnowsEveryKindOfTable) {
    make(R"(
        create table keyless (v int);
        create table `Odd ``Name` (`the "id` int primary key);
        create view seen as select * from keyless;
        create table part (id int primary key) partition by hash (id) partitions 3;
        create table loose (id int primary key) engine = myisam;
        create table old (id int primary key) with system versioning;
        create sequence numbers;
        create table watched (id int primary key, v int);
        create table taken (isotap_rowid int, isotap_wlist varchar(100) default 'T0');
        create table hidden (id int, v int invisible default 3);
    )");
    server->sql(
        "use shop; create table bare (id int primary key); "
        "create trigger w before update on watched for each row set new.v = 1");
    EXPECT_EQ(identity("select * from keyless"), "shop.keyless");
    EXPECT_EQ(identity("select * from `Odd ``Name`"), "shop.Odd `Name");
    EXPECT_EQ(reason("select * from seen"), "view");
    EXPECT_EQ(identity("select * from part"), "shop.part");
    for (const char* table : {"loose", "watched", "taken", "bare"}) {
        EXPECT_EQ(reason("select * from " + std::string(table)), "table without versions") << table;
    }
    EXPECT_FALSE(rewrites("select * from old"));
    EXPECT_FALSE(rewrites("select * from numbers"));
    EXPECT_EQ(reason("select * from nowhere"), "unknown table");
    EXPECT_EQ(reason("select * from KEYLESS"), "unknown table");
    EXPECT_TRUE(rewrites("insert into hidden values (1)"));
    EXPECT_FALSE(rewrites("insert into hidden values (1, 2)"));
}

/// What is read again behind a write depends on them.
TEST_F(MysqlCatalog, KnowsWhichColumnsHaveIndexes) {
    make(
        "create table plain (id int primary key, v int, w int); create table t (id int, v int);"
        "create table looked_up (id int primary key, v int, w int, n varchar(9), key (n(2), v))");
    const auto rereads = [this](const std::string& subquery) {
        return asker->plan("update t set v = (select " + subquery + ")", context)->reread.wanted();
    };
    EXPECT_TRUE(rereads("max(v) from plain where id > 3"));
    EXPECT_FALSE(rereads("max(id) from plain"));
    EXPECT_TRUE(rereads("max(w) from looked_up where id > 3"));
    EXPECT_FALSE(rereads("max(v) from looked_up"));
    EXPECT_FALSE(rereads("max(w) from looked_up where n = 'a'"));
    server->sql("create index w on shop.plain (w)");
    asker->change_schema(context);
    EXPECT_FALSE(rereads("max(v) from plain where w > 3"));
}

TEST_F(MysqlCatalog, CountsNoQuestionToTheServersOwnTables) {
    for (const char* text :
         {"select * from information_schema.tables", "select * from INFORMATION_SCHEMA.TABLES",
          "select user from mysql.user", "select * from performance_schema.threads"}) {
        EXPECT_EQ(asker->plan(text, context)->coverage, Coverage::none) << text;
    }
    context.database = "mysql";
    EXPECT_EQ(asker->plan("select user from user", context)->coverage, Coverage::none);
}

TEST_F(MysqlCatalog, ResolvesNamesInTheDatabaseOfTheSession) {
    make("create table t (id int primary key)");
    server->sql(
        "drop database if exists other; create database other; "
        "create table other.t (id int primary key)");
    EXPECT_EQ(identity("select * from t"), "shop.t");
    EXPECT_EQ(reason("select * from other.t"), "table without versions");
    context.database = "other";
    EXPECT_EQ(reason("select * from t"), "table without versions");
    EXPECT_EQ(identity("select * from shop.t"), "shop.t");
    context.database = "";
    EXPECT_EQ(reason("select * from t"), "unknown table");
    EXPECT_EQ(identity("select * from shop.t"), "shop.t");
    context.database = "nowhere";
    EXPECT_EQ(reason("select * from shop.t"), "unknown database");
}

TEST_F(MysqlCatalog, AsksInTheModeOfTheSession) {
    make("create table t (id int primary key, v int)");
    const std::string mixed = "select sum(v), id from t";
    EXPECT_TRUE(rewrites(mixed));
    context.sql_mode = "ONLY_FULL_GROUP_BY";
    EXPECT_EQ(reason(mixed), "not prepared by itself");
    EXPECT_TRUE(rewrites("select v from t"));
    context.sql_mode = "no such mode";
    EXPECT_EQ(reason("select v from t"), "catalog question refused");
    context.sql_mode = "";
    EXPECT_TRUE(rewrites(mixed));
}

TEST_F(MysqlCatalog, ReadsTextInTheCharacterSetOfTheSession) {
    make("create table t (id int primary key, v varchar(20))");
    const std::string text = "select id as `caf\xe9` from t";
    EXPECT_EQ(reason(text), "not prepared by itself");
    context.character_set = "latin1";
    EXPECT_TRUE(rewrites(text));
    context.character_set = "8";  // latin1_swedish_ci, as a handshake has it
    EXPECT_TRUE(rewrites(text));
    context.character_set = "utf8mb4";
    EXPECT_TRUE(rewrites("select id as `caf\xc3\xa9` from t"));
    context.character_set = "klingon";
    EXPECT_EQ(reason(text), "catalog question refused");
}

TEST_F(MysqlCatalog, KnowsAggregatesOfUsers) {
    make("create table t (id int primary key, v int)");
    server->sql(R"(use shop
delimiter //
create aggregate function my_sum(x int) returns int begin declare s int default 0;
declare continue handler for not found return s; loop fetch group next row; set s = s + x;
end loop; end //
create function plain(x int) returns int return x //
)");
    EXPECT_TRUE(rewrites("select plain(v) from t"));
    for (const auto& added : asker->plan("select my_sum(v) from t", context)->added) {
        EXPECT_NE(added.role, sql::ColumnRole::key);
    }
}

TEST_F(MysqlCatalog, WaitsForNoLock) {
    make("create table t (id int primary key, v int)");
    const auto client =
        connect_to_mysql(parse_upstream_url(server->url()), "shop", MysqlPatience::seconds);
    const auto changer =
        connect_to_mysql(parse_upstream_url(server->url()), "shop", MysqlPatience::seconds);
    ASSERT_EQ(mysql_query(client.connection.get(), "begin"), 0);
    ASSERT_EQ(mysql_query(client.connection.get(), "insert into t values (1, 1)"), 0);
    ASSERT_EQ(mysql_send_query(changer.connection.get(), "alter table t add column w int", 30), 0);
    while (server->sql("select count(*) from information_schema.processlist where state like "
                       "'Waiting for table metadata lock'") != "1\n") {
    }
    EXPECT_EQ(reason("select * from t"), "table is locked");
    EXPECT_EQ(asker->count(PlanOutcome::locked), 1U);
    ASSERT_EQ(mysql_query(client.connection.get(), "commit"), 0);
    ASSERT_EQ(mysql_read_query_result(changer.connection.get()), 0);
    asker->change_schema(context);
    EXPECT_TRUE(rewrites("select * from t"));
}

/// Nobody tells the proxy. Each round asks for a new shape, whose job looks for changes when the
/// last look is old.
TEST_F(MysqlCatalog, NoticesWhatIsChangedBehindItsBack) {
    make("create table account (id int primary key, v int); create table other (a int)");
    const auto known = asker->database("shop");
    const auto look = [&] {
        known->checked.store(0);  // as if the last look were long ago
        asker->plan("select * from account", context);
        return known->generation.load();
    };
    for (const char* change :
         {"alter table account change id number int", "alter table account modify v int first",
          "create index v on account (v)", "create or replace view seen as select 1 as one",
          "drop table other",
          "create trigger w before update on account for each row set new.v = 1",
          "create database more", "drop database more"}) {
        const std::uint64_t before = look();
        server->sql(std::string("use shop; ") + change);
        EXPECT_GT(look(), before) << change;
    }
    const std::uint64_t before = look();
    server->sql(
        "use shop; create temporary table x (a int); insert into account values (1, 2); "
        "analyze table account; update account set v = 3; drop temporary table x");
    EXPECT_EQ(look(), before);
}

TEST_F(MysqlCatalog, SaysWhyThereIsNoSideConnection) {
    make("create table t (id int primary key)");
    const std::string port = std::to_string(server->port());
    asker = ask_at("mysql://nobody:wrong@127.0.0.1:" + port + "/shop");
    EXPECT_EQ(reason("select * from t"), "no side connection");
    asker = ask_at("mysql://127.0.0.1:" + port + "/shop");
    EXPECT_EQ(reason("select * from t"), "no login for a side connection");
}

TEST_F(MysqlCatalog, AsksByTlsAsTheUrlSays) {
    make("create table t (id int primary key)");
    server->sql("create or replace user safe@'%' require ssl; grant all on *.* to safe@'%'");
    const std::string place = "mysql://safe@localhost:" + std::to_string(server->port()) + "/shop";
    const std::string root = "&sslrootcert=" + server->authority().root().string();
    for (const std::string& good :
         {std::string(), std::string("?sslmode=require"), "?sslmode=verify-full" + root}) {
        asker = ask_at(place + good);
        EXPECT_TRUE(rewrites("select * from t")) << good;
    }
    for (const char* bad : {"?sslmode=disable", "?sslmode=verify-full"}) {
        asker = ask_at(place + bad);
        EXPECT_EQ(reason("select * from t"), "no side connection") << bad;
    }
    const MysqlServer plain;
    const auto login = connect_to_mysql(parse_upstream_url(plain.url() + "?sslmode=require"),
                                        "shop", MysqlPatience::seconds);
    EXPECT_EQ(login.connection, nullptr);
    EXPECT_EQ(login.error, "the server offers no TLS, which the URL asks for");
}

TEST_F(MysqlCatalog, LooksWithFewRights) {
    make("create table t (id int primary key)");
    server->sql("create or replace user app@'%'; grant select, update on shop.* to app@'%'");
    asker = ask_at("mysql://app@127.0.0.1:" + std::to_string(server->port()) + "/shop");
    EXPECT_TRUE(rewrites("select sqrt(id) from t"));
    const auto known = asker->database("shop");
    const std::uint64_t before = known->generation.load();
    server->sql("alter table shop.t add column v int");
    known->checked.store(0);
    EXPECT_TRUE(rewrites("select sqrt(id) from t"));
    EXPECT_GT(known->generation.load(), before);
    server->sql("create or replace user half@'%'; grant select (id) on shop.t to half@'%'");
    asker = ask_at(server->url());
    context.user = "half";
    EXPECT_EQ(reason("select id from t"), "table without versions");
}

TEST_F(MysqlCatalog, LetsADatabaseBeDropped) {
    make("create table t (id int primary key)");
    EXPECT_TRUE(rewrites("select * from t"));
    server->sql("drop database shop; create database shop");
    asker->change_schema(context);
    EXPECT_EQ(reason("select * from t"), "unknown table");
}

}  // namespace
}  // namespace isotap::proxy
