// Plans against a real PostgreSQL: what it says of tables, and whom it says it to.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "proxy/ops/upstream_url.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/unit/proxy/catalog/asker.hpp"

namespace isotap::proxy {
namespace {

using history::Coverage;
using test::PostgresServer;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PostgresCatalog : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!test::postgres_programs(GetParam())) {
            GTEST_SKIP() << "no PostgreSQL " << GetParam();
        }
        server = std::make_unique<PostgresServer>(test::PostgresOptions{.version = GetParam()});
        asker = ask_as("postgres");
    }

    [[nodiscard]] std::unique_ptr<Asker> ask_as(const std::string& user) const {
        return std::make_unique<Asker>(parse_upstream_url(server->url(user)));
    }

    [[nodiscard]] std::string reason(const std::string& text) const {
        return std::string(asker->plan(text, context)->reason);
    }
    [[nodiscard]] bool rewrites(const std::string& text) const {
        return asker->plan(text, context)->rewrites();
    }
    /// What names the rows of the first table of a statement.
    [[nodiscard]] std::string identity(const std::string& text) const {
        const auto plan = asker->plan(text, context);
        return plan->tables.empty() ? std::string(plan->reason) : plan->tables.front().identity;
    }

    sql::PlanContext context{"postgres", "postgres", "", "", "", ""};
    std::unique_ptr<PostgresServer> server;
    std::unique_ptr<Asker> asker;
};

/// What reads catalogs that differ between versions.
class PostgresVersions : public PostgresCatalog {};

TEST_P(PostgresVersions, ProvesWhatClientsSend) {
    server->sql("create table account (id int primary key, owner text, balance numeric)");
    for (const char* text :
         {"select * from account", "select owner from account where id = $1 for update",
          "update account set balance = balance + $1 where id = $2",
          "delete from account where id = 3 returning *",
          "insert into account values (1, 'ann', 10)", "select sum(balance) from account",
          "insert into account values ($1, $2, 0) on conflict (id) do update set balance = 1"}) {
        const auto plan = asker->plan(text, context);
        EXPECT_TRUE(plan->rewrites()) << text << ": " << plan->reason;
    }
    EXPECT_EQ(asker->count(PlanOutcome::proved), 7U);
}

TEST_P(PostgresVersions, KnowsWhatTruncateEmpties) {
    server->sql(R"(
        create table invoice (id int primary key, before int references invoice);
        create table line (id int primary key, invoice int references invoice);
        create table note (line int references line);
        create table other (id int primary key);
        create table part (id int primary key, line int references line) partition by range (id);
        create table part_1 partition of part for values from (0) to (100);
    )");
    const auto emptied = [this](const std::string& text) {
        const auto plan = asker->plan(text, context);
        std::vector<std::string> names;
        for (const sql::CapturedTable& table : plan->tables) {
            names.push_back(table.identity);
        }
        EXPECT_EQ(plan->empties, !names.empty());
        EXPECT_FALSE(plan->rewrites());
        return names;
    };
    EXPECT_THAT(emptied("truncate other"), ElementsAre("public.other"));
    EXPECT_THAT(emptied("truncate invoice, line, note, part restart identity"),
                ElementsAre("public.invoice", "public.line", "public.note", "public.part"));
    EXPECT_THAT(emptied("truncate other, invoice cascade"),
                UnorderedElementsAre("public.other", "public.invoice", "public.line", "public.note",
                                     "public.part"));
    EXPECT_THAT(emptied("truncate part_1"), IsEmpty());
    EXPECT_THAT(emptied("truncate pg_class"), IsEmpty());
}

