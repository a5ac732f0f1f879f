// All rows of a session's first write are told: what they are noted in is not there before.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

constexpr std::uint8_t prepare = 0x16;
constexpr std::uint8_t execute = 0x17;
constexpr std::uint8_t reset_connection = 0x1f;

/// The last one stays as it is.
const std::string three_rows = "update acc set bal = if(id < 3, bal + 1, bal) where id < 4";
const std::string two_rows =
    "insert into item (id, v, n) select id + 500, bal, concat('n', id) from acc where id < 3";

class MysqlFirstWrite : public MysqlTruth {
  protected:
    /// The n-th statement of this text.
    Touched touched_by(const std::string& text, int number) {
        for (const auto& [id, transaction] : told_.transactions) {
            for (const RecordedStatement& one : transaction.statements) {
                if (one.text == text && number-- == 0) return touched(one);
            }
        }
        return {"nothing"};
    }

    void run_prepared(const std::string& text) {
        const auto prepared = client_->command(prepare, text);
        ASSERT_EQ(prepared.front().head(), 0);
        const std::string id = prepared.front().payload.substr(1, 4);
        EXPECT_EQ(
            client_->command(execute, id + mysql_number(0, 1) + mysql_number(1, 4)).front().head(),
            0);
    }
};

TEST_P(MysqlFirstWrite, IsToldWhole) {
    run(three_rows);
    client_->command(reset_connection, {});
    client_->query("use shop");
    run(three_rows);
    client_ = proxy_->client();
    run_prepared(three_rows);
    end();
    for (int number = 0; number < 3; ++number) {
        EXPECT_THAT(touched_by(three_rows, number),
                    testing::UnorderedElementsAre("update acc 1", "update acc 2", "update acc 3"))
            << number;
    }
}

TEST_P(MysqlFirstWrite, TellsEachRowOfASource) {
    run(two_rows);
    end();
    const Touched rows = touched_by(two_rows, 0);
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                            [](const std::string& row) { return row.starts_with("insert item"); }),
              2);
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlFirstWrite,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
