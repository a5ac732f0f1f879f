#include "analysis/dependencies/predicates.hpp"

#include <algorithm>

namespace isotap::analysis {

bool Predicates::read(Slot reader, const history::PredicateRead& event) {
    Predicate predicate;
    predicate.reader = reader;
    predicate.statement = event.statement.ordinal;
    predicate.table = event.table;
    const auto id = static_cast<std::uint64_t>(event.predicate);
    const bool fresh = pending_.try_emplace(id, std::move(predicate)).second;
    if (fresh) {
        ++transactions_[reader].waiting;
    }
    return fresh;
}

bool Predicates::match(const history::PredicateMatch& event) {
    const auto found = pending_.find(static_cast<std::uint64_t>(event.predicate));
    if (found == pending_.end()) {
        return false;
    }
    const Slot writer = transactions_.find(event.writer.transaction);
    if (writer == no_slot || writer == found->second.reader) {
        return writer != no_slot;
    }
    ++transactions_[writer].waiting;
    found->second.matches.push_back(
        {writer, event.writer.ordinal, event.row, event.before, event.after});
    return true;
}

void Predicates::on_committed(const Workspace& work) {
    for (const history::PredicateId id : work.predicates) {
        Predicate& predicate = pending_.at(static_cast<std::uint64_t>(id));
        predicate.committed = true;
        for (const Workspace::Access& access : work.accesses) {
            if (access.statement == predicate.statement &&
                rows_[access.row].table == predicate.table) {
                predicate.returned.push_back(rows_[access.row].key);
            }
        }
    }
}

void Predicates::on_aborted(const Workspace& work) {
    for (const history::PredicateId id : work.predicates) {
        const auto found = pending_.find(static_cast<std::uint64_t>(id));
        release(found->second);
        pending_.erase(found);
    }
}

void Predicates::forget(Slot transaction) {
    for (auto at = pending_.begin(); at != pending_.end();) {
        Predicate& predicate = at->second;
        if (predicate.reader == transaction) {
            release(predicate);
            at = pending_.erase(at);
        } else {
            std::erase_if(predicate.matches, [transaction](const Match& match) {
                return match.writer == transaction;
            });
            ++at;
        }
    }
}

void Predicates::release(const Predicate& predicate) {
    --transactions_[predicate.reader].waiting;
    for (const Match& match : predicate.matches) {
        --transactions_[match.writer].waiting;
    }
}

void Predicates::decide(Time horizon, bool at_end) {
    for (auto at = pending_.begin(); at != pending_.end();) {
        if (is_due(at->second, horizon, at_end)) {
            for (const Match& match : at->second.matches) {
                judge(at->second, match);
            }
            release(at->second);
            at = pending_.erase(at);
        } else {
            ++at;
        }
    }
}

/// Reader and writers have ended.
bool Predicates::is_complete(const Predicate& predicate) const {
    return predicate.committed &&
           std::all_of(predicate.matches.begin(), predicate.matches.end(),
                       [this](const Match& match) { return transactions_[match.writer].done; });
}

bool Predicates::is_due(const Predicate& predicate, Time horizon, bool at_end) const {
    if (at_end) {
        return predicate.committed;
    }
    return is_complete(predicate) && transactions_[predicate.reader].ended < horizon;
}

void Predicates::judge(const Predicate& predicate, const Match& match) {
    const Transaction& writer = transactions_[match.writer];
    const auto& returned = predicate.returned;
    if (writer.status != Status::committed || writer.incomplete ||
        transactions_[predicate.reader].incomplete ||
        emptied_.contains(static_cast<std::uint32_t>(predicate.table)) ||
        std::find(returned.begin(), returned.end(), match.row) != returned.end()) {
        return;
    }
    const Slot row = rows_.find(predicate.table, match.row);
    const Slot made =
        row == no_slot
            ? no_slot
            : versions_.find(row, history::Version::written_by({writer.id, match.statement}));
    if (made == no_slot || versions_[made].undone) {
        return;
    }
    const VersionNode& node = versions_[made];
    Dependency edge;
    edge.predicate = true;
    edge.row = row;
    if (match.after && nothing_later_was_visible(node, predicate)) {
        edge.kind = EdgeKind::rw;
        edge.from = predicate.reader;
        edge.to = match.writer;
        edge.from_statement = predicate.statement;
        edge.to_statement = match.statement;
        edge.version =
            node.previous == no_slot ? history::Version::unborn() : versions_[node.previous].name;
        sink_.on_dependency(edge);
    }
    if (match.before && node.previous != no_slot &&
        versions_[node.previous].name == history::Version::initial()) {
        edge.kind = EdgeKind::wr;
        edge.from = match.writer;
        edge.to = predicate.reader;
        edge.from_statement = match.statement;
        edge.to_statement = predicate.statement;
        edge.version = node.name;
        sink_.on_dependency(edge);
    }
}

/// The next version, if there is one, was made by somebody who began after the reader had ended, or
/// by the reader itself, later.
bool Predicates::nothing_later_was_visible(const VersionNode& node,
                                           const Predicate& predicate) const {
    if (node.next == no_slot) {
        return true;
    }
    const VersionNode& next = versions_[node.next];
    if (next.writer == no_slot) {
        return false;
    }
    if (next.writer == predicate.reader) {
        return next.name.statement > predicate.statement;
    }
    return transactions_[next.writer].began > transactions_[predicate.reader].ended;
}

}  // namespace isotap::analysis
