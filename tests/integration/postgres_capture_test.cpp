// Captured statements on real servers: the client gets, message by message, what it would have got
// without, and the events say what happened.
#include "tests/integration/postgres_capture.hpp"

#include <sstream>

#include "tests/integration/captured_statements.hpp"

namespace isotap::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST_P(PostgresCapture, TheClientGetsWhatItWouldHaveGotWithout) {
    for (const std::size_t slice : {0U, 1U}) {
        direct = std::make_unique<Direct>(at());
        direct->start(to("direct"));
        captured = std::make_unique<CapturedClient>(at(), *capture, slice);
        captured->start(to("captured"));
        for (const std::string& sql : statements) {
            in_every_way(sql);
        }
        for (const std::string& sql : queries) {
            both(query_message(sql), sql);
        }
        std::istringstream one_by_one(cursors);
        for (std::string sql; std::getline(one_by_one, sql);) both(query_message(sql), sql);
        EXPECT_THAT(captured->notes, IsEmpty());
        both(query_message("select * from account order by 1; select * from item order by 1, 2"),
             "what is left");
    }
    const std::size_t full = coverage[static_cast<std::size_t>(history::Coverage::full)];
    EXPECT_GT(full, 200U);
    for (const char* reason : {"cursor", "temporary table", "behind a setting", "do"}) {
        EXPECT_GT(reasons[reason], 0U) << reason;
    }
    for (const auto& [reason, count] : reasons) {
        RecordProperty("reason " + reason, static_cast<int>(count));
    }
    EXPECT_GT(accesses, 1000U);
}

/// Every kind of statement that touches rows is captured, or says why not.
TEST_P(PostgresCapture, EachKindIsCapturedOrNamed) {
    const bool old = GetParam() < 18;  // no `old` in RETURNING
    struct Kind {
        const char* sql;
        std::size_t touched;  ///< accesses
        const char* reason;   ///< empty: in full
    };
    const Kind kinds[] = {
        {"insert into account values (30, 'a', 1), (31, 'b', 2)", 2, ""},
        {"insert into account values (32, 'c', 3) on conflict do nothing", 1, ""},
        {"insert into account values (32, 'c', 3) on conflict do nothing", 0,
         "ON CONFLICT DO NOTHING"},
        {"insert into account values (33, 'd', 3) on conflict (id) do update set balance = 4", 1,
         ""},
        {"insert into account values (33, 'd', 3) on conflict (id) do update set balance = 4", 1,
         ""},
        {"insert into account as a (id, owner) values (33, 'd'), (34, 'e') on conflict (id) do "
         "update set balance = a.balance + 1",
         2, ""},
        {"insert into account select id + 40, owner, 1 from account where id < 3", 2,
         "insert from select"},
        {"update account set balance = 2 where id in (1, 2)", 2, ""},
        {"update account a set balance = i.a from item i where i.a = a.id and i.b = 'x,y=z;'", 2,
         old ? "overwritten version" : "joined rows"},
        {"update account a set balance = g.b from (values (1, 7), (2, 8)) g(k, b) where a.id = g.k",
         2, old ? "overwritten version" : ""},
        {"delete from account where id = 30", 1, ""},
        {"delete from account a using item i where i.a = a.id - 30 and i.b = 'x,y=z;'", 2,
         "joined rows"},
        {"merge into account t using (values (1), (50)) s(k) on t.id = s.k when matched then "
         "update set balance = 9 when not matched then insert values (s.k, 'm', 1)",
         old ? 0U : 2U, old ? "MERGE before PostgreSQL 18" : ""},
        {"select * from account where id < 4 for update skip locked", 3, ""},
        {"select * from account where id < 4 for share", 3, ""},
        {"insert into bare values (3), (3)", 2, ""},
        {"update bare set x = 4 where x = 3", old ? 2U : 4U, old ? "overwritten version" : ""},
        {"select count(*) from bare where x = 4", 2, ""},
        {"delete from bare where x = 4", 2, ""},
        {"merge into bare using (values (1)) s(k) on x = k when matched then delete", 0,
         old ? "MERGE before PostgreSQL 18" : "MERGE"},
        {"copy account to stdout", 26, ""},
        {"copy (select count(*) from item) to stdout (format binary)", 3, ""},
        {"truncate bare, item cascade", 0, ""},
        {"create table derived as select * from account", 0, "create from a query"},
        {"create materialized view looks as select * from account", 0, "create from a query"},
        {"explain analyze select * from account", 0, "explain"},
        {"explain (costs off) select * from account", 0, ""},
        {"do $$ begin update account set balance = 1; end $$", 0, "do"},
    };
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    for (const Kind& kind : kinds) {
        reasons.clear();
        const std::size_t before = accesses;
        EXPECT_EQ(error_in(captured->query(kind.sql)).text, "") << kind.sql;
        EXPECT_EQ(accesses - before, kind.touched) << kind.sql;
        EXPECT_EQ(reasons[kind.reason], 1U) << kind.sql;
    }
    EXPECT_THAT(captured->notes, IsEmpty());
}

