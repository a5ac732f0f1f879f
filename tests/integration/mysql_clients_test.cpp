// Real clients of the MySQL family get the same answers through the proxy as directly, and the
// proxy understands all that they say.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/mysql_connector.hpp"
#include "tests/support/debian_folder.hpp"
#include "tests/support/node_packages.hpp"
#include "tests/support/paths.hpp"
#include "tests/wire/mysql_setting.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

const Route observe{.name = "observe", .mode = "observe"};

/// One server of each kind for the whole program: to start one takes seconds.
MysqlSetting& shared_setting(MysqlFlavour flavour) {
    static std::map<MysqlFlavour, std::unique_ptr<MysqlSetting>> all;
    std::unique_ptr<MysqlSetting>& one = all[flavour];
    if (!one) one = std::make_unique<MysqlSetting>(flavour);
    return *one;
}

class MysqlClients : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        setting_ = &shared_setting(GetParam());
        through_ = setting_->front(observe).port;
    }

    void TearDown() override {
        if (setting_ == nullptr) return;
        for (const char* note : {"desynchronised", "unknown_message", "opaque_compression"}) {
            EXPECT_EQ(setting_->notes(observe, note), 0) << note;
        }
    }

    [[nodiscard]] std::uint16_t direct() const { return setting_->direct().port; }
    [[nodiscard]] std::uint16_t through() const { return through_; }

    static std::string client(const std::string& program, std::uint16_t port,
                              const std::vector<std::string>& arguments,
                              const std::string& input = {}) {
        std::vector<std::string> line{program, "--no-defaults", "--user=tap", "--host=127.0.0.1",
                                      "--port=" + std::to_string(port)};
        line.insert(line.end(), arguments.begin(), arguments.end());
        return run_or_throw({.arguments = line, .input = input});
    }

    MysqlSetting& setting() { return *setting_; }

  private:
    MysqlSetting* setting_ = nullptr;
    std::uint16_t through_ = 0;
};

constexpr const char* script =
    "DROP TABLE IF EXISTS t; CREATE TABLE t (a INT PRIMARY KEY, b TEXT);"
    "INSERT INTO t VALUES (1,'x'),(2,REPEAT('y',70000)); SELECT a, MD5(b) FROM t; BEGIN;"
    "DELETE FROM t; ROLLBACK; SELECT COUNT(*) FROM t; SHOW WARNINGS; DESCRIBE t;"
    "SELECT nonsense; SELECT 'the client goes on';";

TEST_P(MysqlClients, CommandLine) {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--compress"}, {"--quick"}}) {
        std::vector<std::string> arguments{"--force", "--table", "shop"};
        arguments.insert(arguments.begin(), more.begin(), more.end());
        EXPECT_EQ(client("mariadb", through(), arguments, script),
                  client("mariadb", direct(), arguments, script));
    }
}

/// Oracle's own client; MariaDB's knows no zstd.
TEST_P(MysqlClients, CommandLineWithZstd) {
    if (GetParam() != MysqlFlavour::mysql) GTEST_SKIP() << "MariaDB has only zlib";
    const fs::path folder = debian_folder("mysql", {"mysql-server-core", "mysql-client-core"});
    ASSERT_FALSE(folder.empty());
    const std::string more = std::string(script) +
                             "SHOW STATUS LIKE 'Compression_algorithm';"
                             "SELECT REPEAT('z', 20000000), RANDOM_BYTES(0);"
                             "INSERT INTO t VALUES (3,'" +
                             std::string(3'000'000, 'q') + "'); SELECT a, MD5(b) FROM t;";
    for (const char* level : {"1", "22"}) {
        const auto talk = [&](std::uint16_t port) {
            Command mysql{.arguments = program_of(folder, "usr/bin/mysql"), .input = more};
            mysql.arguments.insert(
                mysql.arguments.end(),
                {"--no-defaults", "--user=tap", "--host=127.0.0.1",
                 "--port=" + std::to_string(port), "--compression-algorithms=zstd",
                 std::string("--zstd-compression-level=") + level, "--force", "--table", "shop"});
            return run_or_throw(mysql);
        };
        const std::string said = talk(through());
        EXPECT_NE(said.find("zstd"), std::string::npos);
        EXPECT_TRUE(said == talk(direct())) << said.substr(0, 2000);
    }
}

