#include "analysis/registers/register_anomalies.hpp"

#include <algorithm>

#include "analysis/history/history_events.hpp"

namespace isotap::analysis {

namespace {

using history::KeyId;
using history::OperationKind;
using history::TransactionId;
using history::Version;

TransactionId id_of_node(const ResolvedHistory& history, Node node) {
    return node == initial_node ? history::initial_transaction
                                : history::id_of(history.transaction(node));
}

/// The position of an operation in its transaction, from 1.
std::uint32_t ordinal(const ResolvedHistory& history, std::uint32_t transaction,
                      std::uint32_t operation) {
    const auto first = history.history().transactions[transaction].first_operation;
    return static_cast<std::uint32_t>(operation - first) + 1;
}

std::uint32_t write_ordinal(const ResolvedHistory& history, Node node, KeyId key) {
    for (const FinalWrite& write : history.writes(node)) {
        if (write.key == key) {
            return ordinal(history, history.transaction(node), write.operation);
        }
    }
    return 0;
}

Version version_by(const ResolvedHistory& history, Node node, KeyId key) {
    return node == initial_node ? Version::initial()
                                : Version::written_by({id_of_node(history, node),
                                                       write_ordinal(history, node, key)});
}

EdgeKind kind_of(OrderReason reason) {
    switch (reason) {
        case OrderReason::session: return EdgeKind::session;
        case OrderReason::real_time: return EdgeKind::real_time;
        case OrderReason::read_from: return EdgeKind::wr;
        case OrderReason::overwrote: return EdgeKind::ww;
        case OrderReason::missed: return EdgeKind::rw;
    }
    return EdgeKind::session;
}

CycleEdge edge_of(const ResolvedHistory& history, const OrderEdge& edge) {
    CycleEdge made;
    made.from = id_of_node(history, edge.from);
    made.to = id_of_node(history, edge.to);
    made.kind = kind_of(edge.reason);
    if (edge.reason == OrderReason::session || edge.reason == OrderReason::real_time) {
        return made;
    }
    made.table = history::history_table;
    made.row = history::row_of(edge.key);
    made.version = version_by(history, edge.from, edge.key);
    made.from_statement = made.version.statement;
    made.to_statement = write_ordinal(history, edge.to, edge.key);
    const Node reader = edge.reason == OrderReason::missed ? edge.from : edge.to;
    if (edge.reason == OrderReason::overwrote) {
        return made;
    }
    for (const ExternalRead& read : history.reads(reader)) {
        const bool this_one = read.key == edge.key &&
                              (edge.reason == OrderReason::missed || read.writer == edge.from);
        if (this_one) {
            const std::uint32_t at = ordinal(history, history.transaction(reader), read.operation);
            (edge.reason == OrderReason::missed ? made.from_statement : made.to_statement) = at;
            made.version = version_by(history, read.writer, edge.key);
            break;
        }
    }
    return made;
}

void add_transaction(const ResolvedHistory& history, Anomaly& anomaly, TransactionId id) {
    const auto same = [&](const InvolvedTransaction& other) { return other.id == id; };
    if (std::any_of(anomaly.transactions.begin(), anomaly.transactions.end(), same)) {
        return;
    }
    InvolvedTransaction involved;
    involved.id = id;
    if (id != history::initial_transaction) {
        const auto& transaction = history.history().transactions[static_cast<std::size_t>(id) - 1];
        involved.session = history::SessionId{std::uint64_t{transaction.session} + 1};
        involved.outcome = transaction.outcome;
    }
    anomaly.transactions.push_back(involved);
}

AnomalyType type_of_cycle(const std::vector<CycleEdge>& edges) {
    std::size_t rw = 0;
    bool adjacent = false;
    bool wr = false;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const bool is_rw = edges[i].kind == EdgeKind::rw;
        rw += is_rw ? 1 : 0;
        adjacent |= is_rw && edges[(i + 1) % edges.size()].kind == EdgeKind::rw;
        wr |= edges[i].kind == EdgeKind::wr;
    }
    if (rw == 0) {
        return wr ? AnomalyType::g1c : AnomalyType::g0;
    }
    if (rw == 1) {
        const bool one_row = edges.size() == 2 && edges[0].row == edges[1].row &&
                             (edges[0].kind == EdgeKind::ww || edges[1].kind == EdgeKind::ww);
        return one_row ? AnomalyType::lost_update : AnomalyType::g_single;
    }
    return adjacent ? AnomalyType::g2 : AnomalyType::g_nonadjacent;
}

}  // namespace

Anomaly anomaly_of_cycle(const ResolvedHistory& history, const OrderEdges& cycle,
                         AnomalyType type) {
    Anomaly anomaly;
    anomaly.kind.type = type;
    anomaly.severity = Severity::violation;
    for (const OrderEdge& edge : cycle) {
        anomaly.edges.push_back(edge_of(history, edge));
        add_transaction(history, anomaly, anomaly.edges.back().from);
        const bool session = edge.reason == OrderReason::session;
        if (edge.reason == OrderReason::real_time) {
            anomaly.kind.order = Order::real_time;
        } else if (session && anomaly.kind.order == Order::none && edge.from != initial_node) {
            anomaly.kind.order = Order::process;
        }
    }
    return anomaly;
}

Anomaly anomaly_of_cycle(const ResolvedHistory& history, const OrderEdges& cycle) {
    Anomaly anomaly = anomaly_of_cycle(history, cycle, AnomalyType::g2);
    anomaly.kind.type = type_of_cycle(anomaly.edges);
    return anomaly;
}

AnomalyType type_of(ReadFault fault) noexcept {
    switch (fault) {
        case ReadFault::aborted_writer: return AnomalyType::g1a;
        case ReadFault::intermediate: return AnomalyType::g1b;
        case ReadFault::nobody: return AnomalyType::garbage_read;
        case ReadFault::own_write_missed: return AnomalyType::internal;
        case ReadFault::own_future: return AnomalyType::future_read;
    }
    return AnomalyType::garbage_read;
}

Anomaly anomaly_of_fault(const ResolvedHistory& history, const FaultyRead& read) {
    Anomaly anomaly;
    anomaly.kind.type = type_of(read.fault);
    anomaly.severity = Severity::violation;
    CycleEdge edge;
    edge.kind = EdgeKind::wr;
    edge.to = history::id_of(read.reader);
    edge.to_statement = ordinal(history, read.reader, read.operation);
    edge.table = history::history_table;
    edge.row = history::row_of(history.history().operations[read.operation].key);
    edge.from = edge.to;
    if (read.writer.exists()) {
        edge.from = history::id_of(read.writer.transaction);
        edge.from_statement = ordinal(history, read.writer.transaction, read.writer.operation);
        edge.version = Version::written_by({edge.from, edge.from_statement});
        add_transaction(history, anomaly, edge.from);
    }
    anomaly.edges.push_back(edge);
    add_transaction(history, anomaly, edge.to);
    return anomaly;
}

}  // namespace isotap::analysis
