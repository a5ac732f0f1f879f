// Every sample of configs/ is read as the program would read it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/ops/configuration.hpp"
#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

std::filesystem::path folder() {
    return std::filesystem::path(std::getenv("ISOTAP_SOURCE")) / "configs";
}

std::vector<std::filesystem::path> samples() {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() == ".toml") {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

ProxyOptions load(const std::filesystem::path& path) {
    Sources sources;
    sources.file = parse_configuration_file(read_small_file(path), path.filename().string());
    // The certificates and secrets that samples name are on no machine of ours.
    return configure(sources, [](const std::string& file) { return "content of " + file; });
}

TEST(Samples, AreGood) {
    ASSERT_GE(samples().size(), 7U);
    for (const auto& path : samples()) {
        EXPECT_EQ(refusal_of([&] { load(path); }), "") << path;
    }
}

TEST(Samples, ServeTheDialectThatTheirNameSays) {
    for (const auto& path : samples()) {
        const auto listeners = load(path).relay.listeners;
        const std::string name = path.stem();
        const bool mysql = name == "mysql" || name == "mariadb" || name == "tidb";
        const bool postgres = name == "postgresql" || name == "cockroachdb" || name == "staging";
        if (mysql || postgres) {
            ASSERT_EQ(listeners.size(), 1U) << name;
            EXPECT_EQ(listeners[0].upstream.dialect,
                      mysql ? history::Dialect::mysql : history::Dialect::postgres)
                << name;
        } else {
            EXPECT_GE(listeners.size(), 2U) << name;
        }
    }
}

TEST(Samples, OfTheUnitUseOptionsThatThereAre) {
    std::ifstream unit(folder() / "isotap.service");
    std::size_t commands = 0;
    for (std::string line; std::getline(unit, line);) {
        if (!line.starts_with("ExecStart")) {
            continue;
        }
        ++commands;
        EXPECT_NE(line.find("=/usr/bin/isotap proxy --config "), std::string::npos) << line;
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const bool option = word.starts_with("--");
            const bool only_there = word == "--config" || word == "--check-config";
            EXPECT_TRUE(!option || only_there || find_setting(word.substr(2)) != nullptr) << word;
        }
    }
    EXPECT_EQ(commands, 2U);
}

}  // namespace
}  // namespace isotap::proxy