TEST_P(PostgresVersions, KnowsEveryKindOfTable) {
    server->sql(R"(
        create table keyless (v int);
        create table "Odd ""Name" ("the Id" uuid, "Part" text, primary key ("Part", "the Id"));
        create table dated (day date primary key, v int);
        create type pair as (one int, other int);
        create table paired (p pair primary key);
        create table single (v int, code text not null unique);
        create table doubtful (code text unique, v int, half int not null);
        create unique index on doubtful (half) where v > 0;
        create unique index on doubtful ((half + 1));
        create view seen as select * from dated;
        create materialized view kept as select * from dated;
        create unlogged table quick (id bigint primary key);
        create table ruled (id int primary key);
        create rule r as on insert to ruled do also select 1;
        create table part (id int, day date, primary key (id)) partition by range (id);
        create table part_1 partition of part for values from (0) to (100) partition by list (id);
        create table part_1_a partition of part_1 default;
        create table parent (id int primary key);
        create table child (primary key (id)) inherits (parent);
        create domain code as varchar(8);
        create table coded (c code primary key);
    )");
    EXPECT_EQ(identity("select * from keyless"), "public.keyless");
    EXPECT_EQ(identity(R"(select * from "Odd ""Name")"), R"(public.Odd "Name)");
    EXPECT_EQ(identity("select * from dated"), "public.dated");
    EXPECT_EQ(identity("select * from paired"), "public.paired");
    EXPECT_EQ(identity("select * from single"), "public.single");
    EXPECT_EQ(identity("select * from doubtful"), "public.doubtful");
    EXPECT_EQ(reason("select * from seen"), "view");
    EXPECT_EQ(reason("select * from kept"), "view");
    EXPECT_EQ(identity("select * from quick"), "public.quick");
    EXPECT_EQ(reason("insert into ruled values (1)"), "table without versions");
    EXPECT_EQ(identity("select * from part"), "public.part");
    EXPECT_EQ(identity("select * from part_1_a"), "public.part");
    EXPECT_EQ(reason("select * from parent"), "table without versions");
    EXPECT_EQ(reason("select * from child"), "table without versions");
    EXPECT_EQ(identity("select * from coded"), "public.coded");
    EXPECT_EQ(asker->plan("select * from pg_class", context)->coverage, history::Coverage::none);
    EXPECT_EQ(reason("select * from nowhere"), "unknown table");
    EXPECT_TRUE(rewrites("insert into part values (1)"));
    EXPECT_TRUE(rewrites("update part_1_a set day = null"));
}

TEST_P(PostgresCatalog, ResolvesNamesAsTheSessionDoes) {
    server->sql(R"(
        create schema one; create schema "Two"; create schema app;
        create table one.t (id int primary key); create table "Two".t (id int primary key);
        create table app.t (id int primary key); create table public.t (id int primary key);
        create role app login; grant usage on schema one, "Two", app to app;
        grant select on one.t, "Two".t, app.t, public.t to app;
        create role set_up login; alter role set_up set search_path = 'one';
        grant usage on schema one to set_up; grant select on one.t to set_up;
    )");
    EXPECT_EQ(identity("select * from t"), "public.t");
    EXPECT_EQ(identity("select * from one.t"), "one.t");
    context.search_path = R"("Two", one)";
    EXPECT_EQ(identity("select * from t"), "Two.t");
    context.search_path = "nowhere, 'one'";
    EXPECT_EQ(identity("select * from t"), "one.t");
    context.search_path = "";
    context.user = "app";
    EXPECT_EQ(identity("select * from t"), "app.t");
    context.user = "set_up";
    EXPECT_EQ(identity("select * from t"), "one.t");
    context.search_path = "one, pg_catalog";
    EXPECT_EQ(reason("select * from t"), "search path unknown");
}

TEST_P(PostgresCatalog, ProvesWithTheTypesThatTheClientSays) {
    server->sql("create table account (id int primary key)");
    const std::string sum = "select id, $1 + $2 from account";
    EXPECT_EQ(reason(sum), "not prepared by itself");
    asker->parameter_types = std::string("\0\0\0\x17\0\0\0\x17", 8);
    EXPECT_TRUE(rewrites(sum));
    EXPECT_TRUE(rewrites("select id from account where id = $1 and $2 > 0"));
    asker->parameter_types.clear();
    EXPECT_EQ(reason(sum), "not prepared by itself");
}

TEST_P(PostgresCatalog, AsksWithTheRightsOfTheClient) {
    server->sql(R"(
        create role app login; create role stranger login; create role tap login;
        grant app to tap;
        create table account (id int primary key, secret text);
        create table locked (id int primary key); alter table locked enable row level security;
        grant select (id), update (id) on account to app; grant all on locked to app;
        grant all on account to tap, stranger;
    )");
    context.user = "app";
    EXPECT_EQ(reason("select id from account"), "table without versions");
    EXPECT_EQ(reason("insert into locked values (1)"), "table without versions");
    context.user = "postgres";
    EXPECT_TRUE(rewrites("select id from account"));
    asker = ask_as("tap");
    context.user = "stranger";
    EXPECT_EQ(reason("select id from account"), "no side connection as this user");
    context.user = "tap";
    EXPECT_TRUE(rewrites("select id from account"));
    context.role = "app";
    EXPECT_EQ(reason("select id from account"), "table without versions");
}

TEST_P(PostgresVersions, RunsNothingThatAClientMade) {
    server->sql(R"(
        create role app login; create schema evil authorization app;
        create table account (id int primary key); grant all on account to app;
        create table evil.ran (who text); grant all on evil.ran to app;
        create function evil.json_build_object(text, name, text, name, text, "char") returns json
            language plpgsql as $$ begin insert into evil.ran values (session_user);
            return null; end $$;
        create function evil.to_regclass(text) returns regclass
            language plpgsql as $$ begin insert into evil.ran values (session_user);
            return null; end $$;
        create function evil.same(oid, oid) returns bool
            language plpgsql as $$ begin insert into evil.ran values (session_user);
            return true; end $$;
        create operator evil.= (leftarg = oid, rightarg = oid, function = evil.same);
    )");
    context.user = "app";
    context.search_path = "evil, public";
    EXPECT_TRUE(rewrites("select id from account"));
    EXPECT_EQ(server->sql("select count(*) from evil.ran"), "0\n");
}

