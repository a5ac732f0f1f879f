#include "protocol/sql/lexing_change.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

LexerState after(std::string_view text) {
    return after_statement(text, mariadb_state());
}

TEST(LexingChange, FollowsSqlMode) {
    EXPECT_TRUE(after("set sql_mode='ANSI_QUOTES,STRICT_ALL_TABLES'").ansi_quotes);
    EXPECT_TRUE(after("SET SESSION sql_mode = \"ansi\"").ansi_quotes);
    EXPECT_TRUE(after("set autocommit=1, @@sql_mode := NO_BACKSLASH_ESCAPES").no_backslash_escapes);
    LexerState quotes = mariadb_state();
    quotes.ansi_quotes = true;
    EXPECT_EQ(after_statement("set @@session.sql_mode=''", quotes), mariadb_state());
    EXPECT_FALSE(after("set sql_mode=ORACLE").certain);
}

TEST(LexingChange, FollowsTheCharacterSet) {
    EXPECT_TRUE(after("set names gbk").trail_bytes_look_ascii);
    EXPECT_TRUE(after("set character set 'SJIS'").trail_bytes_look_ascii);
    EXPECT_TRUE(after("set character_set_client = big5").trail_bytes_look_ascii);
    EXPECT_EQ(after("set names utf8mb4"), mariadb_state());
    EXPECT_EQ(after("set names utf8mb4 collate utf8mb4_bin"), mariadb_state());
}

TEST(LexingChange, IsNotCertainOfWhatTheTextDoesNotTell) {
    for (const char* text : {"set sql_mode = default", "set sql_mode = @old", "set sql_mode = 4",
                             "set sql_mode = concat(@@sql_mode, ',ansi')", "set names default",
                             "set sql_mode = ?", "set names 'open"}) {
        EXPECT_FALSE(after(text).certain) << text;
    }
}

TEST(LexingChange, LeavesEverythingElseAlone) {
    for (const char* text : {"select 1", "", "set autocommit = 0", "set @sql_mode = 'ansi'",
                             "set global sql_mode = 'ansi'", "set @@global.sql_mode = 'ansi'",
                             "set statement sql_mode = 'ansi' for select 1",
                             "set session transaction isolation level serializable"}) {
        EXPECT_EQ(after(text), mariadb_state()) << text;
    }
    EXPECT_EQ(after_statement("set names sjis", postgres_state()), postgres_state())
        << "PostgreSQL reports it";
}

}  // namespace
}  // namespace isotap::sql
