#include "protocol/sql/statement_splitter.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

/// The statements of a text, each in angle brackets; those that are not sure with a question mark.
std::string split(std::string_view text, const LexerState& state) {
    StatementSplitter splitter(text, state);
    StatementSpan statement;
    std::string pieces;
    while (splitter.next(statement)) {
        pieces += "<" + std::string(statement.text) + ">" + (statement.sure ? "" : "?");
    }
    return pieces;
}

TEST(StatementSplitter, CutsAtSemicolonsOutsideOfQuotesAndComments) {
    const LexerState state = postgres_state();
    EXPECT_EQ(split("", state), "");
    EXPECT_EQ(split(" ;; ; -- x", state), "");
    EXPECT_EQ(split("begin; select ';' /* ; */ ; commit", state), "<begin><select ';'><commit>");
    EXPECT_EQ(split("select $$a;b$$;select 2;", state), "<select $$a;b$$><select 2>");
    EXPECT_EQ(split("select 'open; x", state), "<select 'open; x>?");
}

TEST(StatementSplitter, KnowsTheBodiesOfPostgres) {
    const LexerState state = postgres_state();
    EXPECT_EQ(split("create rule r as on insert to t do (select 1; select 2); select 3", state),
              "<create rule r as on insert to t do (select 1; select 2)><select 3>");
    EXPECT_EQ(split("create function f() returns int begin atomic select case when true then 1 end;"
                    " select 2; end; select 3",
                    state),
              "<create function f() returns int begin atomic select case when true then 1 end;"
              " select 2; end><select 3>");
    EXPECT_EQ(split("begin; end; select 1", state), "<begin><end><select 1>");
}

TEST(StatementSplitter, LeavesTheBodiesOfMysqlToTheServer) {
    const LexerState state = mariadb_state();
    EXPECT_EQ(split("select 1; create procedure p() begin select 1; end; select 2", state),
              "<select 1><create procedure p() begin select 1; end; select 2>?");
    EXPECT_EQ(split("create procedure p() select 1", state), "<create procedure p() select 1>");
    EXPECT_EQ(split("begin not atomic select 1; end", state), "<begin not atomic select 1; end>?");
    EXPECT_EQ(split("begin; select 1", state), "<begin><select 1>");
    EXPECT_EQ(split("create table t (a int); select 1", state),
              "<create table t (a int)><select 1>");
}

TEST(StatementSplitter, KeepsTheCommentThatHoldsCode) {
    const LexerState state = mariadb_state();
    EXPECT_EQ(split("select 1; /*!40101 set names utf8 */; select /*! 2 */", state),
              "<select 1>< /*!40101 set names utf8 */>< select /*! 2 */>");
    EXPECT_EQ(split("select 1 /*! , 2", state), "<select 1 /*! , 2>?");
    EXPECT_EQ(split("/*! select 1; select 2 */", state), "</*! select 1>?< select 2 */>");
}

}  // namespace
}  // namespace isotap::sql
