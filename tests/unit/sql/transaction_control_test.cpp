#include "protocol/sql/transaction_control.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

using history::IsolationLevel;
using Verb = TransactionVerb;

TransactionControl postgres(std::string_view text) {
    return read_transaction_control(text, postgres_state());
}

TransactionControl mysql(std::string_view text) {
    return read_transaction_control(text, mysql_state());
}

struct VerbCase {
    std::string_view text;
    Verb verb;
    bool complete = true;
};

TEST(TransactionControl, KnowsTheVerbsOfPostgres) {
    const VerbCase cases[] = {
        {"", Verb::none},
        {"select 1", Verb::none},
        {"begin", Verb::begin},
        {"  /* x */ BEGIN;", Verb::begin},
        {"begin transaction", Verb::begin},
        {"begin work", Verb::begin},
        {"start transaction", Verb::begin},
        {"begin transaction priority high", Verb::begin, false},
        {"begin as of system time '-1s'", Verb::begin, false},
        {"commit", Verb::commit},
        {"commit work and no chain", Verb::commit},
        {"end transaction", Verb::commit},
        {"rollback", Verb::rollback},
        {"abort", Verb::rollback},
        {"rollback and chain", Verb::rollback},
        {"savepoint a", Verb::savepoint},
        {"release a", Verb::release_savepoint},
        {"release savepoint a", Verb::release_savepoint},
        {"rollback to a", Verb::rollback_to_savepoint},
        {"rollback transaction to savepoint a", Verb::rollback_to_savepoint},
        {"prepare transaction 'x'", Verb::prepare},
        {"prepare p as select 1", Verb::none},
        {"prepare p (int) as select $1", Verb::none},
        {"commit prepared 'x'", Verb::commit_prepared},
        {"rollback prepared 'x'", Verb::rollback_prepared},
        {"set transaction read only", Verb::set},
        {"set session characteristics as transaction read write", Verb::set},
        {"set search_path to x", Verb::none},
        {"set default_transaction_isolation to default", Verb::reset},
        {"reset all", Verb::reset},
        {"reset default_transaction_isolation", Verb::reset},
        {"reset search_path", Verb::none},
        {"discard all", Verb::discard_all},
        {"discard plans", Verb::none},
        {"create table t (a int)", Verb::none},
        {"xa start 'x'", Verb::none},
    };
    for (const VerbCase& c : cases) {
        EXPECT_EQ(postgres(c.text).verb, c.verb) << c.text;
        EXPECT_EQ(postgres(c.text).complete, c.complete) << c.text;
    }
}

TEST(TransactionControl, KnowsTheVerbsOfMysql) {
    const VerbCase cases[] = {
        {"begin", Verb::begin},
        {"begin work", Verb::begin},
        {"begin pessimistic", Verb::begin},
        {"begin not atomic select 1", Verb::none},
        {"start transaction with consistent snapshot, read only", Verb::begin},
        {"start slave", Verb::implicit_commit},
        {"commit and chain no release", Verb::commit},
        {"end", Verb::none},
        {"rollback to savepoint a", Verb::rollback_to_savepoint},
        {"xa start 'x' resume", Verb::xa_begin},
        {"xa begin 'x','y',1", Verb::xa_begin},
        {"xa end 'x'", Verb::xa_end},
        {"xa prepare 'x'", Verb::xa_prepare},
        {"xa commit 'x' one phase", Verb::xa_commit},
        {"xa rollback 'x'", Verb::xa_rollback},
        {"xa recover", Verb::none},
        {"create table t (a int)", Verb::implicit_commit},
        {"create temporary table t (a int)", Verb::none},
        {"create or replace temporary table t (a int)", Verb::none},
        {"drop temporary table t", Verb::none},
        {"drop table t", Verb::implicit_commit},
        {"alter table t add b int", Verb::implicit_commit},
        {"truncate t", Verb::implicit_commit},
        {"analyze table t", Verb::implicit_commit},
        {"analyze select 1", Verb::none},
        {"analyze format=json select 1", Verb::none},
        {"load data infile 'x' into table t", Verb::none},
        {"lock tables t read", Verb::implicit_commit},
        {"unlock tables", Verb::implicit_commit, false},
        {"set password = 'x'", Verb::implicit_commit},
        {"set autocommit=0", Verb::set},
        {"set names utf8mb4", Verb::none},
        {"set @a = 1", Verb::none},
        {"set statement max_statement_time=1 for select 1", Verb::none},
        {"/*!40101 SET autocommit=0 */", Verb::set},
        {"prepare p from 'commit'", Verb::none},
    };
    for (const VerbCase& c : cases) {
        EXPECT_EQ(mysql(c.text).verb, c.verb) << c.text;
        EXPECT_EQ(mysql(c.text).complete, c.complete) << c.text;
    }
}

