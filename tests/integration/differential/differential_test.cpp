// Generated statements, one after the other, to a server and through an isotap that captures to an
// equal one: what the client sees is the same, and so is what the tables hold in the end.
//
// ISOTAP_DIFFERENTIAL_STATEMENTS says how many, ISOTAP_DIFFERENTIAL_SEED where they begin.
#include <algorithm>
#include <deque>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/integration/differential/speaker.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"

namespace isotap::test {
namespace {

/// Statements between one new database and the next.
constexpr std::uint64_t episode_size = 250;
constexpr std::size_t remembered = 250;

/// The modifier of a column in a set operation is what the plan that was chosen says, on 18; what
/// is added to a statement may change it: `varchar(12)` becomes `varchar`.
bool has_set_operation(const std::string& text) {
    return text.find(" union ") != std::string::npos ||
           text.find(" except ") != std::string::npos ||
           text.find(" intersect ") != std::string::npos;
}

class Differential : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) GTEST_SKIP() << "SKIPPED: no such server here";
        const PostgresOptions options{.version = GetParam(), .settings = {"autovacuum=off"}};
        for (auto* server : {&direct_server_, &through_server_}) {
            server->emplace(options);
            (*server)->sql("create database base");
            (*server)->sql(std::string("\\connect base\n") + differential_schema);
        }
        isotap_.emplace(
            through_server_->url(),
            std::vector<std::string>{"--mode", "instrument", "--admin", "127.0.0.1:0",
                                     "--on-overload", "block", "--limits.plan-wait", "10s"});
    }

    /// One database, from its beginning to its end. False where something differed.
    bool episode(std::uint64_t seed) {
        const std::string database = "d" + std::to_string(seed);
        for (auto* server : {&direct_server_, &through_server_}) {
            (*server)->sql("create database " + database + " template base");
        }
        StatementGenerator generator(seed);
        std::mt19937_64 random(seed);
        said_last_.clear();
        bool same = true;
        {
            Speaker direct(direct_server_->port(), database);
            Speaker through(isotap_->port(), database);
            for (std::uint64_t i = 0; i < episode_size && same; ++i) {
                GeneratedStatement statement = generator.next();
                if (direct.status() == PQTRANS_INERROR && random() % 3 != 0) {
                    statement = {.text = random() % 2 == 0 ? "rollback to s" : "rollback"};
                }
                const Way way = static_cast<Way>(random() % 5);
                same = compare(statement, way, direct, through);
            }
        }
        const std::string left = contents(*direct_server_, database);
        same = same && left == contents(*through_server_, database);
        // There is one client: everything comes after everything.
        EXPECT_EQ(isotap_->anomalies(), 0) << isotap_->log();
        if (!same) {
            std::string history;
            for (const std::string& text : said_last_) {
                history += text + "\n";
            }
            ADD_FAILURE() << "seed " << seed << ", the last statements:\n" << history;
        }
        for (auto* server : {&direct_server_, &through_server_}) {
            (*server)->sql("drop database " + database + (GetParam() >= 13 ? " with (force)" : ""));
        }
        return same;
    }

    bool compare(const GeneratedStatement& statement, Way way, Speaker& direct, Speaker& through) {
        const bool ordered =
            statement.ordered || statement.text.find(" order by ") != std::string::npos;
        const bool modifiers = !has_set_operation(statement.text);
        // EXECUTE looks names up again when a type or table has changed since PREPARE, and tells of
        // a place in the text that was prepared.
        const bool positions = !statement.text.starts_with("execute");
        for (Speaker* side : {&direct, &through}) {
            side->tell_modifiers(modifiers);
            side->tell_positions(positions);
        }
        const Heard one = direct.say(statement, way);
        ++said_;
        remember(std::to_string(static_cast<int>(way)) + "  " + statement.text + ";" +
                 (one.lines.empty() ? "" : "\n  " + one.lines.back()));
        failed_ += std::any_of(one.lines.begin(), one.lines.end(), [](const std::string& line) {
            return line.starts_with("PGRES_FATAL_ERROR");
        });
        std::string different = difference(one, through.say(statement, way), ordered);
        different += direct.status() == through.status() ? "" : "the transaction's state";
        EXPECT_EQ(different, "") << "sent in way " << static_cast<int>(way) << ": "
                                 << statement.text;
        return different.empty();
    }

    void remember(std::string text) {
        said_last_.push_back(std::move(text));
        if (said_last_.size() > remembered) said_last_.pop_front();
    }

    static std::string contents(PostgresServer& server, const std::string& database) {
        std::string all = "\\connect " + database + "\n";
        for (const GeneratedTable& table : differential_tables()) {
            all +=
                "select string_agg(t::text, E'\\n' order by t::text) from " + table.name + " t;\n";
        }
        return server.sql(all);
    }

    std::uint64_t said_ = 0;
    std::deque<std::string> said_last_;
    std::uint64_t failed_ = 0;
    std::optional<PostgresServer> direct_server_;
    std::optional<PostgresServer> through_server_;
    std::optional<IsotapProcess> isotap_;
};

TEST_P(Differential, NobodySeesADifference) {
    const std::uint64_t first = asked("ISOTAP_DIFFERENTIAL_SEED", 1);
    const std::uint64_t episodes = asked("ISOTAP_DIFFERENTIAL_STATEMENTS", 2'000) / episode_size;
    const std::uint64_t failures_max = asked("ISOTAP_DIFFERENTIAL_FAILURES", 1);
    std::uint64_t failures = 0;
    for (std::uint64_t seed = first; seed < first + episodes && failures < failures_max; ++seed) {
        failures += episode(seed) ? 0 : 1;
    }
    const auto metrics = isotap_->metrics();
    for (const char* note : {"unknown_message", "desynchronised", "fuse"}) {
        EXPECT_EQ(metrics.at("isotap_notes_total{note=\"" + std::string(note) + "\"}"), 0)
            << note << '\n'
            << isotap_->log();
    }
    std::cout << said_ << " statements, " << failed_ << " of them refused by the server\n";
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

INSTANTIATE_TEST_SUITE_P(Versions, Differential, testing::Values(15, 18),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
