// The rows of a client's last write are told however it goes.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

class MysqlLastWrite : public MysqlTruth {};

/// It is asked for what it has written once it is known that nothing else comes.
TEST_P(MysqlLastWrite, IsToldOfAClientThatGoesWithoutAWord) {
    const std::string last = "update acc set bal = bal + 1 where id in (3, 4)";
    run(last);
    client_->stream().end_sending();
    while (!client_->ended()) {
        client_->read();
    }
    end();
    expect(last, {"update acc 3", "update acc 4"}, history::Coverage::full);
}

/// Its end overtakes the reply, as it may overtake that to a command of ours behind the write.
TEST_P(MysqlLastWrite, IsToldOfAClientThatDoesNotWait) {
    const std::string update = "update acc set bal = bal + 1 where id < 3";
    MysqlWire hasty(proxy_->place());
    hasty.log_in();
    hasty.query("use shop");
    constexpr std::uint8_t query_command = 0x03;
    hasty.send(mysql_command(query_command, update));
    hasty.stream().end_sending();
    EXPECT_EQ(hasty.read_reply(query_command).back().head(), 0);
    while (!hasty.ended()) {
        hasty.read();
    }
    end();
    expect(update, {"update acc 1", "update acc 2"}, history::Coverage::full);
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlLastWrite,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
