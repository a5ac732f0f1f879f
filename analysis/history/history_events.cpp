#include "analysis/history/history_events.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace isotap::history {

namespace {

/// No file is long enough to have a transaction of this number.
constexpr std::uint64_t nobody = std::uint64_t{1} << 62;

class Emitter {
  public:
    Emitter(const History& history, const WriterIndex& writers, EventSink& sink)
        : history_(history), writers_(writers), sink_(sink), shown_(history.chains.size()) {}

    void emit() {
        sink_.accept(NameDefined{history_table, "history"});
        for (std::uint32_t session = 0; session < history_.sessions; ++session) {
            sink_.accept(SessionBegan{SessionId{std::uint64_t{session} + 1}, {}, {}, {}, {}, {}});
        }
        // Both ends of every transaction, by moment; a beginning before an end of the same moment.
        std::vector<std::uint32_t> by_begin(history_.transactions.size());
        std::iota(by_begin.begin(), by_begin.end(), 0U);
        std::stable_sort(by_begin.begin(), by_begin.end(), [&](std::uint32_t a, std::uint32_t b) {
            return history_.transactions[a].began < history_.transactions[b].began;
        });
        // Within a session they follow one another: those without a known beginning begin when
        // their turn comes.
        auto next = by_begin.begin();
        std::vector<bool> begun(history_.transactions.size());
        for (std::uint32_t t = 0; t < history_.transactions.size(); ++t) {
            const Moment ended = history_.transactions[t].ended;
            for (; next != by_begin.end() && began_in_time(*next, ended); ++next) {
                begin(*next, begun);
            }
            begin(t, begun);
            end(t);
        }
    }

  private:
    [[nodiscard]] bool began_in_time(std::uint32_t t, Moment ended) const noexcept {
        const Moment began = history_.transactions[t].began;
        return began != beginning_of_time && began <= ended;
    }

    void begin(std::uint32_t t, std::vector<bool>& begun) {
        if (begun[t]) {
            return;
        }
        begun[t] = true;
        const Transaction& transaction = history_.transactions[t];
        sink_.accept(TransactionBegan{SessionId{std::uint64_t{transaction.session} + 1}, id_of(t),
                                      time(transaction.began), false});
    }

    void end(std::uint32_t t) {
        const Transaction& transaction = history_.transactions[t];
        std::uint32_t ordinal = 0;
        for (const Operation& operation : history_.operations_of(transaction)) {
            access({id_of(t), ++ordinal}, operation);
        }
        sink_.accept(TransactionEnded{id_of(t), time(transaction.ended), time(transaction.ended),
                                      transaction.outcome, false});
    }

    void access(StatementRef statement, const Operation& operation) {
        const RowKey row = row_of(operation.key);
        if (operation.kind == OperationKind::append) {
            sink_.accept(Access{statement, history_table, row, AccessKind::update, Version{},
                                Version::written_by(statement)});
            return;
        }
        Version seen = Version::initial();
        if (operation.kind == OperationKind::read_list) {
            show(statement, operation);
            seen = version_of(operation.key, history_.list(operation).back());
        }
        sink_.accept(Access{statement, history_table, row, AccessKind::read, seen, Version{}});
    }

    /// A list that repeats what an earlier one showed says nothing new.
    void show(StatementRef statement, const Operation& read) {
        const ListPrefix prefix = History::list_prefix(read);
        if (prefix.length <= shown_[prefix.chain]) {
            return;
        }
        versions_.clear();
        versions_.push_back(Version::initial());
        for (const Value element : history_.list(read)) {
            versions_.push_back(version_of(read.key, element));
        }
        shown_[prefix.chain] = prefix.length;
        sink_.accept(WriterList{statement, history_table, row_of(read.key), 0, versions_});
    }

    [[nodiscard]] Version version_of(KeyId key, Value element) const noexcept {
        const WriterIndex::Writer writer = writers_.find(history_, key, element);
        if (!writer.exists()) {
            const auto distinct = static_cast<std::uint64_t>(element) % nobody;
            return Version::written_by({TransactionId{nobody + distinct}, 1});
        }
        const std::uint64_t first = history_.transactions[writer.transaction].first_operation;
        return Version::written_by(
            {id_of(writer.transaction), static_cast<std::uint32_t>(writer.operation - first) + 1});
    }

    static Time time(Moment moment) noexcept {
        return Time{std::chrono::nanoseconds{moment == beginning_of_time ? 0 : moment}};
    }

    const History& history_;
    const WriterIndex& writers_;
    EventSink& sink_;
    std::vector<std::uint32_t> shown_;  ///< of each chain, how many elements
    std::vector<Version> versions_;
};

}  // namespace

void emit_events(const History& history, const WriterIndex& writers, EventSink& sink) {
    Emitter(history, writers, sink).emit();
}

}  // namespace isotap::history
