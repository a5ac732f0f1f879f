// `isotap schema` against real servers: what it adds, to whom, and that nothing is left of it.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Finished schema(const std::string& action, const std::string& url,
                const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{isotap_program().string(), "schema", action, url};
    words.insert(words.end(), more.begin(), more.end());
    return run({.arguments = words});
}

/// A dump without the lines that differ from run to run.
std::string lasting(const std::string& dump) {
    std::string kept;
    std::size_t begin = 0;
    while (begin < dump.size()) {
        const std::size_t end = std::min(dump.find('\n', begin), dump.size() - 1) + 1;
        const std::string line = dump.substr(begin, end - begin);
        if (!line.starts_with("-- Dump completed") && line.find("restrict") == line.npos) {
            kept += line;
        }
        begin = end;
    }
    return kept;
}

std::string first_difference(const std::string& before, const std::string& after) {
    const auto [one, other] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto at = static_cast<std::size_t>(one - before.begin());
    const std::size_t begin = at < 200 ? 0 : at - 200;
    return before.substr(begin, 400) + "\n-- has become --\n" + after.substr(begin, 400);
}

class PostgresSchema : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) {
            GTEST_SKIP() << "no PostgreSQL " << GetParam();
        }
        server = std::make_unique<PostgresServer>(PostgresOptions{.version = GetParam()});
        server->sql(R"(
            create schema "Other One";
            create table account (id int primary key, v int, twice int generated always as (v * 2)
                stored, at timestamptz default now());
            insert into account select g, g from generate_series(1, 12000) g;
            create table "Other One"."It""s" (id int references account on delete cascade);
            create table keyless (v int); insert into keyless values (1), (1);
            create view seen as select id from account;
            create table part (id int primary key) partition by range (id);
            create table part_1 partition of part for values from (0) to (10);
            insert into part values (1), (2);
            create table parent (id int); create table child (more int) inherits (parent);
            insert into child values (1, 2);
            create table taken (isotap_rowid int);
            create table watched (id int);
            create function quiet() returns trigger language plpgsql as 'begin return new; end';
            create trigger w before update on watched for each row execute function quiet();
        )");
    }
    /// Debian's pg_dump reads no server that is newer than itself: then the catalog has to do.
    [[nodiscard]] std::string dump() const {
        if (GetParam() > 15) {
            return server->sql(
                "select attrelid::regclass, attname, atttypid::regtype, attnotnull from "
                "pg_attribute where attrelid in (select oid from pg_class where oid >= 16384 and "
                "relkind in ('r', 'p', 'v')) and attnum > 0 and not attisdropped order by 1, "
                "attnum; select objoid::regclass, description from pg_description where objoid >= "
                "16384; select adrelid::regclass, pg_get_expr(adbin, adrelid) from pg_attrdef "
                "order by 1, 2");
        }
        return lasting(run_or_throw({.arguments = {"pg_dump", "--schema-only", server->url()}}));
    }
    [[nodiscard]] std::string rows() const {
        return server->sql(
            "select md5(string_agg(a::text, ',' order by id)) from account a; "
            "select * from keyless; select * from parent; select * from child; select * from part");
    }
    std::unique_ptr<PostgresServer> server;
};

