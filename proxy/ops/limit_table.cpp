#include "proxy/ops/limit_table.hpp"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "proxy/ops/quantity.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

using Kind = LimitRow::Kind;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;
constexpr std::uint64_t second = 1000;
constexpr std::uint64_t day = 86'400 * second;

// The least values are what the wire needs to make progress; the greatest keep a slip of the
// finger from promising memory that no machine has.
constexpr LimitRow rows[] = {
    {"bytes-in-flight", Kind::bytes, &Limits::bytes_in_flight, 4 * kib, gib,
     "buffered for a peer that does not read"},
    {"read-chunk", Kind::bytes, &Limits::read_chunk, 16 * kib, 16 * mib,
     "taken from a socket in one go"},
    {"reads-per-turn", Kind::count, &Limits::reads_per_turn, 1, 1'000,
     "reads in a row from one busy socket"},
    {"startup-packet", Kind::bytes, &Limits::startup_packet, 256, 16 * mib,
     "client packet before authentication"},
    {"handshake-packet", Kind::bytes, &Limits::handshake_packet, 4 * kib, 16 * mib,
     "the same for the MySQL family"},
    {"login-timeout", Kind::time, &Limits::login_timeout, 10, day, "from accept to authenticated"},
    {"connect-timeout", Kind::time, &Limits::connect_timeout, 10, day, "to reach the server"},
    {"linger-timeout", Kind::time, &Limits::linger_timeout, 10, day,
     "for a client to close its side after the server has"},
    {"sessions", Kind::count, &Limits::sessions, 1, 1'000'000, "concurrent sessions"},
    {"pipelined-replies", Kind::count, &Limits::pipelined_replies, 16, 100'000'000,
     "replies a client may have outstanding and still be decoded"},
    {"pipelined-bytes", Kind::bytes, &Limits::pipelined_bytes, kib, gib,
     "of requests that wait for their replies"},
    {"observed-message", Kind::bytes, &Limits::observed_message, 256, gib,
     "of one decoded message that are kept"},
    {"named-statements", Kind::count, &Limits::named_statements, 1, 10'000'000,
     "prepared statements whose text a session remembers"},
    {"scram-iterations", Kind::count, &Limits::scram_iterations, 4'096, 10'000'000,
     "iterations of a password hash when the proxy proves a login itself"},
    {"rows-per-statement", Kind::count, &Limits::rows_per_statement, 1, 100'000'000,
     "rows that one statement is recorded to have touched"},
    {"plan-wait", Kind::time, &Limits::plan_wait, 1, 60 * second,
     "that a client waits for the plan of a new statement"},
    {"silence", Kind::time, &Limits::silence, 1, day,
     "of a client behind a write, until the rows are asked for (MySQL family)"},
    {"cached-plans", Kind::count, &Limits::cached_plans, 16, 10'000'000,
     "plans that a relay thread keeps for one listener"},
    {"queued-plans", Kind::count, &Limits::queued_plans, 1, 1'000'000,
     "plans of one server that are not begun"},
    {"plan-contexts", Kind::count, &Limits::plan_contexts, 1, 1'000'000,
     "combinations of database, user, role and search path"},
    {"ring-events", Kind::count, &Limits::ring_events, 64, 16'777'216,
     "events of a relay thread on their way to analysis"},
    {"ring-bytes", Kind::bytes, &Limits::ring_bytes, 64 * kib, gib, "of the texts of those"},
    {"graph-transactions", Kind::count, &Limits::graph_transactions, 1'000, 100'000'000,
     "transactions that the dependency graph holds"},
    {"graph-rows", Kind::count, &Limits::graph_rows, 1'000, 1'000'000'000,
     "rows that it remembers"},
    {"kept-history", Kind::bytes, &Limits::kept_history, 64 * kib, 64 * gib,
     "of transactions and statements that anomalies may mention"},
    {"kept-anomalies", Kind::count, &Limits::kept_anomalies, 1, 1'000'000,
     "anomalies that the admin page shows"},
};

std::uint64_t parse_limit(LimitRow::Kind kind, std::string_view text) {
    switch (kind) {
        case LimitRow::Kind::bytes: return parse_size(text);
        case LimitRow::Kind::count: return parse_count(text);
        case LimitRow::Kind::time: break;
    }
    return static_cast<std::uint64_t>(parse_duration(text).count());
}

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};
constexpr Unit byte_units[] = {{"GiB", gib}, {"MiB", mib}, {"KiB", kib}};
constexpr Unit time_units[] = {{"h", 3600 * second}, {"min", 60 * second}, {"s", second}};

/// In the largest unit that needs no fraction.
std::string as_written(LimitRow::Kind kind, std::uint64_t value) {
    const std::span<const Unit> units = kind == Kind::bytes  ? std::span<const Unit>(byte_units)
                                        : kind == Kind::time ? std::span<const Unit>(time_units)
                                                             : std::span<const Unit>();
    for (const Unit& unit : units) {
        if (value != 0 && value % unit.factor == 0) {
            return fmt::format("{}{}", value / unit.factor, unit.name);
        }
    }
    return fmt::format("{}{}", value, kind == Kind::time ? "ms" : "");
}

}  // namespace

std::span<const LimitRow> limit_table() {
    return rows;
}

std::string written_value(const LimitRow& row, const Limits& limits) {
    if (const auto* size = std::get_if<SizeLimit>(&row.member)) {
        return as_written(row.kind, limits.*(*size));
    }
    const auto time = limits.*std::get<TimeLimit>(row.member);
    return as_written(row.kind, static_cast<std::uint64_t>(time.count()));
}

void apply_limit(std::string_view name, std::string_view text, Limits& limits) {
    const auto table = limit_table();
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const LimitRow& r) { return r.name == name; });
    assert(row != table.end() && "a limit is looked up by a name of the table");
    const std::uint64_t value = parse_limit(row->kind, text);
    if (value < row->least || value > row->most) {
        refuse(fmt::format("{} is out of range: write {} to {}", text,
                           as_written(row->kind, row->least), as_written(row->kind, row->most)));
    }
    if (const auto* size = std::get_if<SizeLimit>(&row->member)) {
        limits.*(*size) = static_cast<std::size_t>(value);
    } else {
        limits.*std::get<TimeLimit>(row->member) =
            std::chrono::milliseconds(static_cast<std::int64_t>(value));
    }
}

}  // namespace isotap::proxy
