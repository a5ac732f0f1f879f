#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "isotap/analysis/engine.hpp"
#include "isotap/history/events.hpp"

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/emptied.hpp"
#include "analysis/dependencies/predicates.hpp"
#include "analysis/dependencies/rows.hpp"
#include "analysis/dependencies/transactions.hpp"
#include "analysis/dependencies/versions.hpp"
#include "analysis/dependencies/workspace.hpp"

namespace isotap::analysis {

struct InferenceOptions {
    bool session_order = true;
    bool every_writer_known = false;
    bool excuse_current_reads = true;
    std::chrono::nanoseconds arrival_skew{};
    /// How long a transaction waits for somebody to tell what its versions were written over.
    std::optional<std::chrono::nanoseconds> patience{};
};

/// From events to dependencies. What a transaction did is kept aside until it ends; if it
/// committed, its accesses go into the version chains, which tell the sink what they prove.
class Inference {
  public:
    Inference(InferenceOptions options, DependencySink& sink, Statistics& statistics)
        : options_(options),
          sink_(sink),
          statistics_(statistics),
          versions_(transactions_, rows_, sink),
          predicates_(transactions_, rows_, versions_, sink),
          emptied_(transactions_, rows_, versions_, sink) {}

    void accept(const history::Event& event);

    /// Decides what only the end, or the passing of time, can decide. Before looking for cycles.
    void catch_up();
    /// See `Engine`.
    [[nodiscard]] std::optional<Time> due() const;
    void pass_time(Time now) noexcept { note_time(now); }
    /// No event will follow.
    void finish();

    /// Everything that ended before this moment is beyond the reach of what is still to come, and
    /// of what came and waits for a name or a decision.
    [[nodiscard]] Time retirement_horizon() const;
    /// No edge into the transaction can come any more, as long as retirement's assumption holds.
    [[nodiscard]] bool is_settled(Slot slot, Time horizon) const noexcept;
    void retire(Slot slot);
    void forget_rows(std::size_t limit);
    /// While on, no row is forgotten that somebody still has in hand.
    void pin_rows(bool on);

    [[nodiscard]] const Transactions& transactions() const noexcept { return transactions_; }
    [[nodiscard]] const Rows& rows() const noexcept { return rows_; }

  private:
    struct Session {
        history::TransactionId last_committed{};
        Slot last_slot = no_slot;
        Slot open = no_slot;
        history::TransactionId open_id{};
    };
    /// An access that names a version by the server's own number, of which nobody knows yet whose
    /// it is.
    struct Deferred {
        Slot transaction = no_slot;
        Workspace::Access access;
    };
    /// What came of looking for whom a number stands.
    enum class Naming : std::uint8_t { done, nobody_known, under_way };
    struct Hash {
        using is_avalanching = void;
        std::size_t operator()(std::uint64_t id) const noexcept { return mix(id, 1); }
    };

    void on(const history::NameDefined&) {}
    void on(const history::SessionBegan&) {}
    void on(const history::SessionEnded& event);
    void on(const history::TransactionBegan& event);
    void on(const history::TransactionLevel& event);
    void on(const history::TransactionEnded& event);
    void on(const history::StatementBegan& event);
    void on(const history::StatementEnded& event);
    void on(const history::Savepoint& event);
    void on(const history::Access& event);
    void on(const history::WriterList& event);
    void on(const history::RowLabelled&) {}
    void on(const history::RowImage&) {}
    void on(const history::PredicateRead& event);
    void on(const history::PredicateMatch& event);
    void on(const history::TableEmptied& event);
    void on(const history::HeldRead& event);
    void on(const history::Alias& event);
    void on(const history::Gap& event);

    [[nodiscard]] Slot slot_of(history::TransactionId id);
    Workspace* workspace_of(history::TransactionId id);
    void open(Slot transaction);
    void close(Slot transaction);
    void mark_incomplete(Slot transaction);
    void commit(Slot transaction);
    void fetch_ahead(const Workspace& work) const;
    void abort(Slot transaction);
    void discard(Slot transaction);
    void follow_session(Slot transaction);
    void apply(Slot transaction, const Workspace& work, Workspace::Access access);
    void apply_touch(Slot transaction, const Workspace::Access& access, bool undone);
    void apply_read(Slot transaction, const Workspace::Access& access);
    void apply_write(Slot transaction, const Workspace::Access& access, bool undone);
    void apply_list(const Workspace& work, const Workspace::List& list);
    void check_own_view(Slot transaction, const Workspace::Access& access);
    [[nodiscard]] bool wrote_over(Slot transaction, Slot row, const history::Version& own,
                                  const history::Version& version) const noexcept;
    void tell_own_view(Slot transaction, const Workspace::Access& access, AnomalyType type);
    [[nodiscard]] history::Version resolved(history::Version version) const noexcept;
    [[nodiscard]] bool is_own(Slot transaction, const history::Version& version) const noexcept;
    Naming name_foreign(Slot transaction, Workspace::Access& access) const;
    [[nodiscard]] bool may_be_named_yet(const Deferred& waiting, Naming naming) const;
    [[nodiscard]] history::Version last_write(Slot writer, Slot row) const;
    void defer(Slot transaction, const Workspace::Access& access);
    void apply_deferred(bool at_end);
    void decide_emptied(bool at_end);
    void promote_seen();
    void find_garbage();
    void forget_aliases(Slot slot);
    void note_time(Time at) noexcept;
    [[nodiscard]] Time first_open() const;
    [[nodiscard]] Time arrived() const noexcept;
    [[nodiscard]] Time horizon() const;

    InferenceOptions options_;
    DependencySink& sink_;
    Statistics& statistics_;
    Transactions transactions_;
    Rows rows_;
    Versions versions_;
    Predicates predicates_;
    Emptied emptied_;
    std::vector<Workspace> workspaces_;
    std::vector<Slot> free_workspaces_;
    boost::unordered_flat_map<std::uint64_t, Session, Hash> sessions_;
    boost::unordered_flat_map<std::uint64_t, history::TransactionId, Hash> aliases_;
    /// Of transactions that have several, all but the last.
    boost::unordered_flat_map<std::uint64_t, std::vector<std::uint64_t>, Hash> more_aliases_;
    std::vector<Deferred> deferred_;
    std::vector<Slot> indeterminate_;  ///< not known to have committed, kept in case they did
    Slot cached_slot_ = no_slot;
    Time latest_ = Time::min();
};

}  // namespace isotap::analysis
