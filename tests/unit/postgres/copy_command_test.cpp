#include "protocol/postgres/instrument/copy_command.hpp"

#include <string>

#include <gtest/gtest.h>

namespace isotap::postgres::instrument {
namespace {

using Way = CopyCommand::Way;
using Kind = CopyFormat::Kind;

sql::LexerState plain_strings() {
    sql::LexerState state;
    state.dialect = sql::Dialect::postgres;
    state.standard_conforming_strings = true;
    return state;
}

CopyCommand read(const std::string& text) {
    sql::TokenList tokens;
    tokens.read(text, plain_strings());
    return {tokens, plain_strings()};
}

std::optional<CopyFormat> format(const std::string& options) {
    return read("copy t to stdout " + options).format;
}

TEST(CopyCommand, SaysWhichWayRowsGo) {
    for (const char* text :
         {"copy t to stdout", "COPY \"a b\".t (a, \"b)\") TO STDOUT", "copy a.b.c to stdin",
          "copy (select (1)) to stdout", "copy t to stdout;"}) {
        EXPECT_EQ(read(text).way, Way::to_client) << text;
        EXPECT_EQ(read(text).format, CopyFormat()) << text;
    }
    for (const char* text : {"copy t to 'file'", "copy (select 1) to program 'cat'"}) {
        EXPECT_EQ(read(text).way, Way::to_server) << text;
    }
    for (const char* text : {"copy t from stdin", "copy t (a) from 'file'"}) {
        EXPECT_EQ(read(text).way, Way::in) << text;
    }
    for (const char* text : {"copy", "copy t", "copy (", "copy (select 1", "copy t (a to stdout",
                             "copy binary t to stdout", "copy t using delimiters ',' to stdout"}) {
        EXPECT_EQ(read(text).way, Way::unknown) << text;
    }
}

TEST(CopyCommand, ReadsWhatIsSaidOfTheRows) {
    const CopyFormat csv{Kind::csv, ',', '"', '"', "", false};
    CopyFormat header = csv;
    header.header = true;
    for (const char* options : {"csv", "with csv", "(format csv)", "(format 'csv')",
                                "with (FORMAT \"csv\", header false)", "(format csv, header off)",
                                "(format csv, force_quote *)", "(force_quote *, format csv)",
                                "csv force quote *", "force quote * csv", "csv null as ''"}) {
        EXPECT_EQ(format(options), csv) << options;
    }
    for (const char* options :
         {"csv header", "with header csv", "(format csv, header)", "(header true, format csv)"}) {
        EXPECT_EQ(format(options), header) << options;
    }
    const CopyFormat odd{Kind::csv, ';', '\'', '#', "no", false};
    for (const char* options :
         {"csv delimiter ';' quote as '''' escape '#' null 'no'",
          "(format csv, delimiter ';', quote E'\\'', escape '#', null 'no')"}) {
        EXPECT_EQ(format(options), odd) << options;
    }
    EXPECT_EQ(format("csv quote '|'")->escape, '|');
    for (const char* options : {"", "(format text)", "delimiter '\t' null '\\N'",
                                "delimiter E'\\t' null E'\\\\N'", "(delimiter E'\\t')"}) {
        EXPECT_EQ(format(options), CopyFormat()) << options;
    }
    EXPECT_EQ(format("(format binary)")->kind, Kind::binary);
    EXPECT_EQ(format("with binary")->kind, Kind::binary);
}

TEST(CopyCommand, LeavesAloneWhatItDoesNotKnow) {
    for (const char* options : {"(format json)",
                                "(format)",
                                "(format csv",
                                "(format csv) x",
                                "()",
                                "(freeze)",
                                "(encoding 'LATIN1')",
                                "encoding 'UTF8'",
                                "(header match)",
                                "(header 1)",
                                "(format csv, delimiter ',,')",
                                "(delimiter '\\')",
                                "(delimiter $$,$$)",
                                "(delimiter U&',')",
                                "(null '')",
                                "null as 'x'",
                                "(format csv, quote ',')",
                                "csv escape ''",
                                "csv force not null a",
                                "(delimiter ','\n';')",
                                "(delimiter E'\\x2c')",
                                "delimiter",
                                "(format csv, force_quote (a))",
                                "csv force quote a, b",
                                "(force_quote ())",
                                "quote",
                                "(format csv, null)",
                                "where true"}) {
        EXPECT_EQ(format(options), std::nullopt) << options;
    }
}

TEST(CopyCommand, FindsTheQuery) {
    const std::string text = "copy /* ( */ (select ')' from (t)) to stdout";
    sql::TokenList tokens;
    tokens.read(text, plain_strings());
    const CopyCommand command(tokens, plain_strings());
    EXPECT_EQ(tokens.text(command.query), "select ')' from (t)");
    EXPECT_TRUE(read("copy t to stdout").query.empty());
    EXPECT_TRUE(read("copy () to stdout").query.empty());
}

}  // namespace
}  // namespace isotap::postgres::instrument
