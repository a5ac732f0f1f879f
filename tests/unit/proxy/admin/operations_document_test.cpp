// What the code calls by name stands in docs/OPERATIONS.md under that name.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/admin/metrics.hpp"
#include "proxy/ops/limit_table.hpp"
#include "proxy/ops/setting.hpp"

namespace isotap::proxy {
namespace {

using testing::HasSubstr;

std::string document() {
    const char* root = std::getenv("ISOTAP_SOURCE");
    std::ifstream file(std::string(root == nullptr ? "." : root) + "/docs/OPERATIONS.md");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// As it stands in a table or in a sentence.
std::string quoted(const std::string& name) {
    return "`" + name + "`";
}

TEST(OperationsDocument, NamesEveryMetric) {
    const std::string text = document();
    const Log log(LogFormat::text, LogLevel::error);
    Log quiet(LogFormat::text, LogLevel::error);
    ProxyOptions options;
    options.relay.listeners.emplace_back();
    const Tap tap(options, quiet);
    for (const auto& family : Metrics({}, log, &tap).families()) {
        EXPECT_THAT(text, HasSubstr(quoted(family.name)));
    }
}

TEST(OperationsDocument, NamesEveryOption) {
    const std::string text = document();
    for (const Setting& setting : settings()) {
        EXPECT_THAT(text, HasSubstr(quoted(setting.name)));
    }
}

TEST(OperationsDocument, SaysTheDefaultOfEveryLimit) {
    const std::string text = document();
    for (const LimitRow& row : limit_table()) {
        EXPECT_THAT(text, HasSubstr(fmt::format("\n| `limits.{}` | {} | ", row.name,
                                                written_value(row, Limits{}))));
    }
}

TEST(OperationsDocument, NamesEveryNote) {
    const std::string text = document();
    for (std::size_t i = 0; i < protocol::note_count; ++i) {
        EXPECT_THAT(text,
                    HasSubstr(quoted(std::string(to_string(static_cast<protocol::Note>(i))))));
    }
}

}  // namespace
}  // namespace isotap::proxy
