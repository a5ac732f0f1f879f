// How what was found becomes an anomaly that stands on its own.
#include <algorithm>
#include <array>
#include <utility>

#include "analysis/engine_body.hpp"

namespace isotap::analysis {

using history::TransactionId;

void Engine::Body::report_cycle(const SearchGraph& graph, AnomalyKind kind,
                                const std::vector<CycleSearch::Step>& steps) {
    std::vector<Dependency> cycle;
    for (const CycleSearch::Step& step : steps) {
        const Slot from = graph.transaction(step.from);
        const Slot to = graph.transaction(step.arc->to);
        if (step.arc->edge != no_slot) {
            cycle.push_back(graph_[step.arc->edge]);
        } else if (from != no_slot) {  // the first of several moments in a row
            cycle.push_back({});
            cycle.back().kind = EdgeKind::real_time;
            cycle.back().from = from;
        }
        if (step.arc->edge == no_slot && to != no_slot) {
            cycle.back().to = to;
        }
    }
    report(kind, cycle);
}

void Engine::Body::report(AnomalyKind kind, const std::vector<Dependency>& steps) {
    Anomaly anomaly;
    anomaly.kind = kind;
    anomaly.violates = violated_by(kind);
    const bool cycle = steps.size() > 1 && steps.back().to == steps.front().from;
    std::vector<TransactionId> ids;  // enough of them to tell one anomaly from another
    for (const Dependency& step : steps) {
        anomaly.edges.push_back(described(step));
        const CycleEdge& edge = anomaly.edges.back();
        ids.push_back(edge.from);
        if (!cycle) {
            ids.push_back(edge.to);
        }
        add_transaction(anomaly, step.from, edge.from);
        add_transaction(anomaly, step.to, edge.to);
    }
    if (!seen_before_.check(kind, ids)) {
        publish(std::move(anomaly));
    }
}

/// The one who made the next version is retired. If it ended before the reader began, real-time
/// order closes the cycle; without that order it is only what should not happen.
void Engine::Body::on_stale_read(const Dependency& read, const history::Version& overwriter,
                                 Time ended) {
    ++statistics_.breaches;
    const Transaction& reader = inference_.transactions()[read.from];
    const TransactionId retired{overwriter.writer};
    if (!options_.real_time_order || !(ended < reader.began) ||
        overwriter.kind != history::VersionKind::written ||
        seen_before_.check({AnomalyType::g_single, false, Order::real_time},
                           std::array{reader.id, retired})) {
        return;
    }
    Anomaly anomaly;
    anomaly.kind = {AnomalyType::g_single, false, Order::real_time};
    anomaly.violates = violated_by(anomaly.kind);
    anomaly.edges.push_back(described(read));
    anomaly.edges.back().to = retired;
    CycleEdge passed;
    passed.kind = EdgeKind::real_time;
    passed.from = retired;
    passed.to = reader.id;
    anomaly.edges.push_back(passed);
    add_transaction(anomaly, read.from, reader.id);
    add_transaction(anomaly, no_slot, retired);
    publish(std::move(anomaly));
}

void Engine::Body::publish(Anomaly&& anomaly) {
    anomaly.id = next_id_++;
    if (!(anomaly.violates & options_.asked).empty()) {
        anomaly.severity = Severity::violation;
    } else if (options_.contract != nullptr) {
        anomaly.severity = options_.contract->judge(anomaly);
    }
    if (options_.contract != nullptr) {
        anomaly.engine = options_.contract->engine();
        anomaly.excluded_at = options_.contract->weakest_level_without(anomaly);
    }
    ++(anomaly.severity == Severity::violation ? statistics_.violations : statistics_.hazards);
    if (options_.on_anomaly) {
        options_.on_anomaly(std::move(anomaly));
    } else {
        anomalies_.push_back(std::move(anomaly));
    }
}

CycleEdge Engine::Body::described(const Dependency& step) const {
    const Transactions& all = inference_.transactions();
    CycleEdge edge;
    edge.kind = step.kind;
    edge.predicate = step.predicate;
    edge.current_read = step.current_read;
    edge.emptied = step.emptied;
    edge.version = step.version;
    edge.from_statement = step.from_statement;
    edge.to_statement = step.to_statement;
    edge.from = step.from != no_slot ? all[step.from].id : TransactionId{step.version.writer};
    edge.to = step.to != no_slot ? all[step.to].id : TransactionId{};
    if (step.row != no_slot) {
        edge.table = inference_.rows()[step.row].table;
        edge.row = inference_.rows()[step.row].key;
    }
    return edge;
}

void Engine::Body::add_transaction(Anomaly& anomaly, Slot slot, TransactionId id) const {
    const bool known = std::any_of(anomaly.transactions.begin(), anomaly.transactions.end(),
                                   [id](const auto& involved) { return involved.id == id; });
    if (known) {
        return;
    }
    InvolvedTransaction involved;
    involved.id = id;
    if (slot != no_slot) {
        const Transaction& transaction = inference_.transactions()[slot];
        involved.session = transaction.session;
        involved.level = transaction.level;
        involved.outcome = transaction.outcome;
        involved.incomplete = transaction.incomplete;
    }
    anomaly.transactions.push_back(involved);
}

}  // namespace isotap::analysis