TEST_P(PostgresSchema, LeavesNothingBehind) {
    const std::string before = dump();
    const std::string rows_before = rows();
    const Finished added = schema("add", server->url());
    EXPECT_EQ(added.exit_code, 0) << added.output;
    EXPECT_THAT(added.output, HasSubstr("public.account: 12000 rows named"));
    EXPECT_THAT(added.output, HasSubstr("public.part_1: never: its parent"));
    EXPECT_THAT(added.output, HasSubstr("public.taken: never: it has columns of these names"));
    EXPECT_THAT(added.output, HasSubstr("public.watched: never: a trigger"));
    EXPECT_EQ(server->sql("select count(distinct isotap_rowid) from account"), "12000\n");
    EXPECT_EQ(server->sql("select count(distinct isotap_rowid) from parent"), "1\n");
    EXPECT_EQ(server->sql("insert into keyless values (3) returning isotap_wlist, "
                          "isotap_rowid is null"),
              "T0|f\n");
    server->sql("delete from keyless where v = 3");
    const Finished status = schema("status", server->url());
    EXPECT_THAT(status.output, HasSubstr("Other One.It\"s: ready"));
    const Finished again = schema("add", server->url());
    EXPECT_THAT(again.output, Not(HasSubstr("rows named")));
    const Finished dropped = schema("drop", server->url());
    EXPECT_EQ(dropped.exit_code, 0) << dropped.output;
    EXPECT_EQ(dump(), before);
    EXPECT_EQ(rows(), rows_before);
    EXPECT_EQ(schema("drop", server->url()).exit_code, 0);
}

TEST_P(PostgresSchema, GoesOnWhereItWasBrokenOff) {
    EXPECT_EQ(schema("add", server->url(), {"--tables", "account"}).exit_code, 0);
    server->sql("update account set isotap_rowid = null where id <= 100");
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("public.account: begun"));
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("public.keyless: absent"));
    EXPECT_THAT(schema("add", server->url(), {"--tables", "public.account"}).output,
                HasSubstr("public.account: 100 rows named"));
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("public.account: ready"));
}

TEST_P(PostgresSchema, SaysWhatIsWrong) {
    const Finished missing = schema("add", server->url(), {"--tables", "nowhere"});
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_EQ(missing.output,
              "isotap: there is no table nowhere: 'isotap schema status' lists them\n");
    EXPECT_EQ(schema("add", server->url(), {"--tables", "account,taken"}).exit_code, 2);
    EXPECT_EQ(schema("paint", server->url()).exit_code, 2);
    const Finished refused = schema("add", server->url("nobody_of_that_name"));
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.output, HasSubstr("isotap: cannot connect"));
}

INSTANTIATE_TEST_SUITE_P(Versions, PostgresSchema, testing::Values(12, 15, 18));

class MariadbSchema : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mariadb)) {
            GTEST_SKIP() << "no MariaDB";
        }
        server = std::make_unique<MysqlServer>();
        server->sql(R"(
            use shop;
            create table account (id int primary key auto_increment, v int,
                twice int generated always as (v * 2) virtual, kind enum('a', 'b') default 'b',
                ts timestamp not null default '2001-01-01' on update current_timestamp);
            insert into account (v) select seq from seq_1_to_12000;
            create table `It``s` (id int, foreign key (id) references account (id)
                on delete cascade);
            create table keyless (v int); insert into keyless values (1), (1);
            create view seen as select id from account;
            create table part (id int primary key) partition by hash (id) partitions 3;
            insert into part values (1), (2);
            create table plain (id int) engine = myisam;
            create table taken (isotap_rowid int);
            create table watched (id int);
            create trigger w before update on watched for each row set new.id = 1;
            create table texts (id int primary key, t text, fulltext (t));
            insert into texts values (1, 'one');
        )");
    }
    [[nodiscard]] std::string dump() const {
        return lasting(run_or_throw(
            {.arguments = {"mariadb-dump", "--socket", (server->folder() / "server.sock").string(),
                           "--user", "root", "shop"}}));
    }
    std::unique_ptr<MysqlServer> server;
};

