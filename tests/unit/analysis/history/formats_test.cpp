#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap::history {
namespace {

TEST(Formats, EveryNameFindsItsFormat) {
    for (const Format format : all_formats()) {
        EXPECT_EQ(format_from(to_string(format)), format);
    }
    EXPECT_EQ(format_from("edn"), std::nullopt);
}

TEST(Formats, ContentTells) {
    const std::pair<std::string_view, Format> samples[] = {
        {"{:index 0, :type :ok}", Format::elle_append},
        {"[{:index 0, :type :ok}]", Format::elle_append},
        {"#jepsen.history.Op{:index 0}", Format::elle_append},
        {"; a comment\n{:type :ok}", Format::elle_append},
        {"[{\"index\":3,\"type\":\"ok\"}]", Format::elle_json},
        {"{\"index\":3,\"type\":\"ok\"}", Format::elle_json},
        {"{\"params\":{},\"data\":[]}", Format::dbcop_json},
        {"[{\"tid\":67,\"sid\":19}]", Format::timekiller},
        {"r(1,0,0,0)\n", Format::plume},
        {"w 0 0\n", Format::awdit},
        {"-----\nw 0 0\n", Format::awdit},
        {"[x:=1]", Format::dbcop_hist},
        {"// words\n[x:=1]", Format::dbcop_hist},
        {"---\n[x==?]", Format::dbcop_hist},
        {"[]\n---\n[x==?]", Format::dbcop_hist},
    };
    for (const auto& [text, format] : samples) {
        EXPECT_EQ(detect_format(text), format) << text;
    }
    for (const std::string_view text : {"", "   ", "hello", "<html>", "{hello}", "\0\1\2"}) {
        EXPECT_EQ(detect_format(text), std::nullopt) << text;
    }
}

TEST(Formats, AFormatThatWasAskedForMustBeTheOneThatIsThere) {
    const std::string_view registers = "{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}";
    EXPECT_EQ(test::read(registers, Format::elle_append),
              "file: contradictory input: asked to read elle-append, but its operations are those "
              "of elle-register");
    EXPECT_EQ(test::read(registers, Format::elle_register), "0: w :x 1\n");
}

TEST(Formats, AnEmptyHistoryIsOneWhenItsFormatIsSaid) {
    for (const Format format : {Format::elle_append, Format::plume, Format::awdit,
                                Format::dbcop_hist, Format::elle_register}) {
        EXPECT_EQ(test::read("", format), "") << to_string(format);
    }
    EXPECT_EQ(test::read(""), "file: unknown format: the file is empty: say --format");
}

TEST(Formats, AFileThatIsNotThereSaysSo) {
    const auto result = read_history("no/such/file");
    ASSERT_TRUE(result.has_error());
    EXPECT_EQ(result.error().message(), "no/such/file: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace isotap::history
