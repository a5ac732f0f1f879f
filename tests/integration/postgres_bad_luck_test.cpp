// What goes wrong around captured statements harms no client, and is told with its reason.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/base/byte_reader.hpp"
#include "isotap/history/events.hpp"

#include "analysis/history/recording/recording_reader.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// How statements were captured, by reason, and what was lost.
struct Reasons final : history::EventSink {
    std::map<history::NameId, std::string> names;
    std::map<std::string, std::size_t> opaque;
    std::map<std::string, std::size_t> partial;
    std::size_t full = 0;
    std::size_t accesses = 0;
    std::uint64_t lost = 0;

    void accept(const history::Event& event) noexcept override {
        if (const auto* name = std::get_if<history::NameDefined>(&event)) {
            names[name->id] = name->text;
        } else if (const auto* ended = std::get_if<history::StatementEnded>(&event)) {
            full += ended->coverage == history::Coverage::full ? 1 : 0;
            if (ended->coverage == history::Coverage::opaque) ++opaque[names[ended->reason]];
            if (ended->coverage == history::Coverage::partial) ++partial[names[ended->reason]];
        } else if (const auto* gap = std::get_if<history::Gap>(&event)) {
            lost += gap->count;
        } else if (std::holds_alternative<history::Access>(event)) {
            ++accesses;
        }
    }
};

class PostgresBadLuck : public testing::Test {
  protected:
    void start(PostgresOptions options = {}, const std::string& side_user = "postgres") {
        server_ = std::make_unique<PostgresServer>(std::move(options));
        server_->sql(
            "create table account (id int primary key, balance int not null);"
            "insert into account select i, 100 from generate_series(1, 20) i;"
            "create role tap login; create role app login; grant all on account to app;"
            "grant usage on schema public to app, tap");
        isotap_ = std::make_unique<IsotapProcess>(
            server_->url(side_user),
            std::vector<std::string>{"--mode", "instrument", "--record", file_,
                                     "--limits.plan-wait", "30s", "--on-overload", "block"});
    }

    std::unique_ptr<PostgresWire> client(const std::string& user = "postgres") {
        auto made = std::make_unique<PostgresWire>(Endpoint{.port = isotap_->port()});
        made->start({{"user", user}, {"database", "postgres"}});
        return made;
    }

    /// The values of the first column; an error fails the test.
    static std::vector<std::string> say(PostgresWire& client, const std::string& sql) {
        std::vector<std::string> values;
        for (const Frame& frame : client.query(sql)) {
            EXPECT_NE(frame.type, 'E') << sql << ": " << frame.body;
            if (frame.type == 'D') {
                ByteReader row(as_bytes(frame.body));
                row.be16();
                values.emplace_back(row.text(row.be32()));
            } else if (frame.type == 'C') {
                tag_ = frame.body.substr(0, frame.body.size() - 1);
            }
        }
        return values;
    }

    /// What the recording says, once the proxy has ended.
    void tell(Reasons& reasons) {
        EXPECT_EQ(isotap_->stop(), 0);
        auto recording = history::recording::Recording::open(file_);
        ASSERT_TRUE(recording);
        EXPECT_FALSE(recording->replay(reasons));
    }

    static inline std::string tag_;
    TemporaryFolder folder_;
    std::string file_ = folder_.path() / "luck.isotap";
    std::unique_ptr<PostgresServer> server_;
    std::unique_ptr<IsotapProcess> isotap_;
};

TEST_F(PostgresBadLuck, TheSideConnectionIsRefused) {
    start({.hba = "local all all trust\nhost all tap all reject\nhost all all all trust\n"}, "tap");
    say(*client(), "update account set balance = 1 where id = 3");
    EXPECT_EQ(tag_, "UPDATE 1");
    Reasons reasons;
    tell(reasons);
    EXPECT_EQ(reasons.opaque["no side connection"], 1U);
    EXPECT_THAT(isotap_->log(), HasSubstr("no side connection"));
}

TEST_F(PostgresBadLuck, TheSideConnectionMayNotSpeakForTheClient) {
    start({}, "tap");
    say(*client("app"), "update account set balance = 1 where id = 3");
    EXPECT_EQ(tag_, "UPDATE 1");
    Reasons reasons;
    tell(reasons);
    EXPECT_EQ(reasons.opaque["no side connection as this user"], 1U);
}

/// An UPDATE notes what it overwrites by a call, before PostgreSQL 18.
TEST_F(PostgresBadLuck, TheClientMayNotCallWhatNotesVersions) {
    start();
    server_->sql(
        "revoke execute on function pg_catalog.set_config(text, text, boolean) from public");
    auto forbidden = client("app");
    for (const char* id : {"3", "4"}) {
        say(*forbidden, "update account set balance = 1 where id = " + std::string(id));
        EXPECT_EQ(tag_, "UPDATE 1");
    }
    forbidden.reset();
    say(*client(), "update account set balance = 2 where id = 3");
    EXPECT_EQ(tag_, "UPDATE 1");
    Reasons reasons;
    tell(reasons);
    EXPECT_EQ(reasons.opaque["set_config not allowed"], 2U);
    EXPECT_EQ(reasons.full, 1U);
}

