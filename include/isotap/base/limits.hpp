#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace isotap {

inline constexpr std::size_t kibibyte = 1024;

/// Every bound that can be set, by name. A bound is a promise: what happens when it is reached
/// stands beside it, in docs/OPERATIONS.md, and in a test. Plain values, set once at start-up,
/// read from every thread.
struct Limits {
    /// Bytes that a proxy holds for a peer that does not read; then it stops reading from the other
    /// one. One read may overshoot it by `read_chunk`.
    std::size_t bytes_in_flight = 64 * kibibyte;

    /// Bytes taken from one socket in one go; larger messages stream through in several.
    std::size_t read_chunk = 64 * kibibyte;

    /// Reads in a row from one busy socket before the others of the thread get their turn.
    std::size_t reads_per_turn = 4;

    /// A client packet before authentication. A larger one closes the connection without a word, as
    /// the server does it, before memory is spent on it.
    std::size_t startup_packet = 10'000;

    /// Of the MySQL family, where attributes alone may take 64 KiB: a larger one gets an error.
    std::size_t handshake_packet = 128 * kibibyte;

    /// Time from accept to 'authenticated'. Then the session is closed.
    std::chrono::milliseconds login_timeout{60'000};

    /// Time to reach the upstream server. Then the client gets the dialect's own error.
    std::chrono::milliseconds connect_timeout{10'000};

    /// Time for a client to close its side after its server has; then it is closed for it.
    std::chrono::milliseconds linger_timeout{5'000};

    /// Concurrent sessions. One more is refused with the dialect's own error.
    std::size_t sessions = 10'000;

    /// Replies that a client may have outstanding in a pipeline and still be decoded. One more
    /// makes the session blind: bytes pass, nothing is observed.
    std::size_t pipelined_replies = 65'536;

    /// Bytes of requests that observation keeps until their replies have come. What is beyond is
    /// observed without its text.
    std::size_t pipelined_bytes = 1024 * kibibyte;

    /// Bytes of one decoded message that observation keeps together (a statement's text, an error).
    /// What is beyond passes unobserved and is reported as cut.
    std::size_t observed_message = 64 * kibibyte;

    /// Prepared statements and portals whose text a session remembers. More are executed as always,
    /// and reported without their text.
    std::size_t named_statements = 4'096;

    /// Iterations of a server's password hash that the proxy computes to prove a login itself; its
    /// relay thread does nothing else meanwhile. A server that asks for more gets no proof, and the
    /// client is told why.
    std::size_t scram_iterations = 100'000;

    /// Rows that one statement is recorded to have touched. What it touches beyond is counted, and
    /// the statement's coverage is partial.
    std::size_t rows_per_statement = 10'000;

    /// Time that a client waits for the plan of a statement that is new. Then the statement goes as
    /// it came, and counts as opaque.
    std::chrono::milliseconds plan_wait{50};

    /// MySQL family: time that a client says nothing behind a write that ended its transaction.
    /// Then the rows of the write are asked for, which would else wait for the next statement.
    std::chrono::milliseconds silence{100};

    /// Plans that a relay thread keeps for one listener. The one that was not used for longest
    /// makes room.
    std::size_t cached_plans = 4'096;

    /// Statements whose plans one server's catalog thread has not begun. One more is opaque for
    /// now.
    std::size_t queued_plans = 1'024;

    /// Combinations of database, user, role, search path and sql_mode that a relay thread tells
    /// apart. The statements of one more are opaque.
    std::size_t plan_contexts = 4'096;

    /// Events of one relay thread on their way to analysis, and bytes of their texts. What comes
    /// when they are used up is lost and counted, see docs/OPERATIONS.md on `on-overload`.
    std::size_t ring_events = 65'536;
    std::size_t ring_bytes = 8'192 * kibibyte;

    /// Transactions and rows that the dependency graph holds. Beyond, the oldest are forgotten, and
    /// the verdict is no longer 'clean'.
    std::size_t graph_transactions = 100'000;
    std::size_t graph_rows = 1'000'000;

    /// Bytes of transactions and their statements that are remembered for the case that an anomaly
    /// mentions them. Beyond, the oldest are forgotten, and shown without their statements.
    std::size_t kept_history = 65'536 * kibibyte;

    /// Anomalies that the admin page shows. Beyond, the oldest leave; they stay counted.
    std::size_t kept_anomalies = 1'000;
};

}  // namespace isotap
