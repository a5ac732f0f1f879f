// What cannot begin says why and what to do, and ends with the code for it.
#include <chrono>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/certificates.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int wrong_usage = 2;
constexpr int failed = 3;

Finished proxy(std::vector<std::string> options) {
    options.insert(options.begin(), {isotap_program(), "proxy"});
    return run({.arguments = std::move(options)}, std::chrono::seconds(10));
}

TEST(Start, PortTaken) {
    const IsotapProcess first("postgres://postgres@127.0.0.1:1/postgres");
    const std::string taken = "127.0.0.1:" + std::to_string(first.port());
    const Finished second =
        proxy({"--upstream", "postgres://postgres@127.0.0.1:1/postgres", "--listen", taken});
    EXPECT_EQ(second.exit_code, failed);
    EXPECT_THAT(second.output, StartsWith("isotap: "));
    EXPECT_THAT(second.output, HasSubstr(taken));
}

TEST(Start, WrongUrl) {
    for (const std::string url : {"", "127.0.0.1:5432", "oracle://u@h/d", "postgres://u@h:99999/d",
                                  "postgres://u@h:x/d", "postgres://u@h/d?sslmode=perhaps"}) {
        const Finished refused = proxy({"--upstream", url, "--listen", "127.0.0.1:0"});
        EXPECT_EQ(refused.exit_code, wrong_usage) << url << ": " << refused.output;
        EXPECT_THAT(refused.output, StartsWith("isotap: ")) << url;
    }
}

TEST(Start, SaysNoSecretOfAWrongUrl) {
    const Finished refused =
        proxy({"--upstream", "postgres://u:hush-hush@h:99999/d", "--listen", "127.0.0.1:0"});
    EXPECT_THAT(refused.output, testing::Not(HasSubstr("hush-hush")));
}

TEST(Start, WrongCertificate) {
    const TemporaryFolder folder;
    write_file(folder.path() / "broken.pem", "no certificate at all\n");
    const Finished refused =
        proxy({"--upstream", "postgres://postgres@127.0.0.1:1/postgres", "--listen", "127.0.0.1:0",
               "--tls-certificate", folder.path() / "broken.pem"});
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.output, StartsWith("isotap: "));
    EXPECT_THAT(refused.output, HasSubstr("broken.pem"));
}

TEST(Start, CertificateAndKeyThatDoNotBelongTogether) {
    const TemporaryFolder folder;
    const CertificateAuthority authority(folder.path());
    const Certificate one = authority.issue("one");
    const Certificate other = authority.issue("other");
    const Finished refused =
        proxy({"--upstream", "postgres://postgres@127.0.0.1:1/postgres", "--listen", "127.0.0.1:0",
               "--tls-certificate", one.certificate, "--tls-key", other.key});
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.output, StartsWith("isotap: "));
}

TEST(Start, UnknownOptionInTheFileIsSaidWithItsLine) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "isotap.toml";
    write_file(file,
               "upstream = \"postgres://postgres@127.0.0.1:1/postgres\"\n"
               "listen = \"127.0.0.1:0\"\n"
               "\n"
               "lisen = \"127.0.0.1:1\"\n");
    const Finished refused = proxy({"--config", file});
    EXPECT_EQ(refused.exit_code, wrong_usage);
    EXPECT_THAT(refused.output, StartsWith("isotap: "));
    EXPECT_THAT(refused.output, HasSubstr(file + ":4"));
    EXPECT_THAT(refused.output, HasSubstr("lisen"));
    EXPECT_EQ(proxy({"--config", file, "--check-config"}).exit_code, wrong_usage);
}

TEST(Start, AFileThatIsRightIsAccepted) {
    const TemporaryFolder folder;
    const std::string file = folder.path() / "isotap.toml";
    write_file(file,
               "upstream = \"postgres://postgres@127.0.0.1:1/postgres\"\n"
               "listen = \"127.0.0.1:0\"\n"
               "mode = \"observe\"\n");
    const Finished checked = proxy({"--config", file, "--check-config"});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

TEST(Stop, EndsIdleSessionsWithTheServersOwnFatal) {
    PostgresServer server;
    IsotapProcess isotap(server.url());
    PostgresWire idle({.port = isotap.port()});
    idle.start();
    isotap.process().signal(SIGTERM);
    EXPECT_EQ(error_in(idle.read_until('-')).sqlstate, "57P01");
    EXPECT_EQ(isotap.process().wait(), 0);
}

TEST(Stop, LetsATransactionFinish) {
    PostgresServer server;
    server.sql("CREATE TABLE kept(a int)");
    IsotapProcess isotap(server.url());
    PostgresWire client({.port = isotap.port()});
    client.start();
    client.query("BEGIN; INSERT INTO kept VALUES (1)");
    isotap.process().signal(SIGTERM);
    isotap.process().wait_for_line("stopping");
    EXPECT_EQ(client.query("INSERT INTO kept VALUES (2)").back().type, 'Z');
    client.send(query_message("COMMIT"));
    const std::vector<Frame> last = client.read_until('-');
    ASSERT_FALSE(last.empty());
    EXPECT_EQ(last.front().body, std::string("COMMIT\0", 7));
    EXPECT_EQ(error_in(last).sqlstate, "57P01");
    EXPECT_EQ(isotap.process().wait(), 0);
    EXPECT_EQ(server.sql("SELECT count(*) FROM kept"), "2\n");
}

TEST(Stop, SaysHowManyWereCutWhenTheTimeIsUp) {
    PostgresServer server;
    IsotapProcess isotap(server.url(), {"--drain-timeout", "100ms"});
    PostgresWire client({.port = isotap.port()});
    client.start();
    client.query("BEGIN");
    isotap.process().signal(SIGTERM);
    EXPECT_EQ(error_in(client.read_until('-')).sqlstate, "57P01");
    EXPECT_EQ(isotap.process().wait(), failed);
    EXPECT_THAT(isotap.process().all_output(), HasSubstr("1 session"));
}

TEST(Stop, ASecondSignalForces) {
    PostgresServer server;
    IsotapProcess isotap(server.url());
    PostgresWire client({.port = isotap.port()});
    client.start();
    client.query("BEGIN");
    isotap.process().signal(SIGTERM);
    isotap.process().wait_for_line("stopping");
    isotap.process().signal(SIGTERM);
    EXPECT_EQ(error_in(client.read_until('-')).sqlstate, "57P01");
    EXPECT_EQ(isotap.process().wait(), failed);
}

}  // namespace
}  // namespace isotap::test
