// LOAD DATA LOCAL through an isotap that captures: the file goes to the server, and its rows are
// told.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;

constexpr std::uint8_t query_command = 0x03;
constexpr int file_asked_for = 0xfb;
constexpr int refused = 0xff;

class MysqlLoad : public MysqlTruth {
  protected:
    void SetUp() override {
        MysqlTruth::SetUp();
        if (IsSkipped()) return;
        client_ = std::make_unique<MysqlWire>(proxy_->place());
        client_->log_in({.capabilities = client_flag::local_files});
        client_->query("use shop");
    }

    /// The last packet of the answer. The file goes piece by piece, and an empty one.
    MysqlPacket load(const std::string& sql, const std::vector<std::string>& pieces) {
        MysqlPacket answer = client_->query(sql).back();
        if (answer.head() == file_asked_for) {
            std::uint8_t sequence = answer.sequence;
            for (const std::string& piece : pieces) {
                client_->send(mysql_packet(++sequence, piece));
            }
            client_->send(mysql_packet(++sequence, ""));
            answer = client_->read_reply(query_command).back();
            EXPECT_EQ(answer.sequence, static_cast<std::uint8_t>(sequence + 1)) << sql;
        }
        learn();
        return answer;
    }

    static bool told_by_triggers() { return GetParam() == MysqlFlavour::mysql; }
};

const std::string load_acc = "load data local infile 'acc' into table acc";
const std::string replace_acc = "load data local infile 'acc' replace into table acc";

TEST_P(MysqlLoad, TellsTheRowsOfAFile) {
    const std::string with_set =
        "load data local infile 'b' into table acc fields terminated by ',' lines terminated by ';'"
        " ignore 1 lines (id, @b) set bal = @b * 2";
    const std::string numbered = "load data local infile 'c' into table item (v, n)";
    EXPECT_THAT(load(load_acc, {"80\t1\n", "81\t2\n"}).payload,
                testing::HasSubstr("Records: 2  Deleted: 0  Skipped: 0  Warnings: 0"));
    EXPECT_EQ(load(with_set, {"id,bal;82,5;"}).head(), 0);
    EXPECT_EQ(load(numbered, {"9\tnine\n"}).head(), 0);
    EXPECT_EQ(load(replace_acc, {"83\t1\n"}).head(), 0);
    const auto doubled = client_->query("select bal from acc where id = 82");
    EXPECT_EQ(doubled.at(doubled.size() - 2).payload,
              "\x02"
              "10");
    end();
    expect(load_acc, {"insert acc 80", "insert acc 81"}, Coverage::full);
    expect(with_set, {"insert acc 82"}, Coverage::full);
    expect(numbered, {"insert item 5"}, Coverage::full);
    expect(replace_acc, {"insert acc 83"}, Coverage::full);
}

/// On MariaDB rows that are skipped have got a name all the same, and nothing says which.
TEST_P(MysqlLoad, SaysWhereItsRowsMetOthers) {
    EXPECT_THAT(load(load_acc, {"1\t1\n", "90\t1\n"}).payload, testing::HasSubstr("Skipped: 1"));
    EXPECT_THAT(load(replace_acc, {"2\t5\n", "91\t1\n"}).payload, testing::HasSubstr("Deleted: 1"));
    const std::string in_vain = "load data local infile 'again' into table acc";
    EXPECT_THAT(load(in_vain, {"3\t1\n", "4\t1\n"}).payload, testing::HasSubstr("Skipped: 2"));
    end();
    expect(in_vain, {}, Coverage::partial, "rows that IGNORE skips");
    if (told_by_triggers()) {
        expect(load_acc, {"insert acc 90"}, Coverage::partial, "rows that IGNORE skips");
        EXPECT_EQ(statement(replace_acc).accesses.size(), 3U);
        EXPECT_EQ(statement(replace_acc).coverage, Coverage::full);
    } else {
        expect(load_acc, {}, Coverage::opaque, "rows that IGNORE skips");
        EXPECT_EQ(statement(replace_acc).accesses.size(), 2U);
        EXPECT_EQ(statement(replace_acc).reason, "rows that REPLACE removes");
    }
}

/// What is wrong is wrong as the server says it, and the session goes on.
TEST_P(MysqlLoad, TellsNothingOfWhatFails) {
    const std::string nowhere = "load data local infile 'x' into table acc (id, nothing)";
    const std::string wrong = "load data local infile 'x' into acc";
    const std::string empty = "load data local infile 'x' into table sale";
    EXPECT_EQ(load(nowhere, {"80\t1\n"}).head(), refused);
    EXPECT_EQ(load(wrong, {"80\t1\n"}).head(), refused);
    EXPECT_EQ(load(empty, {}).head(), 0);
    // The writer was theirs alone.
    const auto named = client_->query("select ifnull(left(@isotap_writer, 1) = 'T', 0)");
    EXPECT_EQ(named.at(named.size() - 2).payload,
              "\x01"
              "0");
    const std::string read = "select bal from acc where id = 4";
    run(read);
    end();
    EXPECT_THAT(touched(statement(nowhere)), testing::IsEmpty());
    expect(empty, {}, Coverage::full);
    expect(read, {"read acc 4"}, Coverage::full);
}

/// What a session notes is bounded. Rows that are left out are counted.
TEST_P(MysqlLoad, CountsRowsThatAreTooMany) {
    constexpr int first = 1'000;
    constexpr int rows = 130'000;
    std::vector<std::string> pieces(1);
    for (int id = first; id < first + rows; ++id) {
        constexpr std::size_t enough = 60'000;
        if (pieces.back().size() > enough) pieces.emplace_back();
        pieces.back() += std::to_string(id) + "\t1\n";
    }
    EXPECT_THAT(load(load_acc, pieces).payload, testing::HasSubstr("Records: 130000  Deleted: 0"));
    end();
    EXPECT_EQ(statement(load_acc).coverage, Coverage::partial);
    EXPECT_EQ(statement(load_acc).reason, "too many rows");
    EXPECT_EQ(told_.gaps, 1U);
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlLoad,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
