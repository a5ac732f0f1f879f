#include "isotap/proxy/version.hpp"

#include <CLI/Version.hpp>
#include <boost/version.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <sqlite3.h>
#include <toml++/toml.h>

#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {

int run_version(const std::vector<std::string>& arguments) {
    if (!arguments.empty()) {
        refuse("version takes no arguments: leave them out");
    }
    fmt::print("isotap {}\n", version());
    fmt::print("build     {}, {}\n", ISOTAP_BUILD_TYPE, ISOTAP_COMPILER);
    fmt::print("Boost     {}.{}.{}\n", BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1000,
               BOOST_VERSION % 100);
    fmt::print("OpenSSL   {}\n", OpenSSL_version(OPENSSL_VERSION_STRING));
    fmt::print("SQLite    {}\n", sqlite3_libversion());
    fmt::print("spdlog    {}.{}.{}\n", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH);
    fmt::print("fmt       {}.{}.{}\n", FMT_VERSION / 10'000, FMT_VERSION / 100 % 100,
               FMT_VERSION % 100);
    fmt::print("CLI11     {}\n", CLI11_VERSION);
    fmt::print("toml++    {}.{}.{}\n", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH);
    return 0;
}

std::string help_for_version() {
    return "isotap version\n\n"
           "Prints the release, how it was built, and the libraries that it runs with.\n";
}

}  // namespace isotap::proxy
