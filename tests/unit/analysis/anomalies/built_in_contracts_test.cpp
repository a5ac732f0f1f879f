#include "analysis/anomalies/built_in_contracts.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace isotap::analysis {
namespace {

TEST(BuiltInContracts, AreThoseOfTheFolder) {
    const auto folder = std::filesystem::path{std::getenv("ISOTAP_SOURCE")} / "configs/contracts";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".toml") continue;  // the folder's own page
        const std::string engine = entry.path().stem().string();
        const Contract* contract = built_in_contract(engine);
        ASSERT_NE(contract, nullptr) << engine;
        EXPECT_EQ(contract->engine(), engine);
        ++files;
    }
    EXPECT_EQ(built_in_contracts().size(), files);
    EXPECT_EQ(built_in_contract("no such engine"), nullptr);
}

}  // namespace
}  // namespace isotap::analysis