TEST_F(PostgresBadLuck, TheTableIsAlteredBehindOurBack) {
    start();
    const auto one = client();
    const std::string all = "select * from account where id < 3";
    EXPECT_EQ(say(*one, all).size(), 2U);
    for (const char* change :
         {"alter table account add column note text", "alter table account drop column note",
          "alter table account alter balance type bigint", "create index on account (balance)",
          "alter table account add column first int; create view seen as select * from account"}) {
        server_->sql(change);
        EXPECT_EQ(say(*one, all).size(), 2U) << change;
        say(*one, "update account set balance = balance + 1 where id < 3");
        EXPECT_EQ(tag_, "UPDATE 2") << change;
    }
    Reasons reasons;
    tell(reasons);
    EXPECT_THAT(reasons.opaque, IsEmpty());
}

/// Drivers know what to do about a statement that is to be prepared again.
TEST_F(PostgresBadLuck, TheKeyIsRenamedBehindOurBack) {
    start();
    const auto one = client();
    const std::string prepare = "prepare p as select balance from account limit 2";
    const std::string own = "prepare own as select balance from account where id = 1";
    for (const std::string& sql : {prepare, own, std::string("execute p")}) say(*one, sql);
    server_->sql("alter table account rename column id to number");
    const ServerError stale = error_in(one->query("execute p"));
    EXPECT_EQ(stale.sqlstate, "0A000");
    EXPECT_EQ(stale.text, "cached plan must not change result type");
    say(*one, "deallocate p");
    say(*one, prepare);
    EXPECT_EQ(say(*one, "execute p").size(), 2U);
    EXPECT_EQ(say(*one, "select balance from account where number < 3").size(), 2U);
    one->query("deallocate own");
    EXPECT_EQ(error_in(one->query(own)).sqlstate, "42703");
    Reasons reasons;
    tell(reasons);
    EXPECT_THAT(reasons.opaque, IsEmpty());
}

/// A result has 1664 columns at most: one of ours may be one too many.
TEST_F(PostgresBadLuck, TheResultIsAsWideAsTheServerAllows) {
    start();
    const auto one = client();
    const auto select_of = [](int columns) {
        std::string list = "id";
        for (int i = 1; i < columns; ++i) {
            list += ",id";
        }
        return "select " + list + " from account where id < 3";
    };
    for (const int columns : {255, 256, 1'663, 1'664}) {
        EXPECT_EQ(say(*one, select_of(columns)).size(), 2U) << columns;
    }
    const std::vector<Frame> refused = one->query(select_of(1'665));
    EXPECT_THAT(refused.front().body, HasSubstr("target lists can have at most 1664 entries"));
    Reasons reasons;
    tell(reasons);
    EXPECT_EQ(reasons.full, 2U);
    EXPECT_EQ(reasons.opaque["rewritten text refused"], 2U);
}

/// ISOTAP_UPDATED_ROWS asks for more of them: a million takes a while.
TEST_F(PostgresBadLuck, OneStatementWritesMoreRowsThanAreRecorded) {
    const char* asked = std::getenv("ISOTAP_UPDATED_ROWS");
    const std::string rows = asked == nullptr ? "200000" : asked;
    start();
    server_->sql(
        "create table large (id int primary key, v int); insert into large select i, 0 "
        "from generate_series(1, " +
        rows + ") i");
    const auto one = client();
    const std::size_t before = memory_of(isotap_->process().id()).peak;
    say(*one, "update large set v = v + 1");
    EXPECT_EQ(tag_, "UPDATE " + rows);
    const std::size_t grown = memory_of(isotap_->process().id()).peak - before;
    EXPECT_LT(grown, 64U * 1024 * 1024);
    std::cout << grown / 1024 << " KiB for " << rows << " rows\n";
    Reasons reasons;
    tell(reasons);
    EXPECT_EQ(reasons.partial["too many rows"], 1U);
    EXPECT_EQ(reasons.accesses + reasons.lost, std::stoull(rows));
    EXPECT_GT(reasons.lost, 0U);
}

TEST_F(PostgresBadLuck, TheServerIsStartedAgain) {
    start();
    const std::string update = "update account set balance = 1 where id = 3";
    say(*client(), update);
    server_->stop(true);
    server_->start();
    say(*client(), update);
    EXPECT_EQ(tag_, "UPDATE 1");
    Reasons reasons;
    tell(reasons);
    EXPECT_GE(reasons.full, 1U);
}

TEST_F(PostgresBadLuck, TheServerIsUpgradedUnderThePlans) {
    for (const auto& [first, second] : {std::pair{15, 18}, std::pair{18, 15}}) {
        if (!postgres_programs(first) || !postgres_programs(second)) {
            GTEST_SKIP() << "both versions are needed";
        }
        start({.version = first});
        const std::string update = "update account set balance = 1 where id = 3 returning id";
        EXPECT_EQ(say(*client(), update).size(), 1U);
        const std::uint16_t port = server_->port();
        server_->stop();
        PostgresServer other({.version = second, .port = port});
        other.sql(
            "create table account (id int primary key, balance int not null);"
            "insert into account values (3, 100)");
        const auto late = client();
        EXPECT_EQ(say(*late, update), std::vector<std::string>{"3"});
        EXPECT_EQ(say(*late, update), std::vector<std::string>{"3"});
        Reasons reasons;
        tell(reasons);
        EXPECT_GE(reasons.full, 1U);
        std::filesystem::remove(file_);
    }
}

}  // namespace
}  // namespace isotap::test