TEST_P(MysqlClients, Administration) {
    EXPECT_EQ(client("mariadb-admin", through(), {"ping"}),
              client("mariadb-admin", direct(), {"ping"}));
    EXPECT_NE(client("mariadb-admin", through(), {"status"}).find("Uptime"), std::string::npos);
    EXPECT_NE(client("mariadb-admin", through(), {"processlist"}).find("tap"), std::string::npos);
}

TEST_P(MysqlClients, DumpAndReload) {
    setting().server().sql(
        "USE shop; CREATE TABLE d (a INT AUTO_INCREMENT PRIMARY KEY, b LONGBLOB, c TIMESTAMP NULL);"
        "INSERT INTO d (b) VALUES (RANDOM_BYTES(1000)),(REPEAT('\\0\\n\\'',9999)),(NULL);"
        "CREATE DATABASE copy");
    const std::vector<std::string> dump{"--skip-comments", "--routines", "--single-transaction"};
    const auto dump_of = [&](std::uint16_t port, const std::string& database) {
        std::vector<std::string> arguments = dump;
        arguments.push_back(database);
        return client("mariadb-dump", port, arguments);
    };
    const std::string direct_dump = dump_of(direct(), "shop");
    const std::string through_dump = dump_of(through(), "shop");
    EXPECT_EQ(through_dump, direct_dump);
    client("mariadb", through(), {"copy"}, through_dump);
    EXPECT_EQ(dump_of(direct(), "copy"), direct_dump);
}

TEST_P(MysqlClients, Sysbench) {
    for (const std::string prepared : {"auto", "disable"}) {
        for (const std::string command : {"prepare", "run", "cleanup"}) {
            run_or_throw(
                {.arguments = {"sysbench", "oltp_read_write", "--db-driver=mysql",
                               "--mysql-host=127.0.0.1",
                               "--mysql-port=" + std::to_string(through()), "--mysql-user=tap",
                               "--mysql-db=shop", "--tables=2", "--table-size=500", "--threads=2",
                               "--events=150", "--time=60", "--mysql-ignore-errors=1213,1205,1020",
                               "--db-ps-mode=" + prepared, command}});
        }
    }
}

TEST_P(MysqlClients, PyMysql) {
    const auto talk = [](std::uint16_t port) {
        return run_or_throw({.arguments = {"/usr/bin/python3",
                                           source_folder() / "tests/integration/mysql_clients.py",
                                           std::to_string(port)}});
    };
    const std::string said = talk(direct());
    EXPECT_NE(said.find("streamed"), std::string::npos);
    EXPECT_EQ(talk(through()), said);
}

TEST_P(MysqlClients, Mysql2ForNode) {
    static const NodePackages driver = node_packages("mysql2-3.11.5", {"mysql2@3.11.5"});
    if (driver.folder.empty()) GTEST_SKIP() << "SKIPPED: " << driver.why;
    const auto talk = [](std::uint16_t port, const std::string& how) {
        return run_or_throw(
            {.arguments = {"node", source_folder() / "tests/integration/mysql2_client.js",
                           std::to_string(port), how},
             .environment = {{"NODE_PATH", driver.folder / "node_modules"}}});
    };
    for (const std::string how : {"plain", "compress"}) {
        EXPECT_EQ(talk(through(), how), talk(direct(), how)) << how;
    }
}

TEST_P(MysqlClients, Connector) {
    for (const bool compress : {false, true}) {
        EXPECT_EQ(use_connector({.port = through(), .compress = compress}),
                  use_connector({.port = direct(), .compress = compress}));
    }
}

INSTANTIATE_TEST_SUITE_P(Each, MysqlClients,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql,
                                         MysqlFlavour::mariadb_11),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
