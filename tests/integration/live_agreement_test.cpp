// Two plain clients make every anomaly at every level that permits it, on each server; and all who
// tell of it say the same: log, alert, page, admin interface, recording, and `check` of that.
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/live_answers.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

/// Name and table of what was found.
using Found = std::set<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

/// What two clients, 0 and 1, say in turn, and what there is to find then. $ stands for the table;
/// both have begun.
struct Schedule {
    Words names;
    Words levels;
    std::vector<std::pair<int, const char*>> steps;
};

/// Those that do without reading what is not committed.
std::vector<Schedule> schedules() {
    const Words below_snapshot{"read uncommitted", "read committed"};
    const Words below_serializable{"read uncommitted", "read committed", "repeatable read"};
    return {
        {{"lost update"},
         below_snapshot,
         {{0, "select balance from $ where id = 1"},
          {1, "select balance from $ where id = 1"},
          {0, "update $ set balance = 90 where id = 1"},
          {0, "commit"},
          {1, "update $ set balance = 80 where id = 1"},
          {1, "commit"}}},
        {{"write skew"},
         below_serializable,
         {{0, "select sum(balance) from $ where id in (1, 2)"},
          {1, "select sum(balance) from $ where id in (1, 2)"},
          {0, "update $ set balance = balance - 150 where id = 1"},
          {1, "update $ set balance = balance - 150 where id = 2"},
          {0, "commit"},
          {1, "commit"}}},
        {{"read skew"},
         below_snapshot,
         {{0, "select balance from $ where id = 1"},
          {1, "update $ set balance = balance - 10 where id = 1"},
          {1, "update $ set balance = balance + 10 where id = 2"},
          {1, "commit"},
          {0, "select balance from $ where id = 2"},
          {0, "commit"}}},
        {{"non-repeatable read"},
         below_snapshot,
         {{0, "select balance from $ where id = 1"},
          {1, "update $ set balance = 7 where id = 1"},
          {1, "commit"},
          {0, "select balance from $ where id = 1"},
          {0, "commit"}}},
    };
}

/// MySQL's snapshots let updates be lost, and its lowest level shows what is not committed.
std::vector<Schedule> schedules_of_mysql() {
    auto all = schedules();
    all.front().levels.emplace_back("repeatable read");
    all.push_back({{"dirty read"},
                   {"read uncommitted"},
                   {{0, "update $ set balance = 7 where id = 1"},
                    {1, "select balance from $ where id = 1"},
                    {1, "commit"},
                    {0, "rollback"}}});
    // What it reads is no version that lasts, and that the last one follows it makes a cycle.
    all.push_back({{"intermediate read", "non-repeatable read"},
                   {"read uncommitted"},
                   {{0, "update $ set balance = 7 where id = 1"},
                    {1, "select balance from $ where id = 1"},
                    {0, "update $ set balance = 8 where id = 1"},
                    {0, "commit"},
                    {1, "commit"}}});
    return all;
}

std::string table_of(const Schedule& schedule, const std::string& level) {
    std::string name = schedule.names.front() + "_at_" + level;
    for (char& c : name) {
        if (c == ' ' || c == '-') c = '_';
    }
    return name;
}

/// One server, its clients, and what it calls a table of theirs.
struct Side {
    std::function<void(const std::string&)> sql;
    std::string url;
    bool columns = false;
    std::vector<Schedule> schedules;
    std::function<std::function<void(const std::string&)>(std::uint16_t port)> connect;
    std::string before_table;  ///< the schema in front of its name
    std::shared_ptr<void> server;
};

Side postgres() {
    auto server = std::make_shared<PostgresServer>();
    return {.sql = [server](const std::string& text) { server->sql(text); },
            .url = server->url(),
            .schedules = schedules(),
            .connect =
                [](std::uint16_t port) {
                    auto wire = std::make_shared<PostgresWire>(Endpoint{.port = port});
                    wire->start();
                    return [wire](const std::string& sql) {
                        ASSERT_EQ(error_in(wire->query(sql)).text, "") << sql;
                    };
                },
            .before_table = "public.",
            .server = server};
}

Side mysql(MysqlFlavour flavour) {
    auto server = std::make_shared<MysqlServer>(MysqlOptions{.flavour = flavour});
    return {.sql = [server](const std::string& text) { server->sql("use shop; " + text); },
            .url = server->url(),
            .columns = true,
            .schedules = schedules_of_mysql(),
            .connect =
                [](std::uint16_t port) {
                    auto wire = std::make_shared<MysqlWire>(Endpoint{.port = port});
                    wire->log_in();
                    wire->query("use shop");
                    return [wire](const std::string& sql) {
                        const MysqlPacket last = wire->query(sql).back();
                        ASSERT_NE(last.head(), 0xff) << sql << ": " << last.payload;
                    };
                },
            .before_table = "shop.",
            .server = server};
}

void play(const Side& side, const Schedule& schedule, const std::string& level,
          std::uint16_t port) {
    const std::vector clients{side.connect(port), side.connect(port)};
    for (const auto& client : clients) {
        if (side.columns) client("set session transaction isolation level " + level);
        client(side.columns ? "begin" : "begin isolation level " + level);
    }
    for (const auto& [who, words] : schedule.steps) {
        std::string sql = words;
        if (const std::size_t at = sql.find('$'); at != std::string::npos) {
            sql.replace(at, 1, table_of(schedule, level));
        }
        clients.at(static_cast<std::size_t>(who))(sql);
    }
}

