#pragma once

#include <variant>

#include "isotap/history/events.hpp"

/// What every kind of event has in its own place: the texts and lists that it points at, the names
/// that it mentions, the transaction that it belongs to. A new kind of event does not compile until
/// it stands here.
namespace isotap::proxy {

template <typename Take>
struct PayloadVisitor {
    Take take;

    void operator()(history::NameDefined& e) { take(e.text); }
    void operator()(history::SessionBegan& e) {
        take(e.user);
        take(e.database);
        take(e.application);
    }
    void operator()(history::StatementBegan& e) { take(e.text); }
    void operator()(history::StatementEnded& e) { take(e.tag); }
    void operator()(history::Savepoint& e) { take(e.name); }
    void operator()(history::WriterList& e) { take(e.writers); }
    void operator()(history::RowLabelled& e) { take(e.label); }
    void operator()(history::RowImage& e) {
        take(e.before);
        take(e.after);
    }
    void operator()(history::PredicateRead& e) { take(e.condition); }
    void operator()(history::SessionEnded&) {}
    void operator()(history::TransactionBegan&) {}
    void operator()(history::TransactionLevel&) {}
    void operator()(history::TransactionEnded&) {}
    void operator()(history::Access&) {}
    void operator()(history::PredicateMatch&) {}
    void operator()(history::Alias&) {}
    void operator()(history::Gap&) {}
    void operator()(history::TableEmptied&) {}
    void operator()(history::HeldRead&) {}
};

/// Calls `take` with each text or list of the event, by reference.
template <typename Take>
void for_each_payload(history::Event& event, Take take) {
    std::visit(PayloadVisitor<Take>{take}, event);
}

/// The names that the event mentions, to be replaced. `NameDefined` is not among them: it defines.
template <typename Replace>
struct NameVisitor {
    Replace replace;

    void operator()(history::StatementEnded& e) { replace(e.reason); }
    void operator()(history::Access& e) { replace(e.table); }
    void operator()(history::WriterList& e) { replace(e.table); }
    void operator()(history::RowLabelled& e) { replace(e.table); }
    void operator()(history::RowImage& e) { replace(e.table); }
    void operator()(history::PredicateRead& e) { replace(e.table); }
    void operator()(history::Gap& e) { replace(e.reason); }
    void operator()(history::TableEmptied& e) { replace(e.table); }
    void operator()(history::HeldRead& e) { replace(e.table); }
    void operator()(history::NameDefined&) {}
    void operator()(history::SessionBegan&) {}
    void operator()(history::SessionEnded&) {}
    void operator()(history::TransactionBegan&) {}
    void operator()(history::TransactionLevel&) {}
    void operator()(history::TransactionEnded&) {}
    void operator()(history::StatementBegan&) {}
    void operator()(history::Savepoint&) {}
    void operator()(history::PredicateMatch&) {}
    void operator()(history::Alias&) {}
};

template <typename Replace>
void for_each_name(history::Event& event, Replace replace) {
    std::visit(NameVisitor<Replace>{replace}, event);
}

/// `initial_transaction` for an event that belongs to none.
history::TransactionId transaction_of(const history::Event& event) noexcept;

/// When it happened, for the kinds that say so; else the epoch.
Time time_of(const history::Event& event) noexcept;

}  // namespace isotap::proxy
