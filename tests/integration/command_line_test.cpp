// What users and scripts rely on: the words, the codes and the signals of the program itself.
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/free_port.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/stream.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

Finished isotap(const Words& words,
                std::vector<std::pair<std::string, std::string>> environment = {}) {
    Command command{.arguments = {isotap_program()}, .environment = std::move(environment)};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    return run(std::move(command));
}

/// A configuration file that the test writes.
class ConfigurationOnDisk {
  public:
    explicit ConfigurationOnDisk(std::string_view text) { write_file(path_, text); }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    TemporaryFolder folder_;
    std::string path_ = folder_.path() / "proxy.toml";
};

/// Where nobody listens: good for everything that never dials.
const std::string nowhere = "postgres://127.0.0.1:1/x";

std::string http(const std::string& url, const std::string& request) {
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    Stream stream(Endpoint{.port = port});
    stream.send(request);
    std::string answer;
    std::array<std::uint8_t, 4096> chunk{};
    while (const std::size_t size = stream.receive(chunk)) {
        answer.append(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return answer;
}

std::string get(const std::string& url, const std::string& path) {
    return http(url, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

TEST(CommandLine, SaysItsVersionAndWhatItIsMadeOf) {
    const Finished finished = isotap({"version"});
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.output, StartsWith("isotap 0."));
    EXPECT_THAT(finished.output, AllOf(HasSubstr("\nbuild "), HasSubstr("\nOpenSSL ")));
    EXPECT_EQ(isotap({"--version"}).output, finished.output);
    EXPECT_EQ(isotap({"version", "please"}).exit_code, 2);
}

TEST(CommandLine, HelpsWithEveryCommand) {
    const Finished overview = isotap({"help"});
    EXPECT_EQ(overview.exit_code, 0);
    EXPECT_THAT(overview.output, AllOf(HasSubstr("isotap proxy"), HasSubstr("isotap version")));
    EXPECT_EQ(isotap({"--help"}).output, overview.output);

    const Finished proxy = isotap({"help", "proxy"});
    EXPECT_EQ(proxy.exit_code, 0);
    EXPECT_THAT(proxy.output, AllOf(HasSubstr("--upstream URL"), HasSubstr("--limits.sessions")));
    EXPECT_EQ(isotap({"proxy", "--help"}).output, proxy.output);
    EXPECT_EQ(isotap({"help", "version"}).exit_code, 0);
    EXPECT_EQ(isotap({"help", "nothing"}).exit_code, 2);
}

TEST(CommandLine, AnswersWrongWordsWithTwoAndWhatToDo) {
    const std::vector<Words> wrong{
        {},
        {"prox"},
        {"proxy"},
        {"proxy", "--upstream", nowhere},
        {"proxy", "--upstream", nowhere, "--listen", "127.0.0.1:0", "--no-such-option"},
        {"proxy", "--upstream", nowhere, "--listen", "127.0.0.1:0", "stray"},
        {"proxy", "--upstream", nowhere, "--listen"},
        {"proxy", "--upstream", nowhere, "--upstream", nowhere, "--listen", "127.0.0.1:0"},
        {"proxy", "--upstream", nowhere, "--listen", "127.0.0.1"},
        {"proxy", "--upstream", "http://127.0.0.1", "--listen", "127.0.0.1:0"},
        {"proxy", "--upstream", nowhere, "--listen", "127.0.0.1:0", "--mode", "instrumental"},
        {"proxy", "--config", "/nowhere/proxy.toml"},
        {"list", "no-such-scenario"},
    };
    for (const Words& words : wrong) {
        const Finished finished = isotap(words);
        EXPECT_EQ(finished.exit_code, 2) << finished.output;
        EXPECT_THAT(finished.output, MatchesRegex("isotap: [^\n]+: [^\n]+\n"));
    }
}

TEST(CommandLine, NamesTheLineOfAnUnknownOption) {
    const ConfigurationOnDisk file(
        "upstream = 'postgres://127.0.0.1:1'\n\nlisen = '127.0.0.1:0'\n");
    const Finished finished = isotap({"proxy", "--config", file.path()});
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_THAT(finished.output,
                StartsWith("isotap: " + file.path() + ":3: unknown option 'lisen': "));
}

TEST(CommandLine, ChecksAConfigurationWithoutRunningIt) {
    const ConfigurationOnDisk good("upstream = '" + nowhere + "'\nlisten = '127.0.0.1:1'\n");
    const Finished checked = isotap({"proxy", "--config", good.path(), "--check-config"});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;

    const ConfigurationOnDisk bad("upstream = '" + nowhere +
                                  "'\nlisten = '127.0.0.1:1'\n[limits]\nlogin-timeout = 5\n");
    const Finished refused = isotap({"proxy", "--config", bad.path(), "--check-config"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.output, HasSubstr(bad.path() + ":4: limits.login-timeout: "));
}

TEST(CommandLine, TakesOptionsFromTheEnvironment) {
    const Words words{"proxy", "--listen", "127.0.0.1:0", "--check-config"};
    EXPECT_EQ(isotap(words, {{"ISOTAP_UPSTREAM", nowhere}}).exit_code, 0);
    const Finished wrong = isotap(words, {{"ISOTAP_UPSTREAM", "x"}});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.output, StartsWith("isotap: ISOTAP_UPSTREAM: "));
}

TEST(CommandLine, FailsWithThreeWhenAPortIsTaken) {
    IsotapProcess first(nowhere, {"--admin", "0"});
    const std::string taken = "127.0.0.1:" + std::to_string(first.port());
    const Finished second = isotap({"proxy", "--upstream", nowhere, "--listen", taken});
    EXPECT_EQ(second.exit_code, 3);
    EXPECT_THAT(second.output, StartsWith("isotap: cannot listen on " + taken));

    const std::string admin = first.admin_url().substr(std::string("http://").size());
    const Finished third =
        isotap({"proxy", "--upstream", nowhere, "--listen", "127.0.0.1:0", "--admin", admin});
    EXPECT_EQ(third.exit_code, 3);
    EXPECT_THAT(third.output, StartsWith("isotap: cannot serve the admin page on " + admin));
}

TEST(CommandLine, FailsWhenACertificateIsNone) {
    const ConfigurationOnDisk no_certificate("this is no certificate\n");
    const Finished finished = isotap({"proxy", "--upstream", nowhere, "--listen", "127.0.0.1:0",
                                      "--tls-certificate", no_certificate.path()});
    EXPECT_THAT(finished.exit_code, testing::AnyOf(2, 3));
    EXPECT_THAT(finished.output, AllOf(StartsWith("isotap: "), HasSubstr(no_certificate.path())));
}

TEST(CommandLine, ListensWhereTheFileSays) {
    const ConfigurationOnDisk file(
        "upstream = '" + nowhere +
        "'\n[[listener]]\nlisten = '127.0.0.1:0'\n[[listener]]\nlisten = '[::1]:0'\n");
    Process process({.arguments = {isotap_program(), "proxy", "--config", file.path()}});
    process.wait_for_line("isotap: listening on 127.0.0.1:");
    process.wait_for_line("isotap: listening on [::1]:");
    EXPECT_EQ(process.stop(), 0);
}

TEST(CommandLine, AnswersOnTheAdminPage) {
    IsotapProcess isotap(nowhere, {"--admin", "127.0.0.1:0"});
    const std::string url = isotap.admin_url();
    EXPECT_THAT(get(url, "/healthz"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\nok\n")));
    EXPECT_THAT(get(url, "/readyz"), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(get(url, "/metrics"), HasSubstr("\nisotap_sessions_open 0\n"));
    EXPECT_THAT(get(url, "/nothing"), StartsWith("HTTP/1.1 404 "));
    EXPECT_THAT(get(url, "/"), AllOf(StartsWith("HTTP/1.1 200 "), HasSubstr("<!doctype html>")));
    EXPECT_THAT(get(url, "/api/status"), HasSubstr("\"verdict\":\"unknown\""));
    EXPECT_THAT(http(url, "PUT /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(http(url, "garbage\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(CommandLine, AsksForTheTokenOfTheAdminPage) {
    const ConfigurationOnDisk token("s3cret\n");
    IsotapProcess isotap(nowhere, {"--admin", "0", "--admin-token-file", token.path()});
    const std::string url = isotap.admin_url();
    EXPECT_THAT(get(url, "/metrics"), StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(http(url, "GET /metrics HTTP/1.1\r\nAuthorization: Bearer s3cret\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(isotap.stop(), 0);
    EXPECT_THAT(isotap.log(), Not(HasSubstr("s3cret")));
}

TEST(CommandLine, EndsWithZeroWhenNothingIsCut) {
    for (const int signal : {SIGTERM, SIGINT}) {
        IsotapProcess isotap(nowhere);
        isotap.process().signal(signal);
        EXPECT_EQ(isotap.process().wait(), 0);
        EXPECT_THAT(isotap.process().all_output(), HasSubstr("no session was cut"));
    }
}

TEST(CommandLine, SurvivesHangupAndSaysWhatItDid) {
    IsotapProcess isotap(nowhere);
    isotap.process().signal(SIGHUP);
    isotap.process().wait_for_line("certificates reloaded");
    EXPECT_EQ(isotap.stop(), 0);
}

TEST(CommandLine, WritesItsLogAsJsonWhenAsked) {
    IsotapProcess isotap(nowhere, {"--log-format", "json"});
    EXPECT_EQ(isotap.stop(), 0);
    EXPECT_THAT(isotap.process().all_output(),
                HasSubstr(R"("level":"info","event":"stopped","detail":)"));
}

}  // namespace
}  // namespace isotap::test