TEST_P(PostgresCatalog, ForgetsWhatDdlHasChanged) {
    server->sql("create table account (id int primary key, v int)");
    const std::string text = "select * from account";
    EXPECT_EQ(identity(text), "public.account");
    server->sql("drop table account; create view account as select 1 as id");
    asker->change_schema(context);
    EXPECT_EQ(reason(text), "view");
}

/// Nobody tells the proxy. Each round asks for a new shape, whose job looks for changes when the
/// last look is old.
TEST_P(PostgresVersions, NoticesWhatIsChangedBehindItsBack) {
    server->sql("create table account (id int primary key, v int); create table other (a int)");
    const char* const changes[] = {
        "alter table other add foreign key (a) references account",
        "alter table other drop constraint other_a_fkey",
        "alter table account rename id to number",
        "alter table account drop constraint account_pkey",
        "create or replace view seen as select 1 as one",
        "revoke select on other from public; alter table account add column w int"};
    for (const char* change : changes) {
        const auto known = asker->database(context.database);
        asker->plan("select * from account", context);
        const std::uint64_t before = known->generation.load();
        server->sql(change);
        known->checked.store(0);  // as if the last look were long ago
        asker->plan("select * from account", context);
        EXPECT_GT(known->generation.load(), before) << change;
    }
    const auto known = asker->database(context.database);
    const std::uint64_t before = known->generation.load();
    server->sql(
        "insert into other values (1); analyze other; vacuum other; create temp table x ()");
    known->checked.store(0);
    asker->plan("select * from account", context);
    EXPECT_EQ(known->generation.load(), before);
}

TEST_P(PostgresCatalog, WaitsForNoLock) {
    server->sql("create table account (id int primary key, v int)");
    const std::unique_ptr<PGconn, void (*)(PGconn*)> client(PQconnectdb(server->url().c_str()),
                                                            PQfinish);
    PQclear(PQexec(client.get(), "begin; alter table account add column w int"));
    EXPECT_EQ(reason("select * from account"), "table is locked");
    EXPECT_EQ(asker->count(PlanOutcome::locked), 1U);
    PQclear(PQexec(client.get(), "commit"));
    asker->change_schema(context);
    EXPECT_TRUE(rewrites("select * from account"));
}

TEST_P(PostgresCatalog, SaysWhyThereIsNoSideConnection) {
    server->sql("create table account (id int primary key)");
    asker = ask_as("nobody_of_that_name");
    EXPECT_EQ(reason("select * from account"), "no side connection");
    asker = std::make_unique<Asker>(
        parse_upstream_url("postgres://127.0.0.1:" + std::to_string(server->port()) + "/postgres"));
    EXPECT_EQ(reason("select * from account"), "no login for a side connection");
}

TEST_P(PostgresCatalog, LetsADatabaseBeDropped) {
    server->sql("create database temporary");
    context.database = "temporary";
    EXPECT_EQ(reason("select * from nowhere"), "unknown table");
    server->sql("drop database temporary");
}

TEST_P(PostgresCatalog, ComparesParametersAndTypes) {
    server->sql("create table account (id int primary key, v text)");
    EXPECT_EQ(reason("select $1 + $2 from account"), "not prepared by itself");
    EXPECT_TRUE(rewrites("select v || $1 from account where id = $2"));
    EXPECT_EQ(reason("select nothing from account"), "not prepared by itself");
}

TEST_P(PostgresCatalog, ProvesThousandsOfShapes) {
    server->sql("create table account (id int primary key, v int)");
    constexpr int shapes = 500;
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < shapes; ++i) {
        ASSERT_TRUE(rewrites("select v as c" + std::to_string(i) + " from account where id = 1"));
    }
    const auto took = std::chrono::steady_clock::now() - began;
    RecordProperty(
        "microseconds_a_shape",
        static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count() /
                         shapes));
    EXPECT_EQ(asker->count(PlanOutcome::proved), static_cast<std::uint64_t>(shapes));
}

INSTANTIATE_TEST_SUITE_P(One, PostgresCatalog, testing::Values(15));
INSTANTIATE_TEST_SUITE_P(Each, PostgresVersions, testing::Values(12, 15, 18));

}  // namespace
}  // namespace isotap::proxy
