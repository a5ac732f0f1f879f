#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "tests/integration/captured_client.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/unit/postgres/literal_plans.hpp"
#include "tests/wire/postgres_transcript.hpp"

namespace isotap::test {
using postgres::test::LiteralPlans;

inline constexpr const char* schema = R"(
create table account(id int primary key, owner text, balance int check (balance > -1000));
create table item(a int, b text, v numeric, primary key (a, b));
create table bare(x int);
insert into account select g, 'owner ' || g, 100 from generate_series(1, 20) g;
insert into item values (1, 'x,y=z;', 1.5), (1, 'zwölf', null), (2, repeat('long ', 10), -3);
insert into bare values (1), (1);
)";

class Direct {
  public:
    explicit Direct(const Endpoint& server) : wire_(server) {}
    void start(const Parameters& parameters) { wire_.start(parameters); }
    void send(std::string_view bytes) { wire_.send(bytes); }
    std::vector<Frame> read_ready(int count = 1) {
        std::vector<Frame> all;
        for (; count > 0; --count) {
            for (Frame& frame : wire_.read_until('Z')) {
                all.push_back(std::move(frame));
            }
        }
        return all;
    }

  private:
    PostgresWire wire_;
};

inline std::string parse(const std::string& name, const std::string& sql) {
    return MessageWriter().c_string(name).c_string(sql).be16(0).framed('P');
}
inline std::string bind_message(const std::string& statement, const std::vector<int>& formats) {
    MessageWriter writer;
    writer.c_string("").c_string(statement).be16(0).be16(0);
    writer.be16(static_cast<std::uint16_t>(formats.size()));
    for (const int format : formats) {
        writer.be16(static_cast<std::uint16_t>(format));
    }
    return writer.framed('B');
}
inline std::string describe(char kind, const std::string& name) {
    return MessageWriter().u8(static_cast<std::uint8_t>(kind)).c_string(name).framed('D');
}
inline std::string execute(std::uint32_t rows = 0) {
    return MessageWriter().c_string("").be32(rows).framed('E');
}
inline const std::string sync = MessageWriter().framed('S');

inline std::vector<std::string> lines(const std::vector<Frame>& frames) {
    std::vector<std::string> all;
    all.reserve(frames.size());
    for (const Frame& frame : frames) {
        all.push_back(transcript_line(frame));
    }
    return all;
}

inline ::testing::AssertionResult same(const std::vector<std::string>& direct,
                                       const std::vector<std::string>& captured) {
    const auto at = [](const std::vector<std::string>& all, std::size_t i) {
        return i < all.size() ? all[i] : std::string("nothing more");
    };
    for (std::size_t i = 0; i < std::max(direct.size(), captured.size()); ++i) {
        if (at(direct, i) != at(captured, i)) {
            return ::testing::AssertionFailure()
                   << "message " << i + 1 << "\n  direct:   " << at(direct, i)
                   << "\n  captured: " << at(captured, i);
        }
    }
    return ::testing::AssertionSuccess();
}

/// A portal of a write cannot run twice; of a captured one it can, and gives nothing.
inline bool may_run_twice(const std::string& sql) {
    return sql.find("insert") != 0 && sql.find("update") != 0 && sql.find("delete") != 0 &&
           sql.find("merge") != 0;
}

/// The number of columns in the first RowDescription.
inline std::size_t columns_in(const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
        if (frame.type == 'T') {
            return static_cast<std::uint8_t>(frame.body[1]);
        }
    }
    return 0;
}

class PostgresCapture : public ::testing::TestWithParam<int>, public history::EventSink {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) {
            GTEST_SKIP() << "this version cannot be had here";
        }
        server.emplace(PostgresOptions{.version = GetParam()});
        plans = std::make_unique<LiteralPlans>(static_cast<std::uint32_t>(GetParam()) * 10000);
        using sql::VersionSource;
        plans->catalog.add("account", VersionSource::system, {"id", "owner", "balance"});
        plans->catalog.add("item", VersionSource::system, {"a", "b", "v"}, {"a", "b"}).plain_key =
            false;
        sql::Table& bare = plans->catalog.add("bare", VersionSource::system, {"x"}, {});
        bare.by_place = true;
        bare.plain_key = false;
        capture = std::make_unique<Capture>(*this, *plans);
        for (const char* name : {"direct", "captured"}) {
            server->sql("create database " + std::string(name));
            Direct client(at());
            client.start(to(name));
            client.send(query_message(schema));
            client.read_ready();
        }
    }

    void accept(const history::Event& event) noexcept override {
        if (const auto* name = std::get_if<history::NameDefined>(&event)) {
            names[name->id] = std::string(name->text);
        } else if (const auto* ended = std::get_if<history::StatementEnded>(&event)) {
            ++coverage[static_cast<std::size_t>(ended->coverage)];
            ++reasons[names[ended->reason]];
        } else if (std::holds_alternative<history::Access>(event)) {
            ++accesses;
        } else if (std::holds_alternative<history::HeldRead>(event)) {
            ++held;
        }
        engine.accept(event);
    }

    [[nodiscard]] Endpoint at() const { return {.port = server->port()}; }
    static Parameters to(const std::string& database) {
        return {{"user", "postgres"}, {"database", database}, {"client_encoding", "UTF8"}};
    }

    /// Both get the same bytes and must give the same messages.
    std::vector<Frame> both(const std::string& bytes, const std::string& what, int ready = 1) {
        direct->send(bytes);
        captured->send(bytes);
        std::vector<Frame> expected = direct->read_ready(ready);
        EXPECT_TRUE(same(lines(expected), lines(captured->read_ready(ready)))) << what;
        return expected;
    }

    void in_every_way(const std::string& sql) {
        both(query_message(sql), "simple: " + sql);
        const std::vector<Frame> described =
            both(parse("", sql) + bind_message("", {}) + describe('P', "") + execute() + sync,
                 "extended: " + sql);
        both(parse("", sql) + describe('S', "") + bind_message("", {1}) + execute(2) +
                 (may_run_twice(sql) ? execute() : "") + sync,
             "binary, two executions: " + sql);
        std::vector<int> formats;
        for (std::size_t i = 0; i < columns_in(described); ++i) {
            formats.push_back(static_cast<int>(i % 2));
        }
        both(parse("", sql) + bind_message("", formats) + describe('P', "") + execute() + sync,
             "a format for each column: " + sql);
        const std::string close = MessageWriter().u8('S').c_string("named").framed('C');
        both(parse("named", sql) + sync, "named: " + sql);
        both(describe('S', "named") + bind_message("named", {0}) + execute() + sync +
                 bind_message("named", formats) + execute() + sync + close + sync,
             "prepared once, executed twice: " + sql, 3);
        both(parse("", "select 7") + bind_message("", {}) + execute() + parse("", sql) +
                 bind_message("", {}) + execute() +
                 parse("", "select balance from account where id = 6") + bind_message("", {}) +
                 describe('P', "") + execute() + sync + query_message("select 8"),
             "pipelined: " + sql, 2);
    }

    analysis::Engine engine;  // before the clients, who tell it their end
    std::map<history::NameId, std::string> names;
    std::map<std::string, std::size_t> reasons;  ///< why coverage was not full
    std::size_t coverage[4] = {};
    std::size_t accesses = 0;
    std::size_t held = 0;  ///< reads of cursors that outlive their transactions
    std::optional<PostgresServer> server;
    std::unique_ptr<LiteralPlans> plans;
    std::unique_ptr<Capture> capture;
    std::unique_ptr<Direct> direct;
    std::unique_ptr<CapturedClient> captured;
};

}  // namespace isotap::test
