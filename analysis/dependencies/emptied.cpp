#include "analysis/dependencies/emptied.hpp"

#include <algorithm>
#include <tuple>

namespace isotap::analysis {
namespace {

bool reads_current(history::IsolationLevel level) noexcept {
    return level == history::IsolationLevel::read_committed ||
           level == history::IsolationLevel::read_uncommitted;
}

}  // namespace

void Emptied::on_committed(Slot transaction, const Workspace& work) {
    Transaction& by = transactions_[transaction];
    for (const Workspace::Emptied& one : work.emptied) {
        if (!work.is_undone(one.statement)) {
            const Time before = reads_current(by.level) ? work.requested : by.began;
            waiting_.push_back({transaction, one.statement, one.table, before});
            ++by.waiting;
        }
    }
}

void Emptied::forget(Slot transaction) {
    std::erase_if(waiting_, [transaction](const Emptying& one) { return one.by == transaction; });
}

bool Emptied::is_due(Time arrived) const noexcept {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const Emptying& one) { return transactions_[one.by].ended < arrived; });
}

void Emptied::decide(Time arrived, bool at_end) {
    std::vector<Emptying> due;
    std::erase_if(waiting_, [&](const Emptying& one) {
        const bool is_due = at_end || transactions_[one.by].ended < arrived;
        if (is_due) {
            due.push_back(one);
        }
        return is_due;
    });
    std::sort(due.begin(), due.end(), [](const Emptying& one, const Emptying& other) {
        return std::tie(one.table, one.before) < std::tie(other.table, other.before);
    });
    for (auto first = due.begin(); first != due.end();) {
        const auto last = std::find_if(
            first, due.end(), [&](const Emptying& one) { return one.table != first->table; });
        decide_table({first, last});
        first = last;
    }
    for (const Emptying& one : due) {
        --transactions_[one.by].waiting;
    }
}

void Emptied::decide_table(Emptyings of_table) {
    told_.clear();
    rows_.for_each_of(of_table.front().table, [&](Slot row) {
        for (Slot at = rows_[row].versions; at != no_slot; at = versions_[at].next_of_row) {
            decide_version(at, of_table);
        }
        if (versions_.forget_row(row)) {
            rows_.erase(row);
        }
    });
}

/// A version that another one followed has its edge to that one.
void Emptied::decide_version(Slot version, Emptyings of_table) {
    const VersionNode& node = versions_[version];
    if (node.emptied || node.dead || node.next != no_slot || versions_.revoked(node)) {
        return;
    }
    const Time there = was_there(node);
    const auto by = std::upper_bound(
        of_table.begin(), of_table.end(), there,
        [](Time moment, const Emptying& emptying) { return moment < emptying.before; });
    if (by != of_table.end()) {
        versions_[version].emptied = true;
        tell_all(version, *by, static_cast<std::size_t>(by - of_table.begin()));
    }
}

/// The first moment of which we know that the version was there: its writer had ended, or somebody
/// who saw it.
Time Emptied::was_there(const VersionNode& node) const {
    Time first = Time::max();
    if (committed(node.writer)) {
        first = transactions_[node.writer].ended;
    } else if (node.retired) {
        first = node.ended;
    }
    for (Slot at = node.readers; at != no_slot; at = versions_.reader(at).next) {
        const Reader& reader = versions_.reader(at);
        if (versions_.alive(reader)) {
            first = std::min(first, transactions_[reader.transaction].ended);
        }
    }
    return first;
}

void Emptied::tell_all(Slot version, const Emptying& by, std::size_t number) {
    const VersionNode& node = versions_[version];
    if (committed(node.writer)) {
        Dependency edge;
        edge.kind = EdgeKind::ww;
        edge.from = node.writer;
        edge.row = node.row;
        edge.from_statement = node.name.statement;
        edge.version = node.name;
        tell(edge, by, number);
    }
    for (Slot at = node.readers; at != no_slot; at = versions_.reader(at).next) {
        const Reader& reader = versions_.reader(at);
        if (versions_.alive(reader)) {
            Dependency edge;
            edge.kind = reader.sight == Sight::overwriting ? EdgeKind::ww : EdgeKind::rw;
            edge.from = reader.transaction;
            edge.row = node.row;
            edge.from_statement = reader.statement;
            edge.version = node.name;
            tell(edge, by, number);
        }
    }
}

/// Once for all the rows that somebody had in hand.
void Emptied::tell(Dependency edge, const Emptying& by, std::size_t number) {
    constexpr unsigned kinds = 8;
    const std::uint64_t key = std::uint64_t{edge.from} << 32U |
                              static_cast<std::uint32_t>(number * kinds) |
                              static_cast<std::uint32_t>(edge.kind);
    if (edge.from == by.by || !told_.insert(key).second) {
        return;
    }
    edge.to = by.by;
    edge.to_statement = by.statement;
    edge.predicate = true;
    edge.emptied = true;
    sink_.on_dependency(edge);
}

bool Emptied::committed(Slot transaction) const noexcept {
    return transaction != no_slot && transactions_[transaction].status == Status::committed;
}

}  // namespace isotap::analysis
