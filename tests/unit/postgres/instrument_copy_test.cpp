// COPY to a client, captured, between a client and a server that are nothing but bytes.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/postgres/literal_plans.hpp"
#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

using namespace std::literals;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string parsed = message('1');
const std::string bound = message('2');
const std::string sync = message('S');
const std::string done = message('c');

/// CopyOutResponse of text columns.
std::string out(std::size_t columns, char format = 0) {
    std::string body = {format, 0, static_cast<char>(columns)};
    for (std::size_t i = 0; i < columns; ++i) {
        body += {0, format};
    }
    return message('H', body);
}

std::string row(std::string_view line) {
    return message('d', line);
}

class InstrumentCopyTest : public ::testing::Test {
  protected:
    InstrumentCopyTest() {
        plans.catalog.add("t", sql::VersionSource::system, {"id", "a"});
        setting.plans = &plans;
    }

    /// One that has logged in and speaks UTF-8.
    static void begin(Talk& talk) {
        talk.begun().server(message('S', "client_encoding\0UTF8\0"sv));
        talk.to_client.clear();
    }

    LiteralPlans plans;
    Talk::Setting setting;
};

const std::string copied =
    out(4) + row("1\tx\t1\t700\n") + row("2\ty\t2\t701\n") + done + complete("COPY 2");
const std::string clients = out(2) + row("1\tx\n") + row("2\ty\n") + done + complete("COPY 2");

TEST_F(InstrumentCopyTest, TheRowsOfATableAreToldAndTheClientsOwn) {
    for (const std::size_t slice : {0U, 1U, 7U}) {
        setting.slice = slice;
        Talk talk(setting);
        begin(talk);
        talk.client(query("copy t to stdout"));
        EXPECT_THAT(talk.to_server, HasSubstr("copy (select *, t.\"id\"::text as isotap_1, "));
        talk.server(copied + ready());
        EXPECT_EQ(talk.to_client, clients + ready());
        EXPECT_THAT(talk.events, Contains("T1.1 reads 1 over x700"));
        EXPECT_THAT(talk.events, Contains("T1.1 reads 2 over x701"));
        EXPECT_THAT(talk.events, Contains("T1.1 completed COPY 2 rows 2, full"));
        EXPECT_THAT(talk.notes, Not(Contains(HasSubstr("fuse"))));
    }
}

TEST_F(InstrumentCopyTest, AQueryIsPlannedAsTheStatementThatItIs) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("begin; copy (select * from t) to stdout; delete from t; commit"));
    EXPECT_THAT(talk.to_server,
                HasSubstr("copy (select *, t.\"id\"::text as isotap_1, t.xmin::text "
                          "as isotap_2  from t) to stdout; delete"));
    talk.server(complete("BEGIN") + copied + message('T', "\0\3"sv));
    EXPECT_EQ(talk.to_client.substr(complete("BEGIN").size(), clients.size()), clients);
    EXPECT_THAT(talk.events, Contains("T1.2 completed COPY 2 rows 2, full"));
}

TEST_F(InstrumentCopyTest, ItGoesByExtendedMessagesToo) {
    Talk talk(setting);
    begin(talk);
    const std::string bind_formats = message('B', "\0\0\0\0\0\0\0\2\0\0\0\0"sv);
    talk.client(parse("", "copy t to stdout") + bind_formats + message('D', "P\0"sv) +
                message('E', "\0\0\0\0\1"sv) + sync);
    EXPECT_THAT(talk.to_server, HasSubstr("isotap_1"));
    EXPECT_THAT(talk.to_server, HasSubstr(bind_formats));
    talk.server(parsed + bound + message('n') + copied + ready());
    EXPECT_EQ(talk.to_client, parsed + bound + message('n') + clients + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 completed COPY 2 rows 2, full"));
}

TEST_F(InstrumentCopyTest, CopyDataMayHoldAnyPartOfTheRows) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("copy t to stdout (format csv)"));
    talk.server(out(4) + row("1,x,1,700\n2,") + row("y") + row(",2,7") + row("01\n") + done +
                complete("COPY 2") + ready());
    EXPECT_EQ(talk.to_client,
              out(2) + row("1,x\n2,") + row("y") + row("\n") + done + complete("COPY 2") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 reads 2 over x701"));
}

