#include "analysis/registers/resolved_history.hpp"

#include <algorithm>

namespace isotap::analysis {

using history::KeyId;
using history::Operation;
using history::OperationKind;
using history::Outcome;
using history::Transaction;
using history::WriterIndex;

ResolvedHistory::ResolvedHistory(const history::History& history, const WriterIndex& writers)
    : history_(history), writers_(writers) {
    number_nodes();
    std::vector<OwnWrite> own(history_.atoms.key_count());
    for (Node node = 1; node < node_count(); ++node) {
        resolve(node, own);
    }
}

void ResolvedHistory::number_nodes() {
    const auto& transactions = history_.transactions;
    const std::vector<bool> counts = history::counting_transactions(history_, writers_);
    sessions_.resize(history_.sessions);
    node_of_.assign(transactions.size(), none);
    nodes_.emplace_back();
    for (std::uint32_t t = 0; t < transactions.size(); ++t) {
        if (counts[t]) {
            part_from_indeterminate(transactions[t].session);
            auto& session = sessions_[transactions[t].session];
            node_of_[t] = node_count();
            NodeParts parts;
            parts.transaction = t;
            parts.session = transactions[t].session;
            parts.place = static_cast<std::uint32_t>(session.size());
            session.push_back(node_of_[t]);
            nodes_.push_back(parts);
        }
    }
}

/// What committed after its session had lost sight of it may have done so behind what comes next
/// there: then it is ordered with nothing of its session.
void ResolvedHistory::part_from_indeterminate(std::uint32_t session) {
    auto& nodes = sessions_[session];
    if (nodes.empty()) {
        return;
    }
    NodeParts& last = nodes_[nodes.back()];
    if (history_.transactions[last.transaction].outcome == history::Outcome::indeterminate) {
        last.session = session_count();
        last.place = 0;
        const Node apart = nodes.back();
        nodes.pop_back();
        sessions_.push_back({apart});
    }
}

void ResolvedHistory::resolve(Node node, std::vector<OwnWrite>& own) {
    NodeParts& parts = nodes_[node];
    parts.first_read = reads_.size();
    parts.first_write = writes_.size();
    const Transaction& transaction = history_.transactions[parts.transaction];
    const auto first = static_cast<std::uint32_t>(transaction.first_operation);
    for (std::uint32_t at = first; at < first + transaction.operations; ++at) {
        const Operation& operation = history_.operations[at];
        OwnWrite& earlier = own[history::position(operation.key)];
        if (operation.kind == OperationKind::read) {
            resolve_read(node, at, earlier);
        } else if (operation.kind == OperationKind::write) {
            if (earlier.transaction != parts.transaction) {
                writes_.push_back({operation.key, at});
            }
            earlier = {parts.transaction, at};
        }
    }
    parts.reads = static_cast<std::uint32_t>(reads_.size() - parts.first_read);
    parts.writes = static_cast<std::uint32_t>(writes_.size() - parts.first_write);
    const auto from = writes_.begin() + static_cast<std::ptrdiff_t>(parts.first_write);
    for (auto write = from; write != writes_.end(); ++write) {
        write->operation = own[history::position(write->key)].operation;
    }
    std::sort(from, writes_.end(),
              [](const FinalWrite& a, const FinalWrite& b) { return a.key < b.key; });
}

WriterIndex::Writer ResolvedHistory::writer_of(const Operation& read) const {
    return writers_.find(history_, read.key, read.value);
}

/// Nil and 0 are the initial state, but for a 0 that somebody wrote.
bool ResolvedHistory::sees_initial(const Operation& read) const noexcept {
    return history_.has_initial_state && (read.value == history::initial_value || read.value == 0);
}

bool ResolvedHistory::is_final(WriterIndex::Writer writer) const noexcept {
    const Transaction& transaction = history_.transactions[writer.transaction];
    const std::uint64_t end = transaction.first_operation + transaction.operations;
    const KeyId key = history_.operations[writer.operation].key;
    for (std::uint64_t at = writer.operation + std::uint64_t{1}; at < end; ++at) {
        const Operation& later = history_.operations[at];
        if (later.key == key && later.kind == OperationKind::write) {
            return false;
        }
    }
    return true;
}

void ResolvedHistory::resolve_read(Node node, std::uint32_t at, const OwnWrite& own) {
    const Operation& read = history_.operations[at];
    const std::uint32_t reader = nodes_[node].transaction;
    const bool wrote_before = own.transaction == reader;
    const WriterIndex::Writer writer = writer_of(read);
    if (wrote_before && (!writer.exists() || writer.operation != own.operation)) {
        fault(ReadFault::own_write_missed, node, at, writer);
        return;
    }
    if (!writer.exists()) {
        if (sees_initial(read)) {
            reads_.push_back({read.key, initial_node, at});
        } else {
            fault(ReadFault::nobody, node, at, writer);
        }
        return;
    }
    if (writer.transaction == reader) {
        if (!wrote_before) {
            fault(ReadFault::own_future, node, at, writer);
        }
        return;
    }
    if (history_.transactions[writer.transaction].outcome == Outcome::aborted) {
        fault(ReadFault::aborted_writer, node, at, writer);
        return;
    }
    if (!is_final(writer)) {
        fault(ReadFault::intermediate, node, at, writer);
    }
    reads_.push_back({read.key, node_of_[writer.transaction], at});
}

void ResolvedHistory::fault(ReadFault fault, Node node, std::uint32_t at,
                            WriterIndex::Writer writer) {
    faults_.push_back({fault, nodes_[node].transaction, at, writer});
}

bool ResolvedHistory::writes_key(Node node, KeyId key) const noexcept {
    const auto all = writes(node);
    const auto at =
        std::lower_bound(all.begin(), all.end(), key,
                         [](const FinalWrite& write, KeyId wanted) { return write.key < wanted; });
    return at != all.end() && at->key == key;
}

}  // namespace isotap::analysis
