#include "proxy/tap/event_counters.hpp"

#include <string_view>

namespace isotap::proxy {
namespace {

// PostgreSQL has a SQLSTATE of its own for a deadlock; the MySQL family reports one as a
// serialization failure and tells them apart by number.
constexpr std::string_view deadlock_detected = "40P01";
constexpr std::string_view serialization_failure = "40001";
constexpr std::uint32_t mysql_lock_deadlock = 1213;

}  // namespace

void EventCounters::accept(const history::Event& event) noexcept {
    if (std::holds_alternative<history::StatementBegan>(event)) {
        counters_.statements.add();
    } else if (const auto* statement = std::get_if<history::StatementEnded>(&event)) {
        count(*statement);
    } else if (const auto* transaction = std::get_if<history::TransactionEnded>(&event)) {
        count(*transaction);
    }
}

void EventCounters::count(const history::StatementEnded& ended) noexcept {
    if (ended.outcome != history::StatementOutcome::failed) {
        return;
    }
    counters_.statements_failed.add();
    const std::string_view state(ended.sql_state.data(), ended.sql_state.size());
    if (state == deadlock_detected || ended.error_number == mysql_lock_deadlock) {
        counters_.deadlocks.add();
    } else if (state == serialization_failure) {
        counters_.serialization_failures.add();
    }
}

void EventCounters::count(const history::TransactionEnded& ended) noexcept {
    switch (ended.outcome) {
        case history::Outcome::committed: counters_.transactions_committed.add(); break;
        case history::Outcome::aborted: counters_.transactions_aborted.add(); break;
        case history::Outcome::indeterminate: counters_.transactions_indeterminate.add(); break;
    }
}

}  // namespace isotap::proxy
