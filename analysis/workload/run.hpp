#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/workload/scenario.hpp"

/// What happened when a scenario ran. Plain values.
namespace isotap::workload {

/// What a server said to one statement.
struct Answer {
    bool failed = false;
    std::string state;    ///< SQLSTATE of the failure
    unsigned number = 0;  ///< its number, where the engine has one
    std::string message;  ///< its text
    std::vector<Row> rows;
    std::uint64_t affected = 0;
    bool returns_rows = false;
    /// The failure took the whole transaction with it: all that is left is to roll back.
    bool transaction_lost = false;
    /// … because of what another transaction did: deadlock, serialization failure, time-out.
    bool conflict = false;
    /// Rows or error as PostgreSQL's isolation tester shows them.
    std::string printed;
    /// What came before them and was not told yet.
    std::vector<std::string> notices;
};

enum class Happening : std::uint8_t {
    waits,    ///< the server says that it waits for others
    ended,    ///< the server has answered
    dropped,  ///< never sent: its transaction was lost before
    added,    ///< a ROLLBACK that the scenario does not have
    told,     ///< notices of a statement that has not ended; only in specifications
};

struct Event {
    Happening happening = Happening::ended;
    std::size_t session = 0;
    std::size_t turn = 0;               ///< in the order of submission; not for `added` and `told`
    std::vector<std::size_t> blockers;  ///< sessions, for `waits`; empty: somebody else
    bool waited = false;                ///< for `ended`
    Answer answer;                      ///< for `ended` and `added`; `told` has its notices
};

/// The one that is no cycle of dependencies (ADR 0011).
inline constexpr std::string_view against_commits = "G-single-predicate-commit";

struct FoundAnomaly {
    std::string name;                      ///< as design and reports write it: "G2-item"
    std::string plain;                     ///< "write skew"
    std::string severity;                  ///< "violation" or "hazard"
    std::vector<std::string> explanation;  ///< a sentence an edge
    std::vector<std::string> remedies{};   ///< what would have prevented it, cheapest first
};

/// Statements of which not all is known that they touched.
struct Unseen {
    std::string reason;
    std::uint64_t count = 0;  ///< 0: it holds for the whole run
    std::string example;
};

/// What somebody saw who stood between sessions and server.
struct Sighting {
    std::optional<std::vector<FoundAnomaly>> anomalies;  ///< nothing: nobody could look
    std::vector<Unseen> unseen;
};

/// One order of one scenario in one setting.
struct Run {
    Setting setting;
    std::vector<Event> events;  ///< the actual schedule
    std::map<std::string, std::vector<Row>> tables;
    Sighting sighting;
    std::vector<Answer> setup;     ///< of sessions, in their order
    std::vector<Answer> teardown;  ///< of sessions, in their order
};

/// One line for each event, for people and for comparing two runs.
std::string schedule_text(const Scenario& scenario, const std::vector<Turn>& order, const Run& run);

/// "found lost-update (hazard)", a line each, for comparing two runs.
std::string sighting_text(const Sighting& sighting);

/// "(0,0) (1,'a')", as in a scenario file.
std::string rows_text(const std::vector<Row>& rows);

}  // namespace isotap::workload
