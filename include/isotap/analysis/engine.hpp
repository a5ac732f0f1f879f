#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"
#include "isotap/analysis/contract.hpp"
#include "isotap/history/events.hpp"

namespace isotap::analysis {

struct EngineOptions {
    /// Models that the history must satisfy: an anomaly that breaks one is a violation. With none,
    /// the contract decides; without a contract too, all anomalies are hazards.
    ModelSet asked;
    /// What the engine under the tap promises. Must outlive the `Engine`; may be null.
    const Contract* contract = nullptr;

    /// Transactions of one session follow one another.
    bool session_order = true;
    /// A transaction that ended before another began comes before it. Needs truthful times.
    bool real_time_order = false;
    /// Every transaction that ever wrote is in the history, so that a read of another one's version
    /// is garbage. False where the tap came later than the data.
    bool every_writer_known = false;
    /// A cycle that exists only because a locking read inside a snapshot transaction sees the
    /// current version is no anomaly of the snapshot.
    bool excuse_current_reads = true;

    /// Transactions that are kept although settled, or not settled; 0: as many as it takes. Past
    /// it the oldest are forgotten, and `Statistics::forced` says so.
    std::size_t window = 0;
    /// Rows that are remembered; 0: all. Past it, settled ones are forgotten first.
    std::size_t rows = 0;
    /// How far the events of one session may lag behind those of another, in their own time.
    std::chrono::nanoseconds arrival_skew = std::chrono::seconds{2};
    /// Committed transactions between two searches for cycles; it grows with what cannot be retired
    /// yet, so that the cost of one transaction stays the same.
    std::size_t search_every = 4096;
    /// Witnesses of each pattern that one component of the graph may yield in one search.
    std::size_t witnesses_per_component = 64;
    /// Steps that the search of a large component may take for each edge in it; 0: as many as that
    /// of a small one, however large it grows.
    std::uint64_t work_per_edge = 64;

    /// Called as soon as an anomaly is known. Null: they are kept, see `Engine::anomalies`.
    std::function<void(Anomaly&&)> on_anomaly;
    /// Called with each committed transaction in an order in which they might have run one after
    /// the other. Means something only when no cycle was found.
    std::function<void(history::TransactionId)> on_serial_order;
};

struct CoverageReason {
    history::NameId reason{};
    std::uint64_t count = 0;
    std::string example;  ///< one statement that it happened to, cut short
};

struct Statistics {
    struct {
        std::uint64_t committed = 0;
        std::uint64_t aborted = 0;
        std::uint64_t indeterminate = 0;
        std::uint64_t incomplete = 0;  ///< of those above
    } transactions;
    struct {
        std::uint64_t statements = 0;
        std::uint64_t full = 0;
        std::uint64_t partial = 0;
        std::uint64_t opaque = 0;
        std::vector<CoverageReason> reasons;
    } coverage;
    std::uint64_t accesses = 0;
    std::uint64_t edges = 0;
    std::uint64_t gaps = 0;
    std::uint64_t hazards = 0;
    std::uint64_t violations = 0;
    std::uint64_t excused = 0;         ///< cycles that only current reads make
    std::uint64_t more_witnesses = 0;  ///< edges in cycles that were not looked at any more
    std::uint64_t unresolved = 0;      ///< versions of writers that never showed up
    std::uint64_t searches = 0;

    std::uint64_t live = 0;     ///< transactions that the graph holds now
    std::uint64_t retired = 0;  ///< settled and forgotten
    std::uint64_t forced = 0;   ///< forgotten under a window, though not settled
    /// Edges into a transaction that was retired: what retirement assumes (nobody reads a version
    /// that was overwritten before he began) did not hold. A cycle may have been missed.
    std::uint64_t breaches = 0;
};

enum class Verdict : std::uint8_t { clean, hazard, violation, unknown };
std::string_view to_string(Verdict verdict) noexcept;

/// Events in, anomalies out: dependencies, the graph they make, and what is wrong with it.
///
/// Takes events in order of arrival, from one thread; copies what it keeps. Events that contradict
/// the contract (an access of an unknown transaction, a second end) are taken as far as they make
/// sense and counted as gaps; they never break it. Work per transaction and memory are flat over an
/// endless stream as long as transactions settle, see analysis/graph/README.md for what that
/// assumes.
class Engine final : public history::EventSink {
  public:
    explicit Engine(EngineOptions options = {});
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() override;

    void accept(const history::Event& event) noexcept override;

    /// Looks for cycles now instead of at the next full batch. For a live tap, on a timer.
    void search();

    /// What waits for nothing but time, and from when on `pass_time` settles the first of it;
    /// nothing where only an event can. For instance a read of a version whose writer has no name:
    /// it may get one for `arrival_skew` more. Where the writer is known, his end is waited for.
    [[nodiscard]] std::optional<Time> due() const;

    /// All that happened before `now`, less `arrival_skew`, has arrived, although no event says so:
    /// what that settles is settled, then cycles are looked for. For a live tap that has gone
    /// quiet, by the clock of its events.
    void pass_time(Time now);

    /// No event will follow: what is pending is decided. Call it once, last.
    void finish();

    [[nodiscard]] const Statistics& statistics() const noexcept;
    [[nodiscard]] const std::vector<Anomaly>& anomalies() const noexcept;

    /// A violation or hazard as found; `clean` only where nothing was lost, forgotten or opaque.
    [[nodiscard]] Verdict verdict() const noexcept;

  private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace isotap::analysis
