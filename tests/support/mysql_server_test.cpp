#include "tests/support/mysql_server.hpp"

#include <gtest/gtest.h>

namespace isotap::test {
namespace {

class MysqlServers : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(MysqlServers, AnswerAndComeBackAfterACrash) {
    MysqlServer server({.flavour = GetParam()});
    const std::string version = server.sql("SELECT VERSION()");
    EXPECT_EQ(version.find("MariaDB") == std::string::npos, GetParam() == MysqlFlavour::mysql)
        << version;
    server.sql("CREATE TABLE shop.kept (a INT); INSERT INTO shop.kept VALUES (7)");
    server.kill();
    server.start();
    EXPECT_EQ(server.sql("SELECT a FROM shop.kept"), "7\n");
}

TEST_P(MysqlServers, OfferTlsWhenAsked) {
    const MysqlServer with_tls({.flavour = GetParam(), .tls = true});
    EXPECT_NE(with_tls.sql("SHOW VARIABLES LIKE 'ssl_cert'").find("/tls/"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Each, MysqlServers,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql,
                                         MysqlFlavour::mariadb_11),
                         [](const auto& flavour) { return testing::PrintToString(flavour.param); });

}  // namespace
}  // namespace isotap::test
