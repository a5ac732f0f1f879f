#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/analysis/level.hpp"
#include "isotap/history/events.hpp"

/// What went wrong, and the proof of it. Plain values that own all they hold.
namespace isotap::analysis {

enum class AnomalyType : std::uint8_t {
    g0,                   ///< a cycle of writes
    g1a,                  ///< read what an aborted transaction wrote
    g1b,                  ///< read what its writer overwrote itself
    g1c,                  ///< a cycle of writes and reads of them
    g_single,             ///< a cycle with one rw edge
    g_nonadjacent,        ///< a cycle in which no two rw edges follow one another
    g2,                   ///< a cycle with rw edges
    lost_update,          ///< a G-single on one row: read, overwritten by another, written
    fractured_read,       ///< a G-single of two: saw one write of a transaction, missed another
    causal_violation,     ///< a G-single that needs no write order but that of one row
    non_repeatable_read,  ///< two reads of one row in one transaction differ
    internal,             ///< a transaction does not see its own write
    future_read,          ///< a transaction sees what it writes only later
    dirty_update,         ///< wrote on top of what an aborted transaction wrote
    incompatible_order,   ///< one version has two successors
    cyclic_versions,      ///< the versions of one row follow one another in a circle
    duplicate_elements,   ///< one version stands twice in the order of its row
    garbage_read,         ///< read a version that nobody wrote
};
inline constexpr std::size_t anomaly_type_count = 18;

/// Which order between whole transactions a cycle needs, besides what they read and wrote.
enum class Order : std::uint8_t {
    none,
    process,    ///< one after the other in one session
    real_time,  ///< one ended before the other began
};
inline constexpr std::size_t order_count = 3;

/// What an anomaly is called. `predicate`: some edge stands for rows that a condition would have
/// matched, or for all rows of a table, not for a row that was read.
struct AnomalyKind {
    AnomalyType type = AnomalyType::g0;
    bool predicate = false;
    Order order = Order::none;

    friend auto operator<=>(const AnomalyKind&, const AnomalyKind&) = default;
};

/// "G-single", "G2-item", "G2" (by predicate), "lost-update", "G1c-process" …
std::string name_of(AnomalyKind kind);

/// Takes what `name_of` and Elle make ("G-single-item-process"), and contracts use; false for a
/// word that is none.
bool kind_from(std::string_view name, AnomalyKind& kind) noexcept;

/// All models that no history with this anomaly satisfies.
ModelSet violated_by(AnomalyKind kind) noexcept;

enum class EdgeKind : std::uint8_t {
    ww,         ///< `to` overwrote what `from` made
    wr,         ///< `to` saw what `from` made
    rw,         ///< `from` saw what `to` overwrote
    session,    ///< `from` ended before `to` began, in one session
    real_time,  ///< `from` ended before `to` began
};
std::string_view to_string(EdgeKind kind) noexcept;

/// One step of a proof: `from` comes before `to`, and why.
struct CycleEdge {
    history::TransactionId from{};
    history::TransactionId to{};
    EdgeKind kind = EdgeKind::ww;
    bool predicate = false;     ///< by a condition, not by a row that was returned
    bool current_read = false;  ///< what `to` did on a wr edge is a locking read
    history::NameId table{};
    history::RowKey row;
    history::Version version;  ///< overwritten (ww), seen (wr, rw)
    std::uint32_t from_statement = 0;
    std::uint32_t to_statement = 0;
    bool emptied = false;  ///< `to` emptied the table, in which `from` had written or read the row

    friend bool operator==(const CycleEdge&, const CycleEdge&) = default;
};

struct InvolvedTransaction {
    history::TransactionId id{};
    history::SessionId session{};
    history::IsolationLevel level = history::IsolationLevel::unknown;
    history::Outcome outcome = history::Outcome::committed;
    bool incomplete = false;
};

enum class Severity : std::uint8_t {
    hazard,     ///< permitted at that level, and it happened to this application
    violation,  ///< forbidden: by the engine's own documentation, or by the model asked for
};
std::string_view to_string(Severity severity) noexcept;

struct Anomaly {
    std::uint64_t id = 0;  ///< from 1, in the order of discovery
    AnomalyKind kind;
    Severity severity = Severity::hazard;
    /// A cycle, each edge beginning where the one before ends; or, for an anomaly that is none, the
    /// one or two steps that show it.
    std::vector<CycleEdge> edges;
    /// In the order in which they appear in `edges`, each once.
    std::vector<InvolvedTransaction> transactions;
    ModelSet violates;

    /// Whose contract was applied, and the weakest level at which that excludes such an anomaly;
    /// empty and `unknown` where there was none, or no level does.
    std::string engine;
    history::IsolationLevel excluded_at = history::IsolationLevel::unknown;
};

/// What programmers call it: "lost update", "write skew", "read-write skew", "read skew",
/// "intermediate read" …: depends on the edges as well as on the type.
std::string_view plain_name(const Anomaly& anomaly) noexcept;

}  // namespace isotap::analysis
