// Generated statements, one after the other, to a server of the MySQL family and through an isotap
// that captures to an equal one: the packets of the answers are the same, and so is what the tables
// hold in the end.
//
// ISOTAP_DIFFERENTIAL_STATEMENTS says how many, ISOTAP_DIFFERENTIAL_SEED where they begin,
// ISOTAP_DIFFERENTIAL_SECONDS after which time no more follow, ISOTAP_DIFFERENTIAL_CLOSELY whether
// to look behind each statement for what surprised isotap.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/integration/differential/mysql_generator.hpp"
#include "tests/integration/differential/mysql_listed.hpp"
#include "tests/integration/differential/mysql_speaker.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

/// Statements between one filling of the tables and the next, and of one session.
constexpr std::uint64_t episode_size = 400;
constexpr std::uint64_t session_size = 100;
constexpr std::size_t remembered = 100;

/// What every session begins with. Before anything is selected, FOUND_ROWS() is that of others on
/// MariaDB.
constexpr std::array beginning{"set timestamp = 1700000000", "select 1"};

constexpr std::uint32_t found_rows = 1U << 1;
constexpr std::uint32_t mariadb_extended_metadata = 1U << 3;

MysqlFlavour flavour_asked_for() {
    const char* name = std::getenv("ISOTAP_DIFFERENTIAL_ENGINE");
    const std::string_view asked = name == nullptr ? "" : name;
    return asked == "mysql"        ? MysqlFlavour::mysql
           : asked == "mariadb_11" ? MysqlFlavour::mariadb_11
                                   : MysqlFlavour::mariadb;
}

std::string last_of(const std::string& log) {
    constexpr std::size_t enough = 12'000;
    return log.substr(log.size() < enough ? 0 : log.size() - enough);
}

