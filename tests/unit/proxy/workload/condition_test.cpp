// Which conditions another session may judge, and what they are.
#include "proxy/workload/condition.hpp"

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using history::Dialect;

TEST(Conditions, AreReadFromAStatementOfOneTable) {
    const auto found = condition_of("select * from t where a = 1 or b", Dialect::mysql);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->use, Condition::Use::read);
    EXPECT_EQ(found->table, "t");
    EXPECT_EQ(found->text, "a = 1 or b");
    EXPECT_EQ(found->alias, "t");
}

TEST(Conditions, TellWhatTheStatementDoesWithItsRows) {
    const auto use = [](std::string_view text) {
        return condition_of(text, Dialect::mysql).value().use;
    };
    EXPECT_EQ(use("select * from t where a = 1 for update"), Condition::Use::locking_read);
    EXPECT_EQ(use("select * from t where a = 1 lock in share mode"), Condition::Use::locking_read);
    EXPECT_EQ(use("update t set a = 2 where a = 1"), Condition::Use::write);
    EXPECT_EQ(use("delete from t"), Condition::Use::write);
}

TEST(Conditions, AreNoneWhereRowsMayBeKeptBack) {
    for (const std::string_view text :
         {"select * from t where a = 1 limit 1", "update t set a = 1 where b order by a limit 1",
          "delete from t where a = 1 limit 1", "select * from t where a for update skip locked",
          "select a from t group by a having count(*) > 1", "update ignore t set a = 1 where b",
          "delete ignore from t where b"}) {
        EXPECT_FALSE(condition_of(text, Dialect::mysql)) << text;
    }
}

TEST(Conditions, AreNoneWhereTheSessionOrTheMomentDecides) {
    for (const std::string_view text :
         {"select * from t where a > @x", "select * from t where a > @@server_id",
          "select * from t where a > now()", "select * from t where a > Current_Timestamp",
          "select * from t where a > utc_date", "select * from t where a = ?",
          "select * from other.t where a = 1", "select * from t where a in (select 1)"}) {
        EXPECT_FALSE(condition_of(text, Dialect::mysql)) << text;
    }
    EXPECT_FALSE(condition_of("select * from t where a = current_user", Dialect::postgres));
    EXPECT_FALSE(condition_of("select * from t where a = $1", Dialect::postgres));
    EXPECT_TRUE(condition_of("select * from t where a = 'current_user'", Dialect::postgres));
}

TEST(Conditions, MayChangeTheirMeaningAfterASet) {
    for (const std::string_view text :
         {"set sql_mode = ''", "SET NAMES latin1", "set autocommit = 0, sql_mode = 'ANSI'"}) {
        EXPECT_TRUE(changes_conditions(text, Dialect::mysql)) << text;
    }
    for (const std::string_view text :
         {"set session transaction isolation level serializable", "set autocommit = 0",
          "set innodb_lock_wait_timeout = 1", "update t set a = 1", "select 1", ""}) {
        EXPECT_FALSE(changes_conditions(text, Dialect::mysql)) << text;
    }
    EXPECT_TRUE(changes_conditions("set datestyle = 'German'", Dialect::postgres));
    EXPECT_FALSE(changes_conditions("SET deadlock_timeout = '5s'", Dialect::postgres));
}

}  // namespace
}  // namespace isotap::proxy