TEST_F(MariadbSchema, LeavesNothingBehind) {
    const std::string before = dump();
    const Finished added = schema("add", server->url());
    EXPECT_EQ(added.exit_code, 0) << added.output;
    EXPECT_THAT(added.output, HasSubstr("shop.account: 12000 rows named"));
    EXPECT_THAT(added.output, HasSubstr("shop.seen: never: it is a view"));
    EXPECT_THAT(added.output, HasSubstr("shop.plain: never: its engine"));
    EXPECT_THAT(added.output, HasSubstr("shop.taken: never: it has columns of these names"));
    EXPECT_THAT(added.output, HasSubstr("shop.watched: never: a trigger"));
    EXPECT_THAT(added.output, HasSubstr("shop.texts: ready"));
    EXPECT_EQ(server->sql("select count(distinct isotap_rowid), max(ts) from shop.account"),
              "12000\t2001-01-01 00:00:00\n");
    EXPECT_EQ(server->sql("select * from shop.keyless"), "1\n1\n");
    EXPECT_EQ(server->sql("insert into shop.keyless values (3); select isotap_wlist, "
                          "length(isotap_rowid) from shop.keyless where v = 3; delete from "
                          "shop.keyless where v = 3"),
              "T0\t36\n");
    const Finished status = schema("status", server->url());
    EXPECT_THAT(status.output, HasSubstr("shop.It`s: ready"));
    EXPECT_THAT(schema("add", server->url()).output, Not(HasSubstr("rows named")));
    const Finished dropped = schema("drop", server->url());
    EXPECT_EQ(dropped.exit_code, 0) << dropped.output;
    EXPECT_TRUE(dump() == before) << first_difference(before, dump());
}

TEST_F(MariadbSchema, GoesOnWhereItWasBrokenOff) {
    EXPECT_EQ(schema("add", server->url(), {"--tables", "account,part"}).exit_code, 0);
    server->sql("update shop.account set isotap_rowid = null where id <= 100");
    server->sql("alter table shop.part alter column isotap_rowid set default null");
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("shop.account: begun"));
    EXPECT_THAT(schema("add", server->url(), {"--tables", "shop.account"}).output,
                HasSubstr("shop.account: 100 rows named"));
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("shop.account: ready"));
}

TEST_F(MariadbSchema, SaysWhatIsWrong) {
    const Finished view = schema("add", server->url(), {"--tables", "seen"});
    EXPECT_EQ(view.exit_code, 2);
    EXPECT_EQ(view.output,
              "isotap: shop.seen cannot have the columns (it is a view: its tables have them): "
              "leave it out\n");
}

/// Oracle's MySQL: with triggers.
class MysqlSchema : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mysql)) {
            GTEST_SKIP() << "no MySQL";
        }
        server = std::make_unique<MysqlServer>(MysqlOptions{.flavour = MysqlFlavour::mysql});
        server->sql(R"(
            use shop; set session cte_max_recursion_depth = 20000;
            create table account (id int primary key auto_increment, v int,
                twice int generated always as (v * 2) virtual, kind enum('a', 'b') default 'b',
                ts timestamp not null default '2001-01-01 00:00:00' on update current_timestamp);
            insert into account (v) with recursive s (n) as (select 1 union all select n + 1 from s
                where n < 12000) select n from s;
            create table `It``s; one` (id int primary key, `c;d` json,
                foreign key (id) references account (id) on delete cascade);
            create table keyless (v int); insert into keyless values (1), (1);
            create view seen as select id from account;
            create table part (id int primary key) partition by hash (id) partitions 3;
            insert into part values (1), (2);
            create table plain (id int) engine = myisam;
            create table taken (isotap_rowid int);
            create table watched (id int);
            create trigger w before update on watched for each row set new.id = 1;
            create table noted (id int);
            create trigger n before insert on noted for each row set new.id = new.id + 1;
        )");
    }
    [[nodiscard]] std::string dump() const {
        return lasting(run_or_throw({.arguments = {"mariadb-dump", "--triggers", "--socket",
                                                   (server->folder() / "server.sock").string(),
                                                   "--user", "root", "shop"}}));
    }
    std::unique_ptr<MysqlServer> server;
};