/// What an upsert has waited for, it overwrites, and says so at every level.
TEST_P(PostgresCapture, AnUpsertBehindAnotherOne) {
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    CapturedClient other(at(), *capture);
    other.start(to("captured"));
    const std::string upsert =
        "insert into account values (1, 'a', 1) on conflict (id) do update set balance = ";
    EXPECT_EQ(error_in(other.query("begin; " + upsert + "2")).text, "");
    captured->send(query_message(upsert + "3"));
    constexpr const char* waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    while (server->sql(waiting).empty()) {
    }
    EXPECT_EQ(error_in(other.query("commit")).text, "");
    captured->read_ready();
    captured->query("begin isolation level serializable; " + upsert + "4; commit");
    captured->query("begin isolation level repeatable read; " + upsert + "5; commit");
    EXPECT_THAT(reasons, testing::ElementsAre(testing::Key("")));
    engine.finish();
    EXPECT_THAT(engine.anomalies(), IsEmpty());
}

TEST_P(PostgresCapture, ACursorThatOutlivesItsTransaction) {
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    for (const char* sql :
         {"declare c cursor with hold for select owner, id from account where id < 6 order by id",
          "fetch 2 from c",
          "update account set balance = 7 where id < 6",
          "begin",
          "fetch 1 from c",
          "declare d cursor with hold for select id from account where id < 3",
          "fetch all from d",
          "commit",
          "fetch backward 2 from c; move forward all in c",
          "fetch all from d; close d",
          "fetch all from d",
          "begin; declare d cursor with hold for select 1",
          "rollback",
          "fetch d",
          "close all",
          "fetch c",
          "declare c cursor with hold for select 2",
          "fetch c",
          "discard all",
          "fetch c"}) {
        both(query_message(sql), sql);
    }
    EXPECT_EQ(held, 2U + 1U + 2U);
    EXPECT_THAT(captured->notes, IsEmpty());
    EXPECT_EQ(reasons["cursor"], 0U);
    engine.finish();
    EXPECT_THAT(engine.anomalies(), IsEmpty());
    EXPECT_EQ(engine.statistics().gaps, 0U);
}

// A key that is added as `id::text` must not be what ORDER BY calls `id`: 1, 10, 11 … would come.
TEST_P(PostgresCapture, RowsComeInTheOrderOfTheClientsColumns) {
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    const auto owners = [this](const std::string& sql) {
        std::vector<std::string> found;
        for (const Frame& frame : captured->query(sql)) {
            if (frame.type == 'D') {
                constexpr std::size_t header = 6;
                found.emplace_back(frame.body.substr(header));
            }
        }
        return found;
    };
    std::vector<std::string> expected;
    for (int i = 1; i <= 20; ++i) {
        expected.push_back("owner " + std::to_string(i));
    }
    for (const char* sql :
         {"select owner from account order by id", "select owner from account a order by a.id",
          "select d.owner from (select owner, id from account) d order by id",
          "with c as (select id, owner from account) select c.owner from c order by id",
          "select owner from account where id in (select id from account) order by id"}) {
        EXPECT_EQ(owners(sql), expected) << sql;
    }
    EXPECT_EQ(coverage[static_cast<std::size_t>(history::Coverage::full)], 5U);
    EXPECT_EQ(accesses, 6U * 20U);
}