TEST(TransactionControl, ReadsTheModesOfATransaction) {
    const auto full =
        postgres("start transaction isolation level repeatable read, read only, not deferrable");
    EXPECT_TRUE(full.sets_level);
    EXPECT_EQ(full.level, IsolationLevel::repeatable_read);
    EXPECT_EQ(full.read_only, Switch::on);
    EXPECT_EQ(full.deferrable, Switch::off);
    EXPECT_TRUE(full.complete);

    const auto spaced = postgres("begin isolation level serializable read write deferrable");
    EXPECT_EQ(spaced.level, IsolationLevel::serializable);
    EXPECT_EQ(spaced.read_only, Switch::off);
    EXPECT_EQ(spaced.deferrable, Switch::on);

    EXPECT_EQ(postgres("begin isolation level read committed").level,
              IsolationLevel::read_committed);
    EXPECT_EQ(postgres("begin isolation level read uncommitted, read only").level,
              IsolationLevel::read_uncommitted);
    EXPECT_FALSE(postgres("begin").sets_level);

    const auto snapshot = mysql("start transaction with consistent snapshot, read write");
    EXPECT_TRUE(snapshot.complete);
    EXPECT_EQ(snapshot.read_only, Switch::off);
}

struct SetCase {
    std::string_view text;
    SettingScope scope;
    IsolationLevel level;
};

TEST(TransactionControl, KnowsHowFarAPostgresSettingReaches) {
    const SetCase cases[] = {
        {"set transaction isolation level serializable", SettingScope::this_transaction,
         IsolationLevel::serializable},
        {"set local transaction isolation level serializable", SettingScope::this_transaction,
         IsolationLevel::serializable},
        {"set session characteristics as transaction isolation level repeatable read",
         SettingScope::session, IsolationLevel::repeatable_read},
        {"set transaction_isolation = 'repeatable read'", SettingScope::this_transaction,
         IsolationLevel::repeatable_read},
        {"SET default_transaction_isolation TO \"read committed\"", SettingScope::session,
         IsolationLevel::read_committed},
        {"set local default_transaction_isolation to serializable", SettingScope::local,
         IsolationLevel::serializable},
        {"set session default_transaction_isolation = default", SettingScope::session,
         IsolationLevel::unknown},
    };
    for (const SetCase& c : cases) {
        const auto control = postgres(c.text);
        EXPECT_TRUE(control.sets_level) << c.text;
        EXPECT_EQ(control.scope, c.scope) << c.text;
        EXPECT_EQ(control.level, c.level) << c.text;
        EXPECT_TRUE(control.complete) << c.text;
    }
    EXPECT_EQ(postgres("set default_transaction_read_only = on").read_only, Switch::on);
    EXPECT_FALSE(postgres("set default_transaction_read_only = on").sets_level);
    EXPECT_FALSE(postgres("set transaction snapshot '1-2-3'").sets_level);
}

