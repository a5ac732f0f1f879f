#include "protocol/sql/lexer.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

/// The tokens of a text, one space between them; broken ones and doubts are marked.
std::string cut(std::string_view text, const LexerState& state) {
    Lexer lexer(text, state);
    std::string pieces;
    for (Token token = lexer.next(); !token.is(TokenKind::end); token = lexer.next()) {
        if (token.is(TokenKind::broken)) {
            return pieces + "<broken>";
        }
        pieces += "[" + std::string(token.in(text)) + "]";
    }
    return lexer.sure() ? pieces : pieces + "?";
}

TokenKind kind_of(std::string_view text, const LexerState& state) {
    return Lexer(text, state).next().kind;
}

struct Case {
    std::string_view text;
    std::string_view tokens;
};

TEST(Lexer, CutsPostgres) {
    const LexerState state = postgres_state();
    const Case cases[] = {
        {"", ""},
        {" \t\n ", ""},
        {"select 1", "[select][1]"},
        {"select a.b,\"c d\".\"e\"\"f\"", "[select][a][.][b][,][\"c d\"][.][\"e\"\"f\"]"},
        {"select 'it''s' from t", "[select]['it''s'][from][t]"},
        {R"(select 'a\', 'b')", R"([select]['a\'][,]['b'])"},
        {R"(select E'a\'b', e'\\')", R"([select][E'a\'b'][,][e'\\'])"},
        {"select 'a'\n  'b', 'c' 'd'", "[select]['a'\n  'b'][,]['c']['d']"},
        {"select E'a' -- c\n '\\'b'", "[select][E'a' -- c\n '\\'b']"},
        {"$$it's$$", "[$$it's$$]"},
        {"$a$ $$ $b$ $a$x", "[$a$ $$ $b$ $a$][x]"},
        {"a$b$c", "[a$b$c]"},
        {"$1+$23", "[$1][+][$23]"},
        {"1..10", "[1][..][10]"},
        {"1.5e-3 .5 5. 1e5", "[1.5e-3][.5][5.][1e5]"},
        {"/* a /* b */ c */ x -- y\nz", "[x][z]"},
        {"a::int, b := 1, c => 2", "[a][::][int][,][b][:=][1][,][c][=>][2]"},
        {"a<>-1", "[a][<>][-][1]"},
        {"a@-1", "[a][@-][1]"},
        {"2*-1", "[2][*][-][1]"},
        {"a+--b\n c", "[a][+][c]"},
        {"a*/*c*/b", "[a][*][b]"},
        {"count(*)", "[count][(][*][)]"},
        {"B'01' X'1f' N'a' U&'\\0041' U&\"x\"", "[B'01'][X'1f'][N'a'][U&'\\0041'][U&\"x\"]"},
        {"a[1:2]", "[a][[][1][:][2][]]"},
        {"größe", "[größe]"},
        {"'open", "<broken>"},
        {"a \"open", "[a]<broken>"},
        {"a /* open /* */", "[a]<broken>"},
        {"$tag$ open", "<broken>"},
        {"1_000", "[1][_000]?"},
        {"0x1F", "[0x1F]?"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(cut(c.text, state), c.tokens) << c.text;
    }
}

TEST(Lexer, CutsMysql) {
    const LexerState state = mysql_state();
    const Case cases[] = {
        {"select `a``b`.`c`", "[select][`a``b`][.][`c`]"},
        {R"(select 'a\'b', "c\"d", 'e''f')", R"([select]['a\'b'][,]["c\"d"][,]['e''f'])"},
        {"select 1 # c\n, 2 -- d\n, 3 --4", "[select][1][,][2][,][3][-][-][4]"},
        {"/* a /* b */ c", "[c]"},
        {"select /*+ hint */ 1", "[select][1]"},
        {"1e5 1ea 2foo 0x1F 0x1G 0b01 1.5e3 .5", "[1e5][1ea][2foo][0x1F][0x1G][0b01][1.5e3][.5]"},
        {"t.1a t.5 t .5", "[t][.][1a][t][.][5][t][.5]"},
        {"t.n'x'", "[t][.][n]['x']"},
        {"@a:=@b, @@global.x, @@x, @`c d`, @'e'",
         "[@a][:=][@b][,][@@global][.][x][,][@@x][,][@`c d`][,][@'e']"},
        {"'u'@'h' u@h.net", "['u'][@'h'][u][@h.net]"},
        {"a<=>b->>'$.c'||d&&e", "[a][<=>][b][->>]['$.c'][||][d][&&][e]"},
        {"a=?", "[a][=][?]"},
        {"_utf8'x' n'y' x'1f'", "[_utf8]['x'][n'y'][x'1f']"},
        {"\\N", "[\\N]"},
        {"'open\\'", "<broken>"},
        {"`open", "<broken>"},
        {"/* open", "<broken>"},
        {"$a", "[$a]?"},
    };
    for (const Case& c : cases) {
        EXPECT_EQ(cut(c.text, state), c.tokens) << c.text;
    }
}

TEST(Lexer, ReadsExecutableCommentsAsTheServerWould) {
    const Case on_mysql[] = {
        {"select /*! 1, */ 2", "[select][1][,][2]"},
        {"select /*!50701 1, */ 2", "[select][1][,][2]"},
        {"select /*!90000 1, */ 2", "[select][2]"},
        {"select /*!90000 1, /* x */ 3, */ 2", "[select][2]"},
        {"select /*M! 1, */ 2", "[select][2]"},
        {"select /*!080036 1, */ 2", "[select][1][,][2]?"},
        {"select /*! 1", "[select][1]<broken>"},
        {"/*!", "<broken>"},
    };
    for (const Case& c : on_mysql) {
        EXPECT_EQ(cut(c.text, mysql_state()), c.tokens) << c.text;
    }
    const Case on_mariadb[] = {
        {"select /*!50701 1, */ 2", "[select][2]"},
        {"select /*!50101 1, */ 2", "[select][1][,][2]"},
        {"select /*M!50701 1, */ 2", "[select][1][,][2]"},
        {"select /*!100100 1, */ 2", "[select][1][,][2]"},
        {"select /*!110100 1, */ 2", "[select][2]"},
    };
    for (const Case& c : on_mariadb) {
        EXPECT_EQ(cut(c.text, mariadb_state()), c.tokens) << c.text;
    }
    LexerState unknown_version = mysql_state();
    unknown_version.server_version = 0;
    EXPECT_EQ(cut("select /*!50701 1, */ 2", unknown_version), "[select][2]?");
    EXPECT_EQ(cut("select /*! 1, */ 2", unknown_version), "[select][1][,][2]");
}

TEST(Lexer, SessionSettingsDecideWhatAQuoteMeans) {
    LexerState mysql = mysql_state();
    EXPECT_EQ(kind_of(R"("a")", mysql), TokenKind::string);
    mysql.ansi_quotes = true;
    EXPECT_EQ(kind_of(R"("a")", mysql), TokenKind::quoted_name);
    mysql.no_backslash_escapes = true;
    EXPECT_EQ(cut(R"('a\' 'b')", mysql), R"(['a\']['b'])");

    LexerState postgres = postgres_state();
    postgres.standard_conforming_strings = false;
    EXPECT_EQ(cut(R"('a\'b')", postgres), R"(['a\'b'])");
}

TEST(Lexer, IsNotSureWithoutTheStateOfTheSession) {
    LexerState state = mysql_state();
    state.trail_bytes_look_ascii = true;
    EXPECT_EQ(cut("select 'a'", state), "[select]['a']");
    EXPECT_EQ(cut("select '\x95\x5c'", state).back(), '>') << "\\ is half of a character here";
    EXPECT_EQ(cut("select '\x95x'", state).back(), '?');
    state = mysql_state();
    state.certain = false;
    EXPECT_EQ(cut("select 1", state), "[select][1]?");
    EXPECT_EQ(cut("select 1", LexerState{}), "[select][1]?") << "no dialect";
}

TEST(Lexer, AnyPrefixOfAnyTextEnds) {
    const std::string text = "select E'\\'' $a$ \"x\" /*!50000 y */ @`z` .5e+ 'q' -- e\n 0x /*! z";
    for (const LexerState& state : {postgres_state(), mysql_state(), mariadb_state()}) {
        for (std::size_t length = 0; length <= text.size(); ++length) {
            const std::string_view prefix = std::string_view(text).substr(0, length);
            Lexer lexer(prefix, state);
            std::uint32_t at = 0;
            for (Token token = lexer.next(); !token.is(TokenKind::end); token = lexer.next()) {
                ASSERT_LE(at, token.begin);
                ASSERT_LE(token.end, prefix.size());
                ASSERT_LE(token.begin, token.end);
                if (token.is(TokenKind::broken)) {
                    ASSERT_TRUE(lexer.next().is(TokenKind::end)) << prefix;
                    break;
                }
                ASSERT_LT(token.begin, token.end);
                at = token.end;
            }
        }
    }
}

}  // namespace
}  // namespace isotap::sql
