#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace isotap::test {

using Words = std::vector<std::string>;

enum class SuiteServer { postgres, mariadb, mysql };

/// A suite of others, on one kind of server.
struct ApplicationSuite {
    std::string name;
    SuiteServer server = SuiteServer::postgres;
    std::string source;  ///< as `suite_source.py` names it
    /// The program, with `{port}` and `{source}` to be filled in; labels come behind them.
    Words command;
    Words labels{};           ///< what is run
    Words more_labels{};      ///< what the whole suite adds
    bool under_exec = false;  ///< is run under `isotap exec` as well
    std::string setup{};      ///< SQL
    Words settings{};         ///< of the server
    std::size_t passes_min = 0;
    /// Share of the statements that are captured in full, of those that are no TRUNCATE: decision
    /// 0010.
    double captured_min = 0;

    friend void PrintTo(const ApplicationSuite& suite, std::ostream* out) { *out << suite.name; }
};

/// All of them.
std::vector<ApplicationSuite> application_suites();

}  // namespace isotap::test