TEST(TransactionControl, KnowsHowFarAMysqlSettingReaches) {
    const SetCase cases[] = {
        {"set transaction isolation level serializable", SettingScope::next_transaction,
         IsolationLevel::serializable},
        {"set session transaction isolation level read committed", SettingScope::session,
         IsolationLevel::read_committed},
        {"set local transaction isolation level read committed", SettingScope::session,
         IsolationLevel::read_committed},
        {"set global transaction isolation level read committed", SettingScope::global,
         IsolationLevel::read_committed},
        {"set tx_isolation = 'REPEATABLE-READ'", SettingScope::session,
         IsolationLevel::repeatable_read},
        {"set @@transaction_isolation = 'SERIALIZABLE'", SettingScope::next_transaction,
         IsolationLevel::serializable},
        {"set @@session.transaction_isolation := \"READ-COMMITTED\"", SettingScope::session,
         IsolationLevel::read_committed},
        {"set @@global.tx_isolation = 0", SettingScope::global, IsolationLevel::read_uncommitted},
        {"set session tx_isolation = @old", SettingScope::session, IsolationLevel::unknown},
        {"set sql_mode='', tx_isolation='serializable'", SettingScope::session,
         IsolationLevel::serializable},
        {"set global max_connections=5, tx_isolation='serializable'", SettingScope::global,
         IsolationLevel::serializable},
        {"set @a = concat('x', (select 1, 2)), tx_isolation='serializable'", SettingScope::session,
         IsolationLevel::serializable},
    };
    for (const SetCase& c : cases) {
        const auto control = mysql(c.text);
        EXPECT_TRUE(control.sets_level) << c.text;
        EXPECT_EQ(control.scope, c.scope) << c.text;
        EXPECT_EQ(control.level, c.level) << c.text;
        EXPECT_TRUE(control.complete) << c.text;
    }
    const auto two = mysql("set tx_isolation='serializable', @@global.tx_read_only=1");
    EXPECT_FALSE(two.complete) << "one value cannot hold two scopes";
}

TEST(TransactionControl, ReadsAutocommit) {
    EXPECT_EQ(mysql("set autocommit=0").autocommit, Switch::off);
    EXPECT_EQ(mysql("SET @@autocommit := ON").autocommit, Switch::on);
    EXPECT_EQ(mysql("set @@session.autocommit = 'off'").autocommit, Switch::off);
    EXPECT_EQ(mysql("set @@global.autocommit = 0").autocommit, Switch::unsaid);
    EXPECT_EQ(mysql("set autocommit = @saved").autocommit, Switch::unclear);
    EXPECT_EQ(mysql("set autocommit = 1 - 1").autocommit, Switch::unclear);
    EXPECT_EQ(mysql("set autocommit = default").autocommit, Switch::unclear);
    const auto both = mysql("set autocommit = 0, tx_isolation = 'serializable'");
    EXPECT_EQ(both.autocommit, Switch::off);
    EXPECT_EQ(both.level, IsolationLevel::serializable);
}

TEST(TransactionControl, ReadsChainAndRelease) {
    EXPECT_EQ(postgres("commit and chain").chain, Switch::on);
    EXPECT_EQ(postgres("rollback and no chain").chain, Switch::off);
    EXPECT_EQ(postgres("commit").chain, Switch::unsaid);
    EXPECT_EQ(mysql("commit release").release, Switch::on);
    EXPECT_EQ(mysql("rollback and no chain no release").release, Switch::off);
    EXPECT_TRUE(mysql("xa commit 'x' one phase").complete);
}

TEST(TransactionControl, NamesWhatItIsAbout) {
    EXPECT_EQ(postgres("savepoint \"A b\"").name, "\"A b\"");
    EXPECT_EQ(postgres("rollback to savepoint sp;").name, "sp");
    EXPECT_EQ(mysql("release savepoint `sp`").name, "`sp`");
    EXPECT_EQ(postgres("prepare transaction 'gid'").name, "'gid'");
    EXPECT_EQ(mysql("xa start 'a', 'b', 3 join").name, "'a', 'b', 3");
}

TEST(TransactionControl, ASavepointHasOneNameHoweverItIsSpelled) {
    EXPECT_EQ(savepoint_name("Sp", Dialect::postgres), "sp");
    EXPECT_EQ(savepoint_name("\"sp\"", Dialect::postgres), "sp");
    EXPECT_EQ(savepoint_name("\"SP\"", Dialect::postgres), "SP") << "another one";
    EXPECT_EQ(savepoint_name("`SP`", Dialect::mysql), "sp");
    EXPECT_EQ(savepoint_name("sP", Dialect::mysql), "sp");
    EXPECT_EQ(savepoint_name("", Dialect::mysql), "");
}

TEST(TransactionControl, SaysSoWhenTheTextCannotBeReadForSure) {
    LexerState state = mysql_state();
    state.certain = false;
    const auto control = read_transaction_control("commit", state);
    EXPECT_EQ(control.verb, Verb::commit);
    EXPECT_FALSE(control.complete);
}

}  // namespace
}  // namespace isotap::sql