TEST_F(InstrumentCopyTest, WhatWasKeptBackGoesWithTheEnd) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("copy t (a) to stdout csv"));
    talk.server(out(3) + row("\\.") + done + complete("COPY 1") + ready());
    EXPECT_EQ(talk.to_client, out(1) + row("\\.") + done + complete("COPY 1") + ready());
}

TEST_F(InstrumentCopyTest, RowsThatAreNotThePlannedOnesPassAsTheyAre) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("copy t to stdout"));
    const std::string rows = row("1\tx\n") + row("1\tx\t1\t700\n") + done + complete("COPY 2");
    talk.server(out(4) + rows + ready());
    EXPECT_EQ(talk.to_client, out(2) + rows + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 completed COPY 2 rows 2, opaque"));
    EXPECT_THAT(talk.events, Contains("name fuse"));
    for (const std::string& first : {out(1), out(4, 1), message('H', "\0"sv)}) {
        Talk other(setting);
        begin(other);
        other.client(query("copy t to stdout")).server(first + copied);
        EXPECT_EQ(other.to_client.substr(0, first.size()), first);
    }
}

TEST_F(InstrumentCopyTest, AFailureEndsIt) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("copy t to stdout"));
    talk.server(out(4) + row("1\tx\t1\t700\n") + error("22012") + ready());
    EXPECT_EQ(talk.to_client, out(2) + row("1\tx\n") + error("22012") + ready());
    talk.to_client.clear();
    talk.client(query("copy (select 1) to stdout"));
    talk.server(out(1) + row("1\n") + done + complete("COPY 1") + ready());
    EXPECT_EQ(talk.to_client, out(1) + row("1\n") + done + complete("COPY 1") + ready());
}

// No error of a COPY of a table has a place in the text.
TEST_F(InstrumentCopyTest, AnErrorInAQueryOfOursHasNoPlace) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("copy t to stdout"));
    const auto position = [](std::string_view where) {
        return message('E', "SERROR\0C42P01\0Mgone\0"s + std::string(where) + "\0"s);
    };
    talk.server(position("P15\0"sv) + ready());
    EXPECT_EQ(talk.to_client, position("") + ready());
    Talk other(setting);
    begin(other);
    other.client(query("copy (select nothing from t) to stdout"));
    other.server(position("P14\0"sv) + ready());
    EXPECT_EQ(other.to_client, position("P14\0"sv) + ready());
}

TEST_F(InstrumentCopyTest, WhatIsNotCapturedGoesAsItCame) {
    struct Case {
        std::string text;
        std::string reason;
    };
    for (const Case& one : std::vector<Case>{
             {"copy t from stdin", "name copy from"},
             {"copy t to 'file'", "name copy to a file"},
             {"copy (select * from t) to program 'cat'", "name copy to a file"},
             {"copy (select 1) to 'file'", ""},
             {"copy (select 1) to stdout", ", full"},
             {"copy t to stdout (encoding 'LATIN1')", "name copy options"},
             {"copy t to stdout null ''", "name copy options"},
             {"copy (delete from t) to stdout", "name copy"},
             {"copy binary t to stdout", "name copy"},
         }) {
        Talk talk(setting);
        begin(talk);
        talk.client(query(one.text));
        EXPECT_EQ(talk.to_server.substr(talk.to_server.size() - query(one.text).size()),
                  query(one.text));
        talk.server(complete("COPY 1") + ready());
        const bool gap = one.reason.starts_with("name");
        if (gap) {
            EXPECT_THAT(talk.events, Contains(one.reason)) << one.text;
        }
        EXPECT_THAT(talk.events,
                    Contains("T1.1 completed COPY 1 rows 1" + (gap ? ", opaque" : one.reason)))
            << one.text;
    }
    Talk named(setting);
    begin(named);
    named.client(parse("p", "copy t to stdout"));
    EXPECT_THAT(named.to_server, HasSubstr(parse("p", "copy t to stdout")));
}

TEST_F(InstrumentCopyTest, TablesOfTheSessionAreNoGap) {
    Talk talk(setting);
    begin(talk);
    talk.client(query("create temp table mine (a int)"));
    talk.server(complete("CREATE TABLE") + ready());
    for (const char* text :
         {"copy mine from stdin", "copy mine to stdout", "copy mine to 'file'"}) {
        talk.events.clear();
        talk.client(query(text)).server(complete("COPY 3") + ready());
        EXPECT_THAT(talk.events, Contains(EndsWith("completed COPY 3 rows 3"))) << text;
    }
}

}  // namespace
}  // namespace isotap::postgres::test