class MysqlDifferential : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(flavour_)) GTEST_SKIP() << "SKIPPED: no such server here";
        for (auto* server : {&direct_server_, &through_server_}) {
            server->emplace(MysqlOptions{.flavour = flavour_});
            (*server)->sql(mysql_schema(flavour_));
        }
        run_or_throw({.arguments = {isotap_program(), "schema", "add", through_server_->url()}});
        for (const auto* server : {&direct_server_, &through_server_}) {
            (*server)->sql(mysql_late_trigger());
        }
        isotap_.emplace(
            through_server_->url(),
            std::vector<std::string>{"--mode", "instrument", "--admin", "127.0.0.1:0",
                                     "--on-overload", "block", "--limits.plan-wait", "10s",
                                     // FOUND_ROWS() says so where a client is slow.
                                     "--limits.silence", "1h"});
    }

    /// From one filling of the tables to the next. False where something differed.
    bool episode(std::uint64_t seed) {
        said_last_.clear();
        bool same = false;
        try {
            same = played(seed);
        } catch (const std::exception& error) {
            ADD_FAILURE() << step_ << ": " << error.what() << "\nisotap:\n"
                          << last_of(isotap_->log()) << "\nservers:\n"
                          << last_of(direct_server_->log()) << last_of(through_server_->log());
        }
        if (!same) {
            std::string history;
            for (const std::string& text : said_last_) {
                history += text + ";\n";
            }
            ADD_FAILURE() << "seed " << seed << ", the last statements:\n" << history;
        }
        return same;
    }

    bool played(std::uint64_t seed) {
        for (const auto* server : {&direct_server_, &through_server_}) {
            step_ = "filling the tables";
            MysqlSpeaker first((*server)->port(), {});
            for (const std::string& text : mysql_first_rows()) {
                first.say(text, {}, MysqlWay::text);
            }
        }
        Chooser chooser(seed);
        MysqlGenerator generator(flavour_, seed, chooser.chance(3));
        bool same = same_contents();
        for (std::uint64_t done = 0; done < episode_size && same; done += session_size) {
            same = session(generator, chooser);
            if (std::exchange(crashed_, false)) {
                start_again();
                return same_contents();
            }
        }
        return same_contents() && same;
    }

    /// Both servers have crashed over one statement: they are equal, and it is not ours to mend.
    void start_again() {
        ++crashes_;
        std::cerr << "both servers crash: " << said_last_.back() << '\n';
        for (auto* server : {&direct_server_, &through_server_}) {
            (*server)->kill();
            (*server)->start();
        }
    }

    bool session(MysqlGenerator& generator, Chooser& chooser) {
        MysqlLogin login{.capabilities = client_flag::multi_statements | client_flag::local_files};
        for (const std::uint32_t flag :
             {client_flag::deprecate_eof, client_flag::session_track, found_rows}) {
            if (chooser.chance(2)) login.capabilities |= flag;
        }
        if (chooser.chance(2)) login.mariadb = mariadb_extended_metadata;
        MysqlSpeaker direct(direct_server_->port(), login);
        MysqlSpeaker through(isotap_->port(), login);
        generator.begin_session();
        remember("-- a new session");
        bool same = begin(direct, through);
        for (std::uint64_t i = 0; i < session_size && same; ++i) {
            if (chooser.chance(100)) {
                same = compare_reset(direct, through) && begin(direct, through);
                continue;
            }
            const MysqlStatement statement = generator.next();
            auto way = MysqlWay::text;
            if (!statement.only_text && chooser.chance(2)) {
                way = static_cast<MysqlWay>(chooser.pick(1, 4));
            }
            // MariaDB 10.11 crashes where a cursor is asked for what a DELETE returns.
            if (way == MysqlWay::cursor && statement.text.find("returning") != std::string::npos) {
                way = MysqlWay::prepared;
            }
            same = compare(statement, way, direct, through);
            if (same && direct.warnings() > 0 && chooser.chance(2)) {
                same = compare({.text = show_warnings, .ordered = true}, MysqlWay::text, direct,
                               through);
            }
        }
        // Else the server undoes what is open at a time of its own choice.
        for (const char* text : {"rollback", "unlock tables"}) {
            same = same && compare({.text = text}, MysqlWay::text, direct, through);
        }
        return same && surprised_nobody();
    }

    bool begin(MysqlSpeaker& direct, MysqlSpeaker& through) {
        return std::all_of(beginning.begin(), beginning.end(), [&](const char* text) {
            return compare({.text = text}, MysqlWay::text, direct, through);
        });
    }

    /// Whether isotap goes on reading and capturing in all of the sessions, and finds no anomaly:
    /// there is one client, and everything comes after everything.
    bool surprised_nobody() {
        const auto metrics = isotap_->metrics();
        double notes = 0;
        for (const char* note : {"unknown_message", "desynchronised", "fuse"}) {
            notes += metrics.at("isotap_notes_total{note=\"" + std::string(note) + "\"}");
        }
        notes += isotap_->anomalies();
        const bool more = notes > std::exchange(notes_, notes);
        EXPECT_FALSE(more) << last_of(isotap_->log());
        return !more;
    }

    void remember(const std::string& text) {
        said_last_.push_back(text);
        if (said_last_.size() > remembered) said_last_.pop_front();
    }

    bool compare(const MysqlStatement& statement, MysqlWay way, MysqlSpeaker& direct,
                 MysqlSpeaker& through) {
        std::string called = statement.text;
        if (way == MysqlWay::again && !direct.next_again().empty()) {
            called = direct.next_again();
        }
        for (const std::string& value : statement.values) {
            called += " -- " + value;
        }
        remember(std::to_string(static_cast<int>(way)) + "  " + called);
        for (MysqlSpeaker* side : {&direct, &through}) {
            side->tell_source(!may_be_sorted_aside(called));
            // On the list of differences, where a temporary table has been made anew.
            side->tell_of_new_columns(way != MysqlWay::again ||
                                      called.find("made_") == std::string::npos);
        }
        step_ = "direct";
        Heard one = direct.say(statement.text, statement.values, way);
        said_last_.back() += one.lines.empty() ? "" : "\n  " + one.lines.back();
        ++said_;
        failed_ += !one.lines.empty() && one.lines.back().starts_with("error") ? 1 : 0;
        if (flavour_ != MysqlFlavour::mysql && loses_a_column(one, called)) {
            through.say(statement.text, statement.values, way);
            // Of what it leaves behind, nothing is asked.
            for (MysqlSpeaker* side : {&direct, &through}) {
                side->say("select 1", {}, MysqlWay::text);
            }
            return true;
        }
        // What runs again is another statement, which need not have an order.
        const bool ordered = statement.ordered && way != MysqlWay::again;
        Heard other = through.say(statement.text, statement.values, way);
        listed_.forget(called, way, one, other);
        const std::string different = difference(one, other, ordered);
        EXPECT_EQ(different, "") << "sent in way " << static_cast<int>(way) << ": " << called;
        crashed_ = direct.ended() && through.ended();
        if (crashed_) {
            return false;
        }
        EXPECT_FALSE(direct.ended()) << "the server has gone: " << called;
        return different.empty() && !direct.ended() && (!closely_ || surprised_nobody());
    }

    bool compare_reset(MysqlSpeaker& direct, MysqlSpeaker& through) {
        constexpr std::uint8_t reset_connection = 0x1f;
        remember("-- the connection is reset");
        const std::string different = difference(direct.command(reset_connection, {}),
                                                 through.command(reset_connection, {}), true);
        EXPECT_EQ(different, "") << "the connection is reset";
        return different.empty();
    }

    bool same_contents() {
        MysqlSpeaker direct(direct_server_->port(), {});
        MysqlSpeaker through(through_server_->port(), {});
        std::string all;
        for (const MysqlTable& table : mysql_tables()) {
            const std::string text = "select * from " + table.name;
            all += difference(direct.say(text, {}, MysqlWay::text),
                              through.say(text, {}, MysqlWay::text), false);
        }
        EXPECT_EQ(all, "") << "in the tables";
        return all.empty();
    }

    MysqlFlavour flavour_ = flavour_asked_for();
    MysqlListed listed_{flavour_};
    const char* step_ = "";  ///< which side is spoken to
    std::uint64_t said_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t crashes_ = 0;
    bool crashed_ = false;  ///< just now, both of them
    double notes_ = 0;
    const bool closely_ = asked("ISOTAP_DIFFERENTIAL_CLOSELY", 0) != 0;
    std::deque<std::string> said_last_;
    std::optional<MysqlServer> direct_server_;
    std::optional<MysqlServer> through_server_;
    std::optional<IsotapProcess> isotap_;
};

