#include "protocol/postgres/instrument/session_tables.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "protocol/sql/plan_own.hpp"
#include "tests/unit/sql/dialects.hpp"

namespace isotap::postgres::instrument {
namespace {

using Meaning = SessionTables::Meaning;

class SessionTablesTest : public ::testing::Test {
  protected:
    void after(std::string_view statement) {
        tokens_.read(statement, state_);
        tables_.on_effect(effect_of(tokens_));
    }
    Meaning meaning(std::string_view statement) {
        tokens_.read(statement, state_);
        sql::parse(tokens_, state_, structure_);
        if (!tables_.obstacle().empty()) {
            return Meaning::unsure;
        }
        return tables_.mentioned_in(tokens_) ? tables_.meaning_of(tokens_, structure_)
                                             : Meaning::shared;
    }

    SessionTables tables_;
    const sql::LexerState state_ = sql::postgres_state();
    sql::TokenList tokens_;
    sql::Structure structure_;
};

TEST_F(SessionTablesTest, TemporaryTablesAreTheSessionsOwn) {
    after("create temp table t (id int)");
    after("create local temporary table if not exists \"U u\" as select 1");
    after("select 1 as a into temporary w from x");
    EXPECT_EQ(meaning("select * from t, \"U u\" join w on true"), Meaning::session);
    EXPECT_EQ(meaning("with c as (select * from t) delete from T using c"), Meaning::session);
    EXPECT_EQ(meaning("insert into pg_temp.t select 1"), Meaning::session);
    EXPECT_EQ(meaning("select * from t, other"), Meaning::unsure);
    EXPECT_EQ(meaning("select * from public.t"), Meaning::unsure);
    EXPECT_EQ(meaning("select * from t, generate_series(1, 2)"), Meaning::unsure);
    EXPECT_EQ(meaning("select t from other"), Meaning::shared) << "a column of that name";
    EXPECT_EQ(meaning("with t as (select 1) select * from t"), Meaning::shared);
    tables_.on_committed();
    EXPECT_EQ(meaning("select * from t"), Meaning::session);
    after("discard temp");
    EXPECT_EQ(meaning("select * from t"), Meaning::shared);
}

TEST_F(SessionTablesTest, WhatIsTemporaryAndNoTableIsNot) {
    after("create temp view v as select * from other");
    EXPECT_EQ(meaning("select * from v"), Meaning::unsure);
    after("create temp table t (id int) on commit drop");
    EXPECT_EQ(meaning("select * from t"), Meaning::session);
    tables_.on_committed();
    EXPECT_EQ(meaning("select * from t"), Meaning::shared);
    after("create temp table t (id int)");
    after("drop table t");
    EXPECT_EQ(meaning("select * from t"), Meaning::unsure) << "another one, perhaps";
}

TEST_F(SessionTablesTest, TablesOfTheOpenTransactionAreItsOwn) {
    after("create table t (id int)");
    after("create table s.u (id int)");
    after("alter table t add column x int");
    after("create index on t (id)");
    EXPECT_EQ(meaning("insert into t select * from s.u"), Meaning::own);
    EXPECT_EQ(meaning("select * from u"), Meaning::unsure);
    EXPECT_EQ(meaning("select * from public.t"), Meaning::unsure);
    EXPECT_EQ(meaning("insert into t select * from other"), Meaning::unsure);
    EXPECT_EQ(meaning("select * from other"), Meaning::shared);
    tables_.on_names_moved();
    EXPECT_EQ(meaning("select * from t"), Meaning::unsure);
    tables_.on_committed();
    EXPECT_EQ(meaning("insert into t values (1)"), Meaning::shared);
}

TEST_F(SessionTablesTest, WhatWasThereBeforeIsNotOwn) {
    for (const char* statement :
         {"create table if not exists t (id int)", "alter table t drop column x",
          "alter table s rename to t", "drop table if exists a, t cascade", "drop view t",
          "grant select on t to somebody", "create or replace view t as select 1",
          "alter sequence t restart", "alter table only t add column b int"}) {
        tables_ = {};
        after(statement);
        EXPECT_EQ(meaning("select * from t"), Meaning::unsure) << statement;
        EXPECT_EQ(meaning("select * from other"), Meaning::shared) << statement;
    }
    after("create table t (id int)");
    EXPECT_EQ(meaning("select * from t"), Meaning::own) << "dropped, and made again";
    after("alter table t rename to v");
    EXPECT_EQ(meaning("select * from t"), Meaning::unsure);
}

TEST_F(SessionTablesTest, SomeChangesMayConcernAnything) {
    for (const char* statement :
         {"create table t (id int) inherits (s)", "create table t partition of s default",
          "create extension hstore", "create aggregate a (int) (sfunc = f, stype = int)",
          "drop schema s cascade", "grant somebody to another",
          "create rule r as on insert to t do nothing",
          "grant select on all tables in schema s to somebody", "alter function f() owner to x",
          "create schema s create table t (id int)",
          "import foreign schema s from server x into y"}) {
        tables_ = {};
        after(statement);
        EXPECT_EQ(tables_.obstacle(), "uncommitted schema change") << statement;
        tables_.on_committed();
        EXPECT_EQ(tables_.obstacle(), "") << statement;
    }
    for (const char* statement :
         {"create index i on t (id)", "create schema s", "create type e as enum ('a')"}) {
        tables_ = {};
        after(statement);
        EXPECT_EQ(meaning("select * from t"), Meaning::shared) << statement;
    }
}

TEST_F(SessionTablesTest, WritesToOwnTablesTellTheirTransaction) {
    const auto planned = [&](std::string_view text) {
        tokens_.read(text, state_);
        sql::parse(tokens_, state_, structure_);
        const sql::Plan plan = sql::make_plan_for_own_table(tokens_, structure_, state_, {});
        std::string out;
        sql::apply(plan, tokens_, "", out);
        return out;
    };
    EXPECT_EQ(planned("insert into t values (1)"),
              "insert into t values (1) returning pg_current_xact_id()::text, t.xmin::text ");
    EXPECT_EQ(planned("update t as a set x = 1 returning x;"),
              "update t as a set x = 1 returning x, pg_current_xact_id()::text, a.xmin::text ;");
    EXPECT_EQ(planned("with c as (select 1) select * from t"),
              "with c as (select 1) select * from t");
}

}  // namespace
}  // namespace isotap::postgres::instrument
