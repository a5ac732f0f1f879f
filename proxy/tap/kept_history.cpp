#include "proxy/tap/kept_history.hpp"

#include <algorithm>

namespace isotap::proxy {
namespace {

constexpr std::size_t statements_kept = 256;
constexpr std::size_t text_kept = 8'192;

/// What the tables around a record take.
constexpr std::size_t overhead = 64;

std::size_t size_of(const KeptStatement& statement) noexcept {
    return sizeof statement + statement.text.capacity();
}

std::uint64_t number(history::TransactionId id) noexcept {
    return static_cast<std::uint64_t>(id);
}

}  // namespace

std::size_t size_of(const KeptTransaction& transaction) noexcept {
    std::size_t bytes = sizeof transaction + overhead;
    for (const KeptStatement& statement : transaction.statements) {
        bytes += size_of(statement);
    }
    return bytes;
}

void KeptHistory::accept(const history::Event& event) {
    std::visit([this](const auto& known) { on(known); }, event);
}

const KeptTransaction* KeptHistory::find(history::TransactionId id) const noexcept {
    const auto found = transactions_.find(number(id));
    return found == transactions_.end() ? nullptr : &found->second;
}

KeptTransaction* KeptHistory::at(history::TransactionId id) {
    const auto found = transactions_.find(number(id));
    return found == transactions_.end() ? nullptr : &found->second;
}

void KeptHistory::on(const history::TransactionBegan& event) {
    const auto [made, is_new] = transactions_.try_emplace(number(event.transaction));
    if (!is_new) {
        return;
    }
    made->second.id = event.transaction;
    made->second.session = event.session;
    made->second.began = event.at;
    oldest_first_.push_back(number(event.transaction));
    bytes_ += size_of(made->second);
    make_room();
}

void KeptHistory::on(const history::TransactionLevel& event) {
    if (KeptTransaction* transaction = at(event.transaction)) {
        transaction->level = event.level;
    }
}

void KeptHistory::on(const history::TransactionEnded& event) {
    if (KeptTransaction* transaction = at(event.transaction)) {
        transaction->ended = event.at;
        transaction->outcome = event.outcome;
        transaction->open = false;
        transaction->incomplete = transaction->incomplete || event.incomplete;
    }
}

void KeptHistory::on(const history::StatementBegan& event) {
    KeptTransaction* transaction = at(event.statement.transaction);
    if (transaction == nullptr) {
        return;
    }
    if (transaction->statements.size() >= statements_kept) {
        ++transaction->left_out;
        return;
    }
    KeptStatement statement;
    statement.ordinal = event.statement.ordinal;
    statement.began = event.at;
    statement.text = event.text.substr(0, text_kept);
    if (event.text_cut || event.text.size() > text_kept) {
        statement.text += " …";
    }
    bytes_ += size_of(statement);
    transaction->statements.push_back(std::move(statement));
    make_room();
}

void KeptHistory::on(const history::StatementEnded& event) {
    KeptTransaction* transaction = at(event.statement.transaction);
    if (transaction == nullptr || transaction->statements.empty() ||
        transaction->statements.back().ordinal != event.statement.ordinal) {
        return;
    }
    KeptStatement& statement = transaction->statements.back();
    statement.ended = event.at;
    statement.outcome = event.outcome;
    statement.coverage = event.coverage;
    statement.rows = event.rows;
}

void KeptHistory::on(const history::Gap& event) {
    if (KeptTransaction* transaction = at(event.transaction)) {
        transaction->incomplete = true;
    }
}

void KeptHistory::make_room() {
    while (bytes_ > bytes_max_ && oldest_first_.size() > 1) {
        const auto oldest = transactions_.find(oldest_first_.front());
        bytes_ -= std::min(bytes_, size_of(oldest->second));
        transactions_.erase(oldest);
        oldest_first_.pop_front();
    }
}

}  // namespace isotap::proxy
