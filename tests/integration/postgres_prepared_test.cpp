// Statements that SQL or messages have prepared, and what becomes of them when names or tables
// change.
#include <sstream>

#include "tests/integration/captured_statements.hpp"
#include "tests/integration/postgres_capture.hpp"

namespace isotap::test {
namespace {

using ::testing::IsEmpty;

TEST_P(PostgresCapture, StatementsPreparedBySqlAreCaptured) {
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    std::istringstream one_by_one(prepared_by_sql);
    for (std::string sql; std::getline(one_by_one, sql);) both(query_message(sql), sql);
    const std::size_t by_query = accesses;
    EXPECT_EQ(by_query, 37U);
    // Those that were prepared, or prepared anew, among others in one text.
    EXPECT_EQ(reasons["execute"], 4U);
    const auto at_once = [](const std::string& sql) {
        return parse("", sql) + bind_message("", {}) + describe('P', "") + execute();
    };
    both(at_once("prepare e as select id, owner from account where id < 3 order by id") +
             at_once("execute e") + sync,
         "in one pipeline");
    both(parse("run", "execute e") + describe('S', "run") + bind_message("run", {0, 1}) +
             execute() + sync,
         "a format for each column");
    both(at_once("deallocate e") + at_once("prepare e as select balance from account") + sync,
         "prepared again");
    both(bind_message("run", {}) + execute(3) + sync, "by the name that it had");
    both(query_message("execute e; deallocate e; execute e"), "what messages have prepared");
    EXPECT_EQ(accesses, by_query + 2 + 2 + 3 + 20);
    EXPECT_EQ(reasons["execute"], 4U);
    EXPECT_THAT(captured->notes, IsEmpty());
}

/// What EXECUTE runs may be an EXECUTE that messages have prepared, or a FETCH.
TEST_P(PostgresCapture, WhatIsExecutedMayExecuteItself) {
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    both(parse("one", "update account set balance = 2 where id < 4") + sync, "a write");
    both(parse("second", "execute one") + parse("third", "execute second") + sync, "twice");
    const auto run = [](const std::string& sql, int format) {
        return parse("", sql) + bind_message("", {format}) + describe('P', "") + execute() + sync;
    };
    both(run("execute second", 1), "one step");
    both(run("execute third", 0), "two steps");
    both(query_message("execute third"), "as a query");
    EXPECT_EQ(accesses, 3U * 3);
    both(query_message("begin"), "begin");
    both(query_message("declare c cursor for select id, owner from account order by id"), "cursor");
    both(parse("next", "fetch 2 from c") + sync, "its rows");
    both(run("execute next", 1), "executed");
    both(query_message("execute next; rollback"), "executed by a query");
    EXPECT_EQ(accesses, 3U * 3 + 2 * 2);
    both(query_message("deallocate one"), "gone");
    both(parse("one", "execute one") + sync, "refused");
    both(query_message("execute one"), "unknown");
    EXPECT_THAT(captured->notes, IsEmpty());
}

/// Nor does EXECUTE hide what names something: the next one shows its columns.
TEST_P(PostgresCapture, WhatIsExecutedMayNameAnother) {
    direct = std::make_unique<Direct>(at());
    direct->start(to("direct"));
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    const auto run = [](const std::string& sql) {
        return parse("", sql) + bind_message("", {}) + describe('P', "") + execute() + sync;
    };
    both(parse("maker", "prepare q as update account set balance = 3 where id < 4 returning id") +
             parse("gone", "deallocate q") +
             parse("opener", "declare c cursor for select id, owner from account order by id") +
             parse("closer", "close c") + sync,
         "messages");
    both(query_message("execute maker"), "made by a query");
    both(query_message("execute q"), "its columns");
    both(query_message("execute gone"), "taken away by a query");
    both(query_message("execute q"), "refused");
    both(run("execute maker"), "made");
    both(run("execute q"), "its columns, described");
    both(run("execute gone") + run("execute q"), "taken away");
    EXPECT_EQ(accesses, 3U * 2);
    both(query_message("begin; execute opener"), "a cursor");
    both(query_message("rollback"), "gone");
    both(query_message("begin"), "begin");
    both(query_message("execute opener"), "a cursor");
    both(query_message("fetch 2 from c"), "its rows");
    both(query_message("execute closer"), "closed");
    both(run("execute opener") + run("fetch 3 from c") + run("execute closer"), "another");
    both(query_message("rollback; execute maker"), "one of several");
    both(query_message("execute q"), "its columns again");
    EXPECT_THAT(captured->notes, IsEmpty());
}

// The server looks names up again when the search path has changed: rows of another schema's table
// are no rows of this one.
TEST_P(PostgresCapture, PreparedStatementsThatMeanOtherTablesNowTellNothing) {
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    const auto touched_by = [this](const std::string& bytes) {
        const std::size_t before = accesses;
        captured->send(bytes);
        EXPECT_EQ(error_in(captured->read_ready()).text, "");
        return accesses - before;
    };
    const std::string run = bind_message("named", {}) + execute() + sync;
    for (const char* sql : {"create schema tenant",
                            "create table tenant.account as select id, 0 balance from account",
                            "prepare p as select balance from account where id < 4"}) {
        captured->query(sql);
    }
    EXPECT_EQ(touched_by(parse("named", "select balance from account where id < 4") + sync), 0U);
    EXPECT_EQ(touched_by(run), 3U);
    EXPECT_EQ(touched_by(query_message("execute p")), 3U);
    captured->query("set search_path to tenant");
    EXPECT_EQ(touched_by(run), 0U);
    EXPECT_EQ(touched_by(query_message("execute p")), 0U);
    EXPECT_EQ(reasons["prepared when its names stood for others"], 2U);
    captured->query("drop schema tenant cascade");
}

/// What servers say of a result that would be another one: the client is to prepare it again. An
/// error of its own text it gets as it is.
TEST_P(PostgresCapture, WhatIsPreparedForAKeyThatIsGoneIsToBePreparedAgain) {
    captured = std::make_unique<CapturedClient>(at(), *capture);
    captured->start(to("captured"));
    const auto error_of = [this](const std::string& bytes) {
        captured->send(bytes);
        return error_in(captured->read_ready()).sqlstate;
    };
    EXPECT_EQ(error_of(parse("ours", "select balance from account where owner = 'owner 1'") +
                       parse("own", "select id from account where balance = 100") + sync),
              "");
    captured->query("prepare p as select balance from account where owner = 'owner 1'");
    captured->query("alter table account rename column id to number");
    EXPECT_EQ(error_of(bind_message("ours", {}) + execute() + sync), "0A000");
    EXPECT_EQ(error_of(bind_message("p", {}) + execute() + sync), "0A000");
    EXPECT_EQ(error_of(query_message("execute p")), "0A000");
    EXPECT_EQ(error_of(describe('S', "ours") + sync), "0A000");
    EXPECT_EQ(error_of(bind_message("own", {}) + execute() + sync), "42703");
    captured->query("alter table account rename column number to id");
    EXPECT_EQ(error_of(bind_message("ours", {}) + execute() + sync), "");
}

}  // namespace
}  // namespace isotap::test
