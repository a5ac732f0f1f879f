// Statements that are captured, between a client and a server that are nothing but bytes.
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
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string sync = message('S');
const std::string parsed = message('1');
const std::string bound = message('2');
const std::string describe_portal = message('D', "P\0"sv);

std::string be16(std::size_t value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value)};
}
std::string be32(std::size_t value) {
    return be16(value >> 16) + be16(value & 0xffffU);
}

/// A row; "-" stands for NULL.
std::string row(const std::vector<std::string>& values) {
    std::string body = be16(values.size());
    for (const std::string& value : values) {
        body += value == "-" ? be32(0xffffffffU) : be32(value.size()) + value;
    }
    return message('D', body);
}

std::string columns(const std::vector<std::string>& names, std::uint32_t type = 25) {
    std::string body = be16(names.size());
    for (const std::string& name : names) {
        body += name + '\0' + be32(0) + be16(0) + be32(type) + be16(0) + be32(0) + be16(0);
    }
    return message('T', body);
}

std::string error_at(std::size_t position) {
    return message('E', "SERROR\0C42883\0Mwords\0P"s + std::to_string(position) + "\0Wctx\0\0"s);
}

std::string bind_formats(std::string_view statement, const std::vector<int>& formats) {
    std::string body = '\0' + std::string(statement) + '\0' + be16(0) + be16(0);
    body += be16(formats.size());
    for (const int format : formats) {
        body += be16(static_cast<std::size_t>(format));
    }
    return message('B', body);
}

class InstrumentTest : public ::testing::Test {
  protected:
    InstrumentTest() {
        plans.catalog.add("t", sql::VersionSource::system, {"id", "a"});
        setting.plans = &plans;
    }

    LiteralPlans plans;
    Talk::Setting setting;
};

const std::string select = "select a from t";

/// The text of the one Query that the server got.
std::string query_text(const std::string& to_server) {
    return to_server.substr(5, to_server.size() - 6);
}

TEST_F(InstrumentTest, AReadIsToldAndItsRowsAreTheClientsOwn) {
    Talk talk(setting);
    talk.begun().client(query(select));
    EXPECT_THAT(query_text(talk.to_server), HasSubstr("xmin"));
    talk.server(columns({"a", "id", "xmin"}) + row({"7", "1", "700"}) + row({"-", "2", "701"}) +
                complete("SELECT 2") + ready());
    EXPECT_EQ(talk.to_client,
              columns({"a"}) + row({"7"}) + row({"-"}) + complete("SELECT 2") + ready());
    EXPECT_THAT(talk.events,
                ElementsAre("T1 began, implicit", "T1 at RC (default)", "T1.1: select a from t",
                            "name public.t", "row 1", "T1.1 reads 1 over x700", "row 2",
                            "T1.1 reads 2 over x701", "T1.1 completed SELECT 2 rows 2, full",
                            "T1 committed"));
}

TEST_F(InstrumentTest, TheRowsOfAWriteVanish) {
    Talk talk(setting);
    talk.begun().client(query("insert into t values (1, 2)"));
    EXPECT_THAT(talk.to_server, HasSubstr(" returning "));
    talk.server(columns({"id", "xmin", "tx"}) + row({"1", "800", "4294968096"}) +
                complete("INSERT 0 1") + ready());
    EXPECT_EQ(talk.to_client, complete("INSERT 0 1") + ready());
    EXPECT_THAT(talk.events, Contains("T1 is 800"));
    EXPECT_THAT(talk.events, Contains("T1.1 inserts 1 over unborn makes T1.1"));
}