TEST_F(MysqlSchema, LeavesNothingBehind) {
    const std::string before = dump();
    const Finished added = schema("add", server->url());
    EXPECT_EQ(added.exit_code, 0) << added.output;
    EXPECT_THAT(added.output, HasSubstr("shop.account: 12000 rows named"));
    EXPECT_THAT(added.output, HasSubstr("shop.seen: never: it is a view"));
    EXPECT_THAT(added.output, HasSubstr("shop.plain: never: its engine"));
    EXPECT_THAT(added.output, HasSubstr("shop.taken: never: it has columns of these names"));
    EXPECT_THAT(added.output, HasSubstr("shop.watched: never: a trigger"));
    EXPECT_EQ(server->sql("select count(distinct isotap_rowid), max(ts) from shop.account"),
              "12000\t2001-01-01 00:00:00\n");
    EXPECT_EQ(server->sql("select * from shop.keyless"), "1\n1\n");
    EXPECT_EQ(server->sql("insert into shop.noted values (3); select id, isotap_wlist, "
                          "length(isotap_rowid) from shop.noted; delete from shop.noted"),
              "4\tT0\t36\n");
    EXPECT_EQ(server->sql("select count(*) from information_schema.triggers "
                          "where trigger_schema = 'shop' and trigger_name like 'isotap%'"),
              "25\n");
    EXPECT_THAT(schema("status", server->url()).output, HasSubstr("shop.It`s; one: ready"));
    EXPECT_THAT(schema("add", server->url()).output, Not(HasSubstr("rows named")));
    const Finished dropped = schema("drop", server->url());
    EXPECT_EQ(dropped.exit_code, 0) << dropped.output;
    EXPECT_TRUE(dump() == before) << first_difference(before, dump());
}

TEST_F(MysqlSchema, GoesOnWhereItWasBrokenOff) {
    EXPECT_EQ(schema("add", server->url(), {"--tables", "account"}).exit_code, 0);
    const auto becomes_ready_again = [&](const std::string& after) {
        server->sql("use shop; " + after);
        EXPECT_THAT(schema("status", server->url()).output, HasSubstr("shop.account: begun"))
            << after;
        const Finished added = schema("add", server->url(), {"--tables", "account"});
        EXPECT_EQ(added.exit_code, 0) << added.output;
        EXPECT_THAT(schema("status", server->url()).output, HasSubstr("shop.account: ready"))
            << after;
    };
    becomes_ready_again("update account set isotap_rowid = null where id <= 100");
    becomes_ready_again("alter table account add column more int");
    becomes_ready_again("alter table account drop column more");
    becomes_ready_again(
        "create trigger behind before update on account for each row "
        "set new.v = new.v");
}

TEST_F(MysqlSchema, SaysWhatIsWrong) {
    server->sql(
        "create user weak@'%'; grant select, alter, insert, create, trigger on shop.* to "
        "weak@'%'");
    const auto refused = [](const MysqlServer& there) {
        return schema("add", "mysql://weak@127.0.0.1:" + std::to_string(there.port()) + "/shop",
                      {"--tables", "keyless"});
    };
    EXPECT_EQ(refused(*server).exit_code, 3);
    EXPECT_THAT(refused(*server).output, HasSubstr("UPDATE command denied"));
}

TEST(MysqlSchemaWhereChangesAreLogged, NeedsWhoMayMakeTriggers) {
    if (!mysql_available(MysqlFlavour::mysql)) {
        GTEST_SKIP() << "no MySQL";
    }
    const MysqlServer server({.flavour = MysqlFlavour::mysql, .settings = {"log-bin=changes"}});
    server.sql(
        "create table shop.one (id int primary key); insert into shop.one values (1); create user "
        "weak@'%'; grant all on shop.* to weak@'%'");
    const std::string url = "mysql://weak@127.0.0.1:" + std::to_string(server.port()) + "/shop";
    const Finished refused = schema("add", url);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.output, HasSubstr("log_bin_trust_function_creators"));
    EXPECT_THAT(schema("status", url).output, HasSubstr("shop.one: begun"));
    server.sql("set global log_bin_trust_function_creators = 1");
    EXPECT_THAT(schema("add", url).output, HasSubstr("shop.one: ready"));
    server.sql("set global binlog_format = 'STATEMENT'");
    EXPECT_THAT(schema("add", url).output, HasSubstr("binlog_format = ROW"));
}

}  // namespace
}  // namespace isotap::test
