#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

/// Scenarios: what a person writes down so that others see the same thing happen. Plain values.
namespace isotap::workload {

/// Where something stands in a file, from 1. Zero: in none.
struct Place {
    std::size_t line = 0;
    std::size_t column = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// One row of a result, as texts; nothing for NULL.
using Row = std::vector<std::optional<std::string>>;

/// Which servers something speaks of: all of a name, or those whose version begins like this.
struct ServerPattern {
    std::string engine;   ///< postgres, mysql, mariadb, tidb or cockroachdb
    std::string version;  ///< "10.11"; empty: every version

    friend bool operator==(const ServerPattern&, const ServerPattern&) = default;
};

/// Where a scenario runs. No level: the statements say it themselves.
struct Setting {
    ServerPattern server;
    std::optional<history::IsolationLevel> level;
};

/// `at LEVEL, LEVEL on ENGINE, ENGINE`: an empty list is no condition.
struct Condition {
    std::vector<history::IsolationLevel> levels;
    std::vector<ServerPattern> servers;

    [[nodiscard]] bool holds(const Setting& setting) const;
};

enum class ClaimKind : std::uint8_t {
    rows,      ///< the statement returned these, in any order
    affected,  ///< it changed so many
    blocked,   ///< it had to wait
    error,     ///< it failed with this SQLSTATE or error number
    done,      ///< it did not fail
    table,     ///< this is left in a table
    anomaly,   ///< this was found by whoever watched, and nothing else was
    outcome,   ///< this became of the phenomenon
};

/// What became of the phenomenon that a scenario is about. The order is that of weight.
enum class Fate : std::uint8_t { prevented, blocked, aborted, happens };

/// One line that begins with `expect` or with `happens if`.
struct Claim {
    ClaimKind kind = ClaimKind::rows;
    std::string word;      ///< error code, table, anomaly
    std::string severity;  ///< of the anomaly; empty: any
    std::uint64_t count = 0;
    Fate fate = Fate::prevented;
    std::vector<Row> rows;
    std::vector<std::size_t> sessions;  ///< blocked by them; empty: by anybody
    Condition condition;
    Place place;
};

struct Step {
    std::string name;
    std::size_t session = 0;
    std::string sql;
    Place place;
    std::vector<Claim> expected;
    std::vector<Claim> symptoms;  ///< `happens if`: the phenomenon is there when all of them hold
};

struct Session {
    std::string name;
    std::string setup;
    std::string teardown;
};

/// What PostgreSQL's isolation tester is told behind a step, in parentheses.
struct Marker {
    enum class Kind : std::uint8_t {
        waits,    ///< `*`: to be reported as waiting, whatever the server says
        behind,   ///< not to be reported before that step has completed
        notices,  ///< … before that step's session has given so many notices
    };
    Kind kind = Kind::waits;
    std::size_t step = 0;
    std::size_t notices = 0;
};

/// A step at its place in an order of submission.
struct Turn {
    std::size_t step = 0;
    std::vector<Marker> markers;
};

struct Scenario {
    std::string name;
    std::string link;
    std::string description;
    Condition where;                 ///< engines and levels that it is meant for
    std::vector<std::string> setup;  ///< each one statement, or a block of a specification
    std::vector<std::string> teardown;
    std::vector<Session> sessions;
    std::vector<Step> steps;
    /// Orders of submission: one, except in specifications.
    std::vector<std::vector<Turn>> orders;
    std::vector<Claim> expected;  ///< about the end
    std::vector<Claim> symptoms;
    /// Read from a specification of PostgreSQL's isolation tester: sets its levels itself, waits
    /// for a session that is busy, and goes on after errors.
    bool specification = false;

    /// Whether anything is expected at all: then what nobody expected is a difference too.
    [[nodiscard]] bool expects() const;
};

/// "READ COMMITTED" … as SQL writes it.
std::string_view level_name(history::IsolationLevel level) noexcept;

/// Takes any case, and '-' or '_' for the blank.
std::optional<history::IsolationLevel> level_from(std::string_view name);

std::string_view to_string(Fate fate) noexcept;

}  // namespace isotap::workload