TEST_F(InstrumentTest, ThePiecesOfAQueryHaveAPlanEach) {
    Talk talk(setting);
    talk.begun().client(query("delete from t; begin; " + select + "; commit"));
    talk.server(columns({"id", "xmin", "tx"}) + row({"5", "800", "801"}) + complete("DELETE 1") +
                complete("BEGIN") + columns({"a", "id", "xmin"}) + row({"7", "1", "700"}) +
                complete("SELECT 1") + complete("COMMIT") + ready());
    EXPECT_EQ(talk.to_client, complete("DELETE 1") + complete("BEGIN") + columns({"a"}) +
                                  row({"7"}) + complete("SELECT 1") + complete("COMMIT") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 deletes 5 over x800 makes dead"));
    EXPECT_THAT(talk.events, Contains("T1.3 reads 1 over x700"));
}

TEST_F(InstrumentTest, ExtendedMessagesKnowWhatTheirNamesMean) {
    Talk talk(setting);
    talk.begun().client(parse("s", select) + bind_formats("s", {1, 0}) + describe_portal +
                        execute("") + sync);
    EXPECT_THAT(talk.to_server, HasSubstr(bind_formats("s", {1, 0, 0, 0})));
    talk.server(parsed + bound + columns({"a", "id", "xmin"}) + row({"7", "1", "700"}) +
                complete("SELECT 1") + ready());
    EXPECT_EQ(talk.to_client,
              parsed + bound + columns({"a"}) + row({"7"}) + complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 reads 1 over x700"));
    EXPECT_THAT(talk.events, Contains("T1.1 completed SELECT 1 rows 1, full"));
}

TEST_F(InstrumentTest, OneFormatForAllColumnsStays) {
    Talk talk(setting);
    talk.begun().client(parse("s", select) + bind_formats("s", {1}));
    EXPECT_THAT(talk.to_server, HasSubstr(bind_formats("s", {1})));
}

TEST_F(InstrumentTest, AWriteDescribesItselfAsWithoutColumns) {
    Talk talk(setting);
    talk.begun().client(parse("", "delete from t") + message('D', "S\0"sv) +
                        bind_formats("", {1, 1}) + describe_portal + message('E', "\0\0\0\0\5"sv) +
                        sync);
    EXPECT_THAT(talk.to_server, HasSubstr(bind_formats("", {})));
    EXPECT_THAT(talk.to_server, HasSubstr(execute("")));
    const std::string three = columns({"id", "xmin", "tx"});
    talk.server(parsed + message('t', "\0\0"sv) + three + bound + three + row({"1", "7", "8"}) +
                complete("DELETE 1") + ready());
    EXPECT_EQ(talk.to_client, parsed + message('t', "\0\0"sv) + message('n') + bound +
                                  message('n') + complete("DELETE 1") + ready());
}

TEST_F(InstrumentTest, AnErrorPointsIntoTheClientsText) {
    Talk talk(setting);
    const std::string text = "select 'ä', nothing(a) from t where b = 1";
    talk.begun().server(message('S', "client_encoding\0UTF8\0"sv));
    talk.client(query(text));
    const std::string sent = query_text(talk.to_server);
    const std::size_t added = sent.size() - text.size();
    ASSERT_GT(added, 0U);
    talk.server(error_at(37 + added) + ready());  // the b, in characters
    EXPECT_THAT(talk.to_client, HasSubstr("P37\0Wctx"s));
}

TEST_F(InstrumentTest, WhatFailsIsTakenBack) {
    Talk talk(setting);
    talk.begun().client(parse("s", select) + sync).server(parsed + ready());
    // The first message fails, so that the server never sees the others.
    talk.client(bind("", "none") + message('C', "Ss\0"sv) + parse("s", "select 1") + sync);
    talk.server(error("26000") + ready());
    talk.to_server.clear();
    talk.client(bind_formats("s", {0, 0}) + execute("") + sync);
    EXPECT_THAT(talk.to_server, HasSubstr(bind_formats("s", {0, 0, 0, 0})));
}

TEST_F(InstrumentTest, AClientIsHeldUntilThereIsAPlan) {
    plans.slow = true;
    Talk talk(setting);
    talk.begun().client(query(select) + query("select 1")).client(sync);
    EXPECT_THAT(talk.asked, ElementsAre("hold"));
    EXPECT_EQ(talk.to_server, "");
    EXPECT_EQ(talk.phase(), protocol::Phase::busy);
    talk.release();
    EXPECT_THAT(talk.to_server, HasSubstr("xmin"));
    EXPECT_THAT(talk.asked, ElementsAre("hold", "hold"));  // the second query
    talk.release();
    EXPECT_THAT(talk.to_server, ::testing::EndsWith(query("select 1") + sync));
}

TEST_F(InstrumentTest, WhatIsHeldGoesOnWhenNobodyUnderstandsTheServer) {
    plans.slow = true;
    Talk talk(setting);
    talk.begun().client(query(select) + sync);
    talk.server(complete("WHAT"));
    EXPECT_TRUE(talk.blind());
    EXPECT_EQ(talk.to_server, query(select) + sync);
    talk.release();
    EXPECT_EQ(talk.to_server, query(select) + sync);
}

TEST_F(InstrumentTest, WhatIsNotWholeGoesOnWhenNobodyUnderstandsTheRest) {
    Talk talk(setting);
    const std::string half = query(select).substr(0, 9);
    talk.begun().client(half).server(complete("WHAT"));
    EXPECT_TRUE(talk.blind());
    EXPECT_EQ(talk.to_server, half);

    Talk other(setting);
    other.begun().client(query(select)).server(row({"7", "1", "5"}).substr(0, 8));
    other.to_server.clear();
    const std::string malformed = "Q\0\0\0\1"s;
    other.client(malformed.substr(0, 2)).client(malformed.substr(2));
    EXPECT_TRUE(other.blind());
    EXPECT_EQ(other.to_server, malformed);
    EXPECT_EQ(other.to_client, row({"7", "1", "5"}).substr(0, 8));
}

TEST_F(InstrumentTest, AStatementThatIsTooLongStreams) {
    setting.limits.observed_message = 256;
    for (const std::size_t slice : {0U, 1U, 3U}) {
        setting.slice = slice;
        Talk talk(setting);
        const std::string text = "select a from t where a = '" + std::string(300, 'x') + "'";
        talk.begun().client(query(text) + parse("", text) + sync);
        EXPECT_EQ(talk.to_server, query(text) + parse("", text) + sync);
        talk.server(complete("SELECT 0") + ready());
        EXPECT_THAT(talk.events, Contains("name statement too long"));
        EXPECT_THAT(talk.events, Contains("T1.1 completed SELECT 0 rows 0, opaque"));
    }
}

TEST_F(InstrumentTest, ALongBindIsAdaptedAllTheSame) {
    setting.limits.observed_message = 256;
    Talk talk(setting);
    const std::string value(1000, 'v');
    const std::string front = "\0s\0"s + be16(0) + be16(1) + be32(value.size()) + value;
    talk.begun().client(parse("s", "select a, a from t where a = $1"));
    talk.to_server.clear();
    talk.client(message('B', front + be16(2) + be16(1) + be16(1)));
    EXPECT_EQ(talk.to_server,
              message('B', front + be16(4) + be16(1) + be16(1) + be16(0) + be16(0)));
}

TEST_F(InstrumentTest, TheFirstSurpriseEndsItAndNothingElse) {
    Talk talk(setting);
    talk.begun().client(query(select));
    talk.server(columns({"a", "id", "xmin"}) + row({"7", "1", "bogus"}) + row({"8", "1", "5"}) +
                complete("SELECT 2") + ready());
    EXPECT_THAT(talk.notes, ElementsAre("fuse"));
    EXPECT_EQ(talk.to_client,
              columns({"a"}) + row({"7"}) + row({"8"}) + complete("SELECT 2") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1 completed SELECT 2 rows 2, opaque"));
    EXPECT_THAT(talk.events, Not(Contains(HasSubstr("reads"))));
    talk.to_server.clear();
    talk.client(query(select));
    EXPECT_EQ(talk.to_server, query(select));
}

TEST_F(InstrumentTest, OtherColumnsThanPlannedPassAsTheyAre) {
    Talk talk(setting);
    talk.begun().client(query(select));
    const std::string answer = columns({"a"}) + row({"7"}) + complete("SELECT 1") + ready();
    talk.server(answer);
    EXPECT_EQ(talk.to_client, answer);
    EXPECT_THAT(talk.notes, ElementsAre("fuse"));
}

TEST_F(InstrumentTest, RowsBeyondTheLimitAreCounted) {
    setting.limits.rows_per_statement = 1;
    Talk talk(setting);
    talk.begun().client(query(select));
    talk.server(columns({"a", "id", "xmin"}) + row({"7", "1", "5"}) + row({"8", "2", "5"}) +
                complete("SELECT 2") + ready());
    EXPECT_THAT(talk.events, Contains("gap"));
    EXPECT_THAT(talk.events, Contains("T1.1 completed SELECT 2 rows 2, partial"));
}

TEST_F(InstrumentTest, ATableIsEmptyOnceTheServerSaysSo) {
    Talk talk(setting);
    talk.begun().client(query("truncate t; select 1/0"));
    EXPECT_EQ(query_text(talk.to_server), "truncate t; select 1/0");
    talk.server(complete("TRUNCATE TABLE"));
    EXPECT_THAT(talk.events, Contains("T1.1 empties table 1"));
    EXPECT_THAT(talk.events, Contains("T1.1 completed TRUNCATE TABLE rows 0, full"));
    talk.server(error("22012") + ready());
    Talk refused(setting);
    refused.begun().client(query("truncate t"));
    refused.server(error("42501") + ready());
    EXPECT_THAT(refused.events, Not(Contains(HasSubstr("empties"))));
}

/// The rows of a held cursor are those of who declared it, whoever fetches.
TEST_F(InstrumentTest, ACursorMayOutliveItsTransaction) {
    Talk talk(setting);
    talk.begun().client(query("declare c cursor with hold for " + select));
    EXPECT_THAT(talk.to_server, HasSubstr("xmin"));
    talk.server(complete("DECLARE CURSOR") + ready());
    talk.client(query("fetch c"));
    talk.server(columns({"a", "isotap_1", "isotap_2"}) + row({"7", "1", "700"}) +
                complete("FETCH 1") + ready());
    EXPECT_THAT(talk.to_client, HasSubstr(columns({"a"}) + row({"7"}) + complete("FETCH 1")));
    EXPECT_THAT(talk.events, Contains("T1.1 has read 1 over x700"));
    EXPECT_THAT(talk.events, Contains("T2.1 completed FETCH 1 rows 1, full"));
    talk.client(query("close c"));
    talk.server(complete("CLOSE CURSOR") + ready());
    talk.client(query("fetch c"));
    talk.server(columns({"a"}) + row({"7"}) + complete("FETCH 1") + ready());
    EXPECT_THAT(talk.to_client,
                EndsWith(columns({"a"}) + row({"7"}) + complete("FETCH 1") + ready()))
        << "what we did not declare";
}

TEST_F(InstrumentTest, ACursorGoesWithATransactionThatFails) {
    Talk talk(setting);
    talk.begun().client(query("begin"));
    talk.server(complete("BEGIN") + ready('T'));
    talk.client(query("declare c cursor with hold for " + select));
    talk.server(complete("DECLARE CURSOR") + ready('T'));
    talk.client(query("fetch c"));
    talk.server(columns({"a", "isotap_1", "isotap_2"}) + row({"7", "1", "700"}) +
                complete("FETCH 1") + ready('T'));
    EXPECT_THAT(talk.events, Contains("T1.2 reads 1 over x700")) << "its own, as long as it lasts";
    talk.client(query("rollback"));
    talk.server(complete("ROLLBACK") + ready());
    talk.client(query("fetch c"));
    talk.server(columns({"a"}) + row({"7"}) + complete("FETCH 1") + ready());
    EXPECT_THAT(talk.to_client,
                EndsWith(columns({"a"}) + row({"7"}) + complete("FETCH 1") + ready()));
}

TEST_F(InstrumentTest, NamesMeanWhatTheServerHasConfirmed) {
    Talk talk(setting);
    const auto asks_for = [&talk, this](const std::string& text, char status = 'I') {
        talk.to_server.clear();
        talk.client(query(text)).server(complete("SELECT 0") + ready(status));
        return talk.to_server != query(text) ? plans.contexts.back().search_path : "unplanned";
    };
    talk.begun();
    EXPECT_EQ(asks_for(select), "");
    talk.client(query("set search_path to x, y")).server(complete("SET") + ready());
    EXPECT_EQ(asks_for(select), "x, y");
    talk.client(query("begin; set search_path = z")).server(complete("BEGIN") + complete("SET"));
    talk.to_server.clear();
    talk.client(query(select));
    EXPECT_EQ(talk.to_server, query(select)) << "behind a SET that is not answered";
    talk.server(ready('T') + complete("SELECT 0") + ready('T'));
    EXPECT_EQ(asks_for(select, 'T'), "z");
    talk.client(query("rollback")).server(complete("ROLLBACK") + ready());
    EXPECT_EQ(asks_for(select), "x, y");
    talk.client(query("do $$ begin set search_path = q; end $$")).server(complete("DO") + ready());
    EXPECT_EQ(asks_for(select), "unplanned");
    talk.client(query("discard all")).server(complete("DISCARD ALL") + ready());
    EXPECT_EQ(asks_for(select), "");
}

TEST_F(InstrumentTest, ASchemaChangeIsToldWhenItHasTakenEffect) {
    Talk talk(setting);
    talk.begun().client(query("begin; alter table t add b int"));
    talk.server(complete("BEGIN") + complete("ALTER TABLE") + ready('T'));
    talk.to_server.clear();
    talk.client(query(select));
    EXPECT_EQ(talk.to_server, query(select)) << "others do not see the table as this session does";
    talk.server(complete("SELECT 0") + ready('T'));
    EXPECT_EQ(plans.schema_changes, 0);
    talk.client(query("commit")).server(complete("COMMIT") + ready());
    EXPECT_EQ(plans.schema_changes, 1);
}

TEST_F(InstrumentTest, ATemporaryTableMayHideAnother) {
    Talk talk(setting);
    talk.begun().client(query("create temp table t(id int)"));
    talk.server(complete("CREATE TABLE") + ready());
    talk.to_server.clear();
    talk.client(query(select));
    EXPECT_EQ(talk.to_server, query(select));
}

TEST_F(InstrumentTest, NamesOfMessagesShowInSql) {
    Talk talk(setting);
    talk.begun().client(parse("s", select) + sync).server(parsed + ready());
    talk.to_client.clear();
    talk.client(query("execute s"));
    talk.server(columns({"a", "id", "xmin"}) + row({"7", "1", "5"}) + complete("SELECT 1") +
                ready());
    EXPECT_EQ(talk.to_client, columns({"a"}) + row({"7"}) + complete("SELECT 1") + ready());
}

TEST_F(InstrumentTest, CutAnywhereItIsTheSame) {
    const std::string asked = query(select) + parse("", "delete from t") + bind("", "") +
                              describe_portal + execute("") + sync;
    const std::string three = columns({"id", "xmin", "tx"});
    const std::string answered = columns({"a", "id", "xmin"}) + row({"7", "1", "5"}) +
                                 complete("SELECT 1") + ready() + parsed + bound + three +
                                 row({"1", "7", "8"}) + complete("DELETE 1") + ready();
    Talk at_once(setting);
    at_once.begun().client(asked).server(answered);
    for (const std::size_t slice : {1U, 2U, 5U, 7U}) {
        setting.slice = slice;
        Talk talk(setting);
        talk.begun().client(asked).server(answered);
        EXPECT_EQ(talk.to_server, at_once.to_server);
        EXPECT_EQ(talk.to_client, at_once.to_client);
        EXPECT_EQ(talk.events, at_once.events);
    }
}

}  // namespace
}  // namespace isotap::postgres::test