TEST_P(PostgresCapture, TablesThatOnlyTheSessionSeesAreNoGap) {
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    std::istringstream one_by_one(own_tables);
    for (std::string sql; std::getline(one_by_one, sql);) both(query_message(sql), sql);
    EXPECT_THAT(captured->notes, IsEmpty());
    // The INSERT from another table; the last table, which is unknown here; and the temporary one,
    // which may be gone when its name is met again.
    EXPECT_EQ(reasons["uncommitted schema change"], 1U);
    for (const auto& [reason, count] : reasons) {
        RecordProperty("reason " + reason, static_cast<int>(count));
    }
}

// Whoever meets the rows later learns who wrote them.
TEST_P(PostgresCapture, WritersOfNewTablesAreKnown) {
    plans->catalog.add("fresh", sql::VersionSource::system, {"id"});
    {
        CapturedClient writer(at(), *capture);
        writer.start(to("captured"));
        for (const char* sql :
             {"begin", "create table fresh(id int primary key)", "insert into fresh values (1)",
              "savepoint s", "insert into fresh values (2)", "release s", "commit"}) {
            EXPECT_EQ(error_in(writer.query(sql)).text, "") << sql;
        }
        EXPECT_EQ(accesses, 0U);
        CapturedClient reader(at(), *capture);
        reader.start(to("captured"));
        reader.query("select * from fresh where id = 2");
        EXPECT_EQ(accesses, 1U);
    }
    engine.finish();
    EXPECT_EQ(engine.statistics().edges, 1U);
}

/// A FETCH may be prepared before the cursor is made, and outlive it.
TEST_P(PostgresCapture, CursorsMayBeAskedForByMessages) {
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    const auto at_once = [](const std::string& sql) {
        return parse("", sql) + bind_message("", {}) + describe('P', "") + execute();
    };
    both(parse("early", "fetch 2 from c") + sync, "before there is a cursor");
    const std::string declared = "declare c cursor for select id, owner from account order by id";
    both(query_message("begin"), "begin");
    both(at_once(declared) + at_once("fetch 2 from c") + sync, "in one pipeline");
    both(parse("late", "fetch 3 from c") + describe('S', "late") + bind_message("late", {1}) +
             execute() + sync,
         "binary");
    both(bind_message("late", {0, 1}) + describe('P', "") + execute() + sync, "both formats");
    both(bind_message("early", {}) + describe('P', "") + execute() + sync, "prepared early");
    both(at_once("close c") + sync, "close");
    both(at_once(declared) + sync, "declared again");
    both(bind_message("late", {}) + execute() + sync, "fetched again");
    both(query_message("commit"), "commit");
    both(bind_message("late", {}) + execute() + sync, "fetched from nothing");
    EXPECT_GE(accesses, 12U);
    EXPECT_EQ(reasons["cursor"], 0U);
    EXPECT_THAT(captured->notes, IsEmpty());
}

/// Two clients of one database, and what the analysis makes of it.
class PostgresAnomaly : public PostgresCapture {
  protected:
    void SetUp() override {
        PostgresCapture::SetUp();
        if (!IsSkipped()) {
            for (auto& client : clients) {
                client = std::make_unique<CapturedClient>(at(), *capture);
                client->start(to("captured"));
            }
        }
    }
    void say(std::size_t who, const std::string& sql) {
        const ServerError error = error_in(clients[who]->query(sql));
        EXPECT_EQ(error.sqlstate, "") << sql << ": " << error.text;
    }
    std::vector<std::string> found() {
        for (auto& client : clients) {
            EXPECT_THAT(client->notes, IsEmpty());
            client.reset();
        }
        engine.finish();
        std::vector<std::string> kinds;
        for (const analysis::Anomaly& anomaly : engine.anomalies()) {
            kinds.emplace_back(plain_name(anomaly));
        }
        return kinds;
    }