TEST_F(MysqlDifferential, NobodySeesADifference) {
    const std::uint64_t first = asked("ISOTAP_DIFFERENTIAL_SEED", 1);
    const std::uint64_t episodes = asked("ISOTAP_DIFFERENTIAL_STATEMENTS", 2'000) / episode_size;
    const std::uint64_t failures_max = asked("ISOTAP_DIFFERENTIAL_FAILURES", 1);
    std::uint64_t failures = 0;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::seconds(asked("ISOTAP_DIFFERENTIAL_SECONDS", 1'000'000));
    for (std::uint64_t seed = first; seed < first + episodes && failures < failures_max &&
                                     std::chrono::steady_clock::now() < end;
         ++seed) {
        failures += episode(seed) ? 0 : 1;
    }
    std::cout << said_ << " statements, " << failed_ << " of them refused by the server, "
              << crashes_ << " crashes of both servers\n";
    EXPECT_LT(failed_, said_ / 2) << "those show little";
    const boost::json::value coverage = boost::json::parse(isotap_->get("/api/coverage"));
    std::cout << coverage.at("statements") << " data statements, captured in full "
              << coverage.at("full") << ", partly " << coverage.at("partial") << ", not "
              << coverage.at("opaque") << '\n';
    for (const boost::json::value& reason : coverage.at("reasons").as_array()) {
        std::cout << "  " << reason.at("count") << ' ' << reason.at("reason") << ": "
                  << reason.at("example") << '\n';
    }
    EXPECT_GT(coverage.at("full").to_number<double>(),
              coverage.at("statements").to_number<double>() / 4);
}

}  // namespace
}  // namespace isotap::test
