#include "tests/bench/live_load.hpp"

#include <fmt/format.h>

namespace isotap::bench {
namespace {

using history::AccessKind;
using history::NameId;
using history::Version;

constexpr NameId table{1};
constexpr unsigned number_bits = 40;

}  // namespace

LiveLoad::LiveLoad(history::EventSink& sink, std::uint64_t number, std::uint64_t plant_every)
    : sink_(sink), number_(number), plant_every_(plant_every), random_(number), rows_(rows_count) {
    sink_.accept(history::NameDefined{table, "public.account"});
    for (std::uint64_t session = 0; session < sessions_count + 2; ++session) {
        sink_.accept(history::SessionBegan{history::SessionId{number_ * 100 + session},
                                           system_now(), history::Dialect::postgres, "shop", "shop",
                                           "bench"});
    }
}

history::TransactionId LiveLoad::next_transaction() noexcept {
    return history::TransactionId{(number_ << number_bits) + ++transactions_};
}

/// One that nobody has locked in a way that is in the way.
std::uint32_t LiveLoad::free_row(bool to_write) {
    while (true) {
        const auto row = static_cast<std::uint32_t>(random_() % rows_count);
        if (!rows_[row].locked && (!to_write || rows_[row].readers == 0)) {
            return row;
        }
    }
}

void LiveLoad::begin(std::uint64_t session, history::TransactionId transaction) {
    sink_.accept(history::TransactionBegan{history::SessionId{number_ * 100 + session}, transaction,
                                           system_now(), false});
    sink_.accept(history::TransactionLevel{transaction, history::IsolationLevel::repeatable_read,
                                           history::LevelSource::session, false});
}

void LiveLoad::commit(history::TransactionId transaction) {
    const Time now = system_now();
    sink_.accept(
        history::TransactionEnded{transaction, now, now, history::Outcome::committed, false});
}

void LiveLoad::statement(history::StatementRef ref, std::uint64_t number, const std::uint32_t* rows,
                         std::size_t count, bool writes) {
    text_.clear();
    fmt::format_to(
        std::back_inserter(text_), "{} WHERE id IN ({})",
        writes ? "UPDATE account SET balance = balance - 1" : "SELECT id, balance FROM account",
        fmt::join(rows, rows + count, ", "));
    sink_.accept(history::StatementBegan{ref, system_now(), text_, false});
    if (writes) {
        sink_.accept(history::Alias{ref.transaction, number});
    }
    for (std::size_t i = 0; i < count; ++i) {
        const history::RowKey key{0, number_ * rows_count + rows[i]};
        label_.clear();
        fmt::format_to(std::back_inserter(label_), "{}", key.low);
        sink_.accept(history::RowLabelled{table, key, label_});
        sink_.accept(history::Access{ref, table, key,
                                     writes ? AccessKind::update : AccessKind::read,
                                     Version::foreign(rows_[rows[i]].writer),
                                     writes ? Version::written_by(ref) : Version{}});
    }
    sink_.accept(history::StatementEnded{ref, system_now(), history::StatementOutcome::completed,
                                         history::Coverage::full, history::no_sql_state, 0, count,
                                         history::no_name, writes ? "UPDATE 4" : "SELECT 4"});
    statements_.store(statements_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void LiveLoad::open(std::size_t place) {
    Session& session = sessions_.at(place);
    session.transaction = next_transaction();
    session.number = (number_ << number_bits) + ++numbers_;
    session.done = 0;
    session.rows.clear();
    for (std::uint32_t i = 0; i < statements_each * rows_each; ++i) {
        const bool to_write = i >= (statements_each - 1) * rows_each;
        const std::uint32_t row = free_row(to_write);
        rows_[row].locked = to_write;
        rows_[row].readers += to_write ? 0 : 1;
        session.rows.push_back(row);
    }
    begin(place, session.transaction);
}

void LiveLoad::close(Session& session) {
    commit(session.transaction);
    for (std::uint32_t i = 0; i < session.rows.size(); ++i) {
        Row& row = rows_[session.rows[i]];
        if (i >= (statements_each - 1) * rows_each) {
            row.locked = false;
            row.writer = session.number;
        } else {
            --row.readers;
        }
    }
    session.transaction = {};
}

void LiveLoad::step() {
    const std::size_t place = turn_++ % sessions_count;
    Session& session = sessions_.at(place);
    if (session.transaction == history::TransactionId{}) {
        if (plant_every_ != 0 && transactions_ % plant_every_ == plant_every_ - 1) {
            plant();
        }
        open(place);
    }
    const std::uint32_t* rows = session.rows.data() + session.done * rows_each;
    ++session.done;
    statement({session.transaction, session.done}, session.number, rows, rows_each,
              session.done == statements_each);
    if (session.done == statements_each) {
        close(session);
    }
}

/// Two read two rows, and each writes another one of them.
void LiveLoad::plant() {
    const std::uint32_t first = free_row(true);
    std::uint32_t second = free_row(true);
    while (second == first) {
        second = free_row(true);
    }
    const std::array rows{first, second};
    const std::array transactions{next_transaction(), next_transaction()};
    const std::array<std::uint64_t, 2> numbers{(number_ << number_bits) + ++numbers_,
                                               (number_ << number_bits) + ++numbers_};
    for (const std::size_t i : {0U, 1U}) {
        begin(sessions_count + i, transactions.at(i));
        statement({transactions.at(i), 1}, 0, rows.data(), rows.size(), false);
    }
    for (const std::size_t i : {0U, 1U}) {
        statement({transactions.at(i), 2}, numbers.at(i), &rows.at(i), 1, true);
    }
    for (const std::size_t i : {0U, 1U}) {
        commit(transactions.at(i));
        rows_[rows.at(i)].writer = numbers.at(i);
    }
    planted_.store(planted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace isotap::bench