    std::unique_ptr<CapturedClient> clients[2];
};

TEST_P(PostgresAnomaly, ALostUpdateIsFound) {
    for (const std::size_t who : {0U, 1U}) {
        say(who, "begin");
        say(who, "select balance from account where id = 1");
    }
    say(0, "update account set balance = 110 where id = 1");
    say(0, "commit");
    say(1, "update account set balance = 120 where id = 1");
    say(1, "commit");
    EXPECT_THAT(found(), Contains("lost update"));
}

TEST_P(PostgresAnomaly, AWriteSkewIsFound) {
    for (const std::size_t who : {0U, 1U}) {
        say(who, "begin isolation level repeatable read");
        say(who, "select balance from account where id in (1, 2)");
    }
    say(0, "update account set balance = 0 where id = 1");
    say(1, "update account set balance = 0 where id = 2");
    say(0, "commit");
    say(1, "commit");
    EXPECT_THAT(found(), Contains("write skew"));
}

// Rows that no key names: each deletes what the other one has read.
TEST_P(PostgresAnomaly, AWriteSkewIsFoundInATableWithoutAKey) {
    say(0, "insert into bare values (2)");
    for (const std::size_t who : {0U, 1U}) {
        say(who, "begin isolation level repeatable read");
        say(who, "select * from bare");
    }
    say(0, "delete from bare where x = 2");
    say(1, "delete from bare where x = 1");
    say(0, "commit");
    say(1, "commit");
    EXPECT_THAT(found(), Contains("write skew"));
}

TEST_P(PostgresAnomaly, AReadSkewIsFound) {
    say(0, "begin");
    say(0, "select balance from account where id = 1");
    say(1, "begin; update account set balance = 0 where id = 1");
    say(1, "update account set balance = 200 where id = 2; commit");
    say(0, "select balance from account where id = 2");
    say(0, "commit");
    EXPECT_THAT(found(), Contains("read skew"));
}

TEST_P(PostgresAnomaly, WhatIsSerialIsClean) {
    for (int round = 0; round < 5; ++round) {
        for (const std::size_t who : {0U, 1U}) {
            say(who, "begin; select balance from account where id = 1 for update");
            say(who, "update account set balance = balance + 1 where id = 1");
            say(who, "savepoint s; update account set balance = 0 where id = 2; rollback to s");
            say(who, "update account set balance = 5 where id = 3; commit");
        }
    }
    EXPECT_THAT(found(), IsEmpty());
}

/// A row with another key is another row.
TEST_P(PostgresAnomaly, RowsThatChangeTheirKeysAreClean) {
    for (int round = 0; round < 2; ++round) {
        say(0, "delete from account where id = 1");
        say(1, "update account set id = 1, balance = 7 where id = 2");
        say(0, "select * from account");
        say(0, "update account set balance = 8 where id = 1");
        say(1, "insert into account (id, balance) values (2, 9)");
        say(0, "insert into account values (2) on conflict (id) do update set id = 40");
        say(1, "select * from account");
        say(1, "delete from account where id = 40");
        say(0, "insert into account (id, balance) values (2, 1)");
    }
    EXPECT_THAT(found(), IsEmpty());
}

std::string version(const ::testing::TestParamInfo<int>& info) {
    return std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Versions, PostgresCapture, ::testing::Values(15, 18), version);
INSTANTIATE_TEST_SUITE_P(Versions, PostgresAnomaly, ::testing::Values(15, 18), version);

}  // namespace
}  // namespace isotap::test
