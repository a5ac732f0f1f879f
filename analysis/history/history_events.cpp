#include "analysis/history/history_events.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

namespace isotap::history {

namespace {

constexpr std::size_t told_aside = 32;

class Emitter {
  public:
    Emitter(const History& history, const ListOrder& order, EventSink& sink)
        : history_(history), sink_(sink), order_(order), shown_(history.chains.size()) {}

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
        for (std::uint32_t i = 0; i < transaction.operations; ++i) {
            const std::uint64_t at = transaction.first_operation + i;
            access({id_of(t), i + 1}, at, history_.operations[at]);
        }
        sink_.accept(TransactionEnded{id_of(t), time(transaction.ended), time(transaction.ended),
                                      transaction.outcome, false});
    }

    void access(StatementRef statement, std::uint64_t at, const Operation& operation) {
        const RowKey row = row_of(operation.key);
        if (operation.kind == OperationKind::append) {
            sink_.accept(Access{statement, history_table, row, AccessKind::update,
                                order_.before(static_cast<std::uint32_t>(at)),
                                Version::written_by(statement)});
            append_aside(statement, static_cast<std::uint32_t>(at), operation.key);
            return;
        }
        Version seen = Version::initial();
        if (operation.kind == OperationKind::read_list) {
            const ListPrefix list = History::list_prefix(operation);
            const auto versions = order_.versions(list);
            if (!order_.agreed(list)) {
                show(statement, operation, versions);
            }
            seen = versions.back();
        }
        sink_.accept(Access{statement, history_table, row, AccessKind::read, seen, Version{}});
        read_aside(statement, operation.key, seen);
    }

    /// Appends of which only this is known, that they came after all that lists show, cannot follow
    /// one another on their row. Each is told on a row beside it, behind the last that was shown.
    void append_aside(StatementRef statement, std::uint32_t operation, KeyId key) {
        const ListOrder::Unordered* const hidden = aside(key);
        if (hidden == nullptr) {
            return;
        }
        const Version made = Version::written_by(statement);
        for (const ListOrder::Append& append : hidden->appends) {
            const bool itself = append.operation == operation;
            if (itself || made == hidden->last) {
                sink_.accept(Access{statement, history_table, row_beside(key, append),
                                    AccessKind::update, itself ? hidden->last : Version::initial(),
                                    made});
            }
        }
    }

    /// Who has appended to the row itself, unseen, misses his own write there.
    void read_aside(StatementRef statement, KeyId key, const Version& seen) {
        const ListOrder::Unordered* const hidden = aside(key);
        if (hidden == nullptr || seen != hidden->last ||
            std::any_of(hidden->appends.begin(), hidden->appends.end(),
                        [statement](const ListOrder::Append& append) {
                            return id_of(append.transaction) == statement.transaction;
                        })) {
            return;
        }
        for (const ListOrder::Append& append : hidden->appends) {
            sink_.accept(Access{statement, history_table, row_beside(key, append), AccessKind::read,
                                seen, Version{}});
        }
    }

    /// Null as well where there would be more to tell than it is worth.
    [[nodiscard]] const ListOrder::Unordered* aside(KeyId key) const noexcept {
        const ListOrder::Unordered* const hidden = order_.unordered(key);
        return hidden != nullptr && hidden->appends.size() <= told_aside ? hidden : nullptr;
    }

    static RowKey row_beside(KeyId key, const ListOrder::Append& append) noexcept {
        return {std::uint64_t{append.operation} + 1, position(key)};
    }

    /// A list that repeats what an earlier one showed says nothing new; one that goes on from there
    /// is told from the last version that is known already.
    void show(StatementRef statement, const Operation& read, std::span<const Version> versions) {
        std::uint32_t& shown = shown_[History::list_prefix(read).chain];
        const auto length = static_cast<std::uint32_t>(versions.size());
        if (length > shown) {
            const std::uint32_t known = shown == 0 ? 0 : shown - 1;
            shown = length;
            sink_.accept(WriterList{statement, history_table, row_of(read.key), known,
                                    versions.subspan(known)});
        }
    }

    static Time time(Moment moment) noexcept {
        return Time{std::chrono::nanoseconds{moment == beginning_of_time ? 0 : moment}};
    }

    const History& history_;
    EventSink& sink_;
    const ListOrder& order_;
    std::vector<std::uint32_t> shown_;  ///< of each chain, how many versions
};

}  // namespace

void emit_events(const History& history, const ListOrder& order, EventSink& sink) {
    Emitter(history, order, sink).emit();
}

}  // namespace isotap::history
