// Of a text of several statements each is captured as by itself.
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;

constexpr std::uint8_t set_option = 0x1b;
constexpr int refused = 0xff;

class MysqlScript : public MysqlTruth {
  protected:
    void SetUp() override {
        MysqlTruth::SetUp();
        if (IsSkipped()) return;
        client_ = std::make_unique<MysqlWire>(proxy_->place());
        client_->log_in({.capabilities = client_flag::multi_statements});
        client_->query("use shop");
    }
};

const std::string read_one = "select bal from acc where id = 1";
const std::string update_two = "update acc set bal = bal + 1 where id < 3";
const std::string insert_one = "insert into acc values (70, 1)";
const std::string read_again = "select bal from acc where id = 70 for update";
const std::string delete_one = "delete from acc where id = 70";

TEST_P(MysqlScript, TellsEachStatementOfATransaction) {
    run("begin; " + read_one + "; " + update_two + "; " + insert_one + ";\n" + read_again);
    run("commit; select 1");
    run(delete_one + "; select 2 ;");
    end();
    expect(read_one, {"read acc 1"}, Coverage::full);
    expect(update_two, {"update acc 1", "update acc 2"}, Coverage::full);
    expect(insert_one, {"insert acc 70"}, Coverage::full);
    expect(read_again, {"lock acc 70"}, Coverage::full);
    expect(delete_one, {"delete acc 70"}, Coverage::full);
    for (const std::string& one : {update_two, insert_one, read_again}) {
        EXPECT_EQ(statement(one).id.transaction, statement(read_one).id.transaction) << one;
    }
    EXPECT_TRUE(told_.transactions.at(statement(read_one).id.transaction).committed);
    EXPECT_FALSE(told_.transactions.at(statement(read_one).id.transaction).incomplete);
}

TEST_P(MysqlScript, StopsWhereOneFails) {
    const std::string first = "update acc set bal = 5 where id = 3";
    const std::string fails = "insert into acc values (3, 1)";
    const std::string never = "update acc set bal = 6 where id = 4";
    const std::string other = "select bal from acc where id in (3, 4) order by id";
    EXPECT_EQ(client_->query(first + "; " + fails + "; " + never).back().head(), refused);
    const auto unread = client_->query(other + "; selec 1; " + never);
    EXPECT_THAT(unread.back().payload, testing::HasSubstr("'selec 1; " + never + "'"));
    run(read_one);
    end();
    expect(first, {"update acc 3"}, Coverage::full);
    EXPECT_EQ(statement(fails).outcome, history::StatementOutcome::failed);
    EXPECT_THROW(statement(never), std::runtime_error);
    expect(other, {"read acc 3", "read acc 4"}, Coverage::full);
    expect(read_one, {"read acc 1"}, Coverage::full);
}

/// Its shape is that of a write, so that its writer has been named already.
TEST_P(MysqlScript, QuotesWhatStandsBehindAWriteThatCannotBeRead) {
    const std::string never = "update acc set bal = 6 where id = 4";
    const std::string wrong = "update acc set bal = 5, bal; " + never;
    const std::string named = "select ifnull(left(@isotap_writer, 1) = 'T', 0)";
    for (const std::string& text : {wrong, read_one + "; " + wrong, update_two + "; " + wrong}) {
        EXPECT_THAT(client_->query(text).back().payload, testing::HasSubstr("'; " + never + "'"));
        EXPECT_EQ(run(named).at(3).payload,
                  "\1"
                  "0")
            << text;
    }
    run(delete_one + "; " + insert_one);
    end();
    expect(update_two, {"update acc 1", "update acc 2"}, Coverage::full);
    expect(insert_one, {"insert acc 70"}, Coverage::full);
    EXPECT_THROW(statement(never), std::runtime_error);
}

/// What a routine answers is for the server alone to end.
TEST_P(MysqlScript, GoesAsItCameFromACallOn) {
    there().sql(
        "drop procedure if exists shop.p; "
        "create procedure shop.p() select n from shop.item where id = 1");
    const std::string behind = "select n from item where id = 2";
    const auto reply = run(read_one + "; call p(); " + behind + "; set @a = 1");
    EXPECT_EQ(reply.back().head(), 0);
    end();
    expect(read_one, {"read acc 1"}, Coverage::full);
    expect("call p()", {}, Coverage::opaque, "call");
    expect(behind, {}, Coverage::opaque, "several statements");
}

/// As PHP's mysqli does for each such text.
TEST_P(MysqlScript, IsCutWhereItIsAllowedAfterLogin) {
    client_ = proxy_->client();
    EXPECT_EQ(client_->query(read_one + "; " + update_two).back().head(), refused);
    client_->command(set_option, mysql_number(0, 2));
    run(read_one + "; " + update_two);
    client_->command(set_option, mysql_number(1, 2));
    EXPECT_EQ(client_->query(delete_one + "; " + insert_one).back().head(), refused);
    end();
    expect(update_two, {"update acc 1", "update acc 2"}, Coverage::full);
    EXPECT_THROW(statement(insert_one), std::runtime_error);
}

TEST_P(MysqlScript, IsCapturedUpToItsLength) {
    const std::string one = "select id /*" + std::string(27, '.') + "*/ from acc where id = 1;";
    std::string all;
    constexpr int count = 1'000;
    for (int i = 0; i < count; ++i) {
        all += one;
    }
    EXPECT_EQ(run(all).back().sequence, static_cast<std::uint8_t>(count * 5));
    end();
    std::size_t full = 0;
    for (const auto& [id, transaction] : told_.transactions) {
        for (const RecordedStatement& statement : transaction.statements) {
            full += statement.coverage == Coverage::full && statement.accesses.size() == 1 ? 1 : 0;
        }
    }
    EXPECT_EQ(full, static_cast<std::size_t>(count));
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlScript,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