/// Out of a document in the shape of `check --json`.
Found found_in(const json::value& told) {
    Found all;
    for (const json::value& anomaly : told.at("anomalies").as_array()) {
        EXPECT_EQ(anomaly.at("severity").as_string(), "hazard") << anomaly;
        std::set<std::string> tables;
        for (const json::value& edge : anomaly.at("cycle").as_array()) {
            tables.emplace(edge.at("table").as_string());
        }
        EXPECT_EQ(tables.size(), 1U) << anomaly;
        all.emplace(anomaly.at("name").as_string(), *tables.begin());
    }
    return all;
}

/// Of alerts: a document in each line.
Found found_in_lines(const std::string& text) {
    Found all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        all.merge(found_in(json::parse(line)));
    }
    return all;
}

class LiveAgreement : public testing::Test {
  protected:
    void agree(const Side& side) {
        Found expected;
        for (const Schedule& schedule : side.schedules) {
            for (const std::string& level : schedule.levels) {
                const std::string table = table_of(schedule, level);
                side.sql("create table " + table + " (id int primary key, balance int not null)");
                side.sql("insert into " + table + " values (1, 100), (2, 100)");
                for (const std::string& name : schedule.names) {
                    expected.emplace(name, side.before_table + table);
                }
            }
        }
        if (side.columns) {
            run_or_throw({.arguments = {isotap_program(), "schema", "add", side.url}});
        }
        IsotapProcess isotap(
            side.url, {"--mode", "instrument", "--admin", "127.0.0.1:0", "--limits.plan-wait",
                       "30s", "--record", recording_, "--alert-command", "cat >> " + alerts_});
        const auto page = open_page(isotap, expected);
        for (const Schedule& schedule : side.schedules) {
            for (const std::string& level : schedule.levels) {
                play(side, schedule, level, isotap.port());
            }
        }
        await_analysis(isotap);
        const json::value live = ask(isotap, "/api/anomalies");
        const Found found = found_in(live);
        EXPECT_EQ(found, expected);
        EXPECT_EQ(live.at("verdict"), "hazard");
        EXPECT_EQ(live.at("coverage").at("full"), live.at("coverage").at("statements"));
        if (page) {
            EXPECT_EQ(page->wait(std::chrono::seconds(60)), 0) << page->all_output();
        }
        EXPECT_EQ(isotap.stop(), 0);
        const std::string log = isotap.log();
        for (const auto& [name, table] : found) {
            EXPECT_THAT(log, testing::ContainsRegex("anomaly .*" + name));
            EXPECT_THAT(log, HasSubstr(table));
        }
        EXPECT_EQ(found_in_lines(read_file(alerts_)), found) << log;
        EXPECT_EQ(found_in_lines(run_or_throw({.arguments = {"sqlite3", recording_,
                                                             "select json_object('anomalies', "
                                                             "json_array(json(document))) from "
                                                             "anomalies"}})),
                  found)
            << "recording";
        const json::value checked = json::parse(
            run_or_throw({.arguments = {isotap_program(), "check", "--json", recording_}}));
        EXPECT_EQ(found_in(checked), found) << "check";
        EXPECT_EQ(checked.at("verdict"), live.at("verdict"));
    }

  private:
    /// A browser that is there before anything happens, and ends when it shows all that it should.
    /// None where there is no browser.
    std::unique_ptr<Process> open_page(IsotapProcess& isotap, const Found& expected) {
        if (!std::filesystem::exists(browser)) return nullptr;
        json::array all;
        for (const auto& [name, table] : expected) {
            all.push_back(json::array{name, table});
        }
        const auto script = source_folder() / "tests" / "integration" / "browse.py";
        auto page = std::make_unique<Process>(Command{
            .arguments = {"/usr/bin/python3", script, browser, isotap.admin_url() + "/",
                          profile_.path(), "document.getElementById('link').textContent === 'live'",
                          json::serialize(all) +
                              ".every((words) => [...document.querySelectorAll('#list li')]"
                              ".some((item) => words.every((word) => "
                              "item.textContent.includes(word))))"}});
        page->wait_for_line("holds: 1");
        return page;
    }
    static constexpr const char* browser = "/usr/bin/chromium";
    TemporaryFolder folder_;
    TemporaryFolder profile_;
    std::string recording_ = folder_.path() / "live.isotap";
    std::string alerts_ = folder_.path() / "alerts.json";
};

TEST_F(LiveAgreement, Postgres) {
    agree(postgres());
}

TEST_F(LiveAgreement, Mariadb) {
    if (!mysql_available(MysqlFlavour::mariadb)) GTEST_SKIP() << "no such server here";
    agree(mysql(MysqlFlavour::mariadb));
}

TEST_F(LiveAgreement, Mysql) {
    if (!mysql_available(MysqlFlavour::mysql)) GTEST_SKIP() << "no such server here";
    agree(mysql(MysqlFlavour::mysql));
}

}  // namespace
}  // namespace isotap::test
