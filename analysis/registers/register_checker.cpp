#include "analysis/registers/register_checker.hpp"

#include <algorithm>

#include "analysis/registers/commit_order.hpp"
#include "analysis/registers/order_graph.hpp"
#include "analysis/registers/register_anomalies.hpp"

namespace isotap::analysis {

namespace {

using Kind = SearchAnswer::Kind;

struct Searched {
    SearchedLevel level = SearchedLevel::serializable;
    bool session_order = false;
    bool real_time_order = false;
};

bool is_weak(Model model) noexcept {
    return model == Model::read_committed || model == Model::read_atomic || model == Model::causal;
}

/// Levels that are defined by the order of sessions among others, without a variant that is not.
bool counts_sessions(Model model) noexcept {
    return is_weak(model) || model == Model::prefix;
}

/// Of what falls by the order of sessions: the models that know such an order.
ModelSet with_sessions() noexcept {
    ModelSet models = at_least(Model::strong_session_read_committed);
    for (const Model model :
         {Model::read_committed, Model::read_atomic, Model::causal, Model::prefix}) {
        models.add(model);
    }
    return models;
}

/// The variant that knows neither sessions nor time.
std::optional<Model> plain_of(Model model) noexcept {
    switch (model) {
        case Model::strong_session_snapshot_isolation:
        case Model::strong_snapshot_isolation: return Model::snapshot_isolation;
        case Model::strong_session_serializable:
        case Model::strict_serializable: return Model::serializable;
        default: return std::nullopt;
    }
}

/// The variant of those that knows sessions only.
Model session_of(Model model) noexcept {
    return model == Model::strong_snapshot_isolation ||
                   model == Model::strong_session_snapshot_isolation
               ? Model::strong_session_snapshot_isolation
               : Model::strong_session_serializable;
}

/// Without predicates, repeatable read in Adya's sense forbids the same cycles as serializable.
bool searched_as(Model model, Searched& into) noexcept {
    switch (model) {
        case Model::prefix: into = {SearchedLevel::prefix, true, false}; return true;
        case Model::snapshot_isolation:
            into = {SearchedLevel::snapshot_isolation, false, false};
            return true;
        case Model::strong_session_snapshot_isolation:
            into = {SearchedLevel::snapshot_isolation, true, false};
            return true;
        case Model::strong_snapshot_isolation:
            into = {SearchedLevel::snapshot_isolation, true, true};
            return true;
        case Model::repeatable_read:
        case Model::serializable: into = {SearchedLevel::serializable, false, false}; return true;
        case Model::strong_session_serializable:
            into = {SearchedLevel::serializable, true, false};
            return true;
        case Model::strict_serializable:
            into = {SearchedLevel::serializable, true, true};
            return true;
        default: return false;
    }
}

AnomalyType cycle_type(Model model) noexcept {
    switch (model) {
        case Model::read_atomic: return AnomalyType::fractured_read;
        case Model::causal: return AnomalyType::causal_violation;
        default: return AnomalyType::g1c;
    }
}

}  // namespace

RegisterChecker::RegisterChecker(const history::History& history,
                                 const history::WriterIndex& writers, std::size_t anomalies_max)
    : writers_(writers), resolved_(history, writers), anomalies_max_(anomalies_max) {}

bool RegisterChecker::decides(Model model) noexcept {
    Searched unused;
    return is_weak(model) || searched_as(model, unused);
}

RegisterAnswer RegisterChecker::check(Model model) const {
    RegisterAnswer answer;
    if (!decides(model)) {
        answer.reason = std::string(to_string(model)) +
                        " is not decided where the order of writes is not known";
        return answer;
    }
    add_faults(model, answer);
    if (!answer.anomalies.empty()) {
        answer.kind = Kind::violated;
        return answer;
    }
    answer = decide(model);
    if (answer.kind == Kind::violated) {
        blame(model, answer);
    }
    return answer;
}

RegisterAnswer RegisterChecker::decide(Model model) const {
    return is_weak(model) ? check_weak(model) : check_searched(model);
}

/// The same with every transaction in a session of its own. Not for long histories: causal takes
/// memory for each pair of a transaction and a session.
std::optional<RegisterAnswer> RegisterChecker::without_sessions(Model model) const {
    constexpr std::size_t transactions_max = 2048;
    history::History apart = resolved_.history();
    if (apart.transactions.size() > transactions_max) {
        return std::nullopt;
    }
    apart.sessions = static_cast<std::uint32_t>(apart.transactions.size());
    for (std::uint32_t t = 0; t < apart.sessions; ++t) {
        apart.transactions[t].session = t;
    }
    RegisterAnswer answer = RegisterChecker(apart, writers_, anomalies_max_).decide(model);
    for (Anomaly& anomaly : answer.anomalies) {
        for (InvolvedTransaction& involved : anomaly.transactions) {
            if (involved.id != history::initial_transaction) {
                const auto t = static_cast<std::size_t>(involved.id) - 1;
                involved.session = history::SessionId{
                    std::uint64_t{resolved_.history().transactions[t].session} + 1};
            }
        }
    }
    return answer;
}

/// Says what falls. What needs the order of sessions, or of time, does not speak against models
/// that know no such order; so the same is tried without, and where that is too much, it is taken
/// to be needed.
void RegisterChecker::blame(Model model, RegisterAnswer& answer) const {
    Order needed = Order::none;
    Model fallen = model;
    if (const auto plain = plain_of(model)) {
        const auto session = session_of(model);
        if (RegisterAnswer simpler = decide(*plain); simpler.kind == Kind::violated) {
            answer = std::move(simpler);
            fallen = *plain;
        } else if (session == model) {
            needed = Order::process;
        } else {
            needed = decide(session).kind == Kind::violated ? Order::process : Order::real_time;
        }
    } else if (model == Model::read_committed) {
        // What it infers never rests on sessions: they stand in the cycle or have no part in it.
        needed = answer.anomalies.front().kind.order;
    } else if (counts_sessions(model)) {
        auto apart = without_sessions(model);
        if (apart && apart->kind == Kind::violated) {
            answer = std::move(*apart);
        } else {
            needed = Order::process;
        }
    }
    answer.violates = at_least(fallen);
    if (needed == Order::process && counts_sessions(model)) {
        answer.violates = answer.violates & with_sessions();
    }
    for (Anomaly& anomaly : answer.anomalies) {
        anomaly.kind.order = std::max(anomaly.kind.order, needed);
        anomaly.violates = answer.violates | violated_by(anomaly.kind);
        answer.violates |= anomaly.violates;
    }
}

void RegisterChecker::add_faults(Model model, RegisterAnswer& answer) const {
    for (const FaultyRead& read : resolved_.faults()) {
        const AnomalyKind kind{type_of(read.fault), false, Order::none};
        if (answer.anomalies.size() < anomalies_max_ && violated_by(kind).has(model)) {
            answer.anomalies.push_back(anomaly_of_fault(resolved_, read));
            answer.anomalies.back().violates = violated_by(kind);
            answer.violates |= violated_by(kind);
        }
    }
    if (violated_by({AnomalyType::non_repeatable_read, false, Order::none}).has(model)) {
        for (Anomaly& anomaly : non_repeatable_reads()) {
            answer.violates |= anomaly.violates;
            answer.anomalies.push_back(std::move(anomaly));
        }
    }
}

std::vector<Anomaly> RegisterChecker::non_repeatable_reads() const {
    struct Seen {
        Node reader = initial_node;
        Node writer = initial_node;
    };
    std::vector<Seen> seen(resolved_.key_count());
    std::vector<Anomaly> found;
    for (Node reader = 1; reader < resolved_.node_count(); ++reader) {
        for (const ExternalRead& read : resolved_.reads(reader)) {
            Seen& first = seen[history::position(read.key)];
            if (first.reader != reader) {
                first = {reader, read.writer};
            } else if (first.writer != read.writer && found.size() < anomalies_max_) {
                found.push_back(
                    anomaly_of_cycle(resolved_,
                                     {{first.writer, reader, read.key, OrderReason::read_from},
                                      {read.writer, reader, read.key, OrderReason::read_from}},
                                     AnomalyType::non_repeatable_read));
                found.back().violates = violated_by(found.back().kind);
            }
        }
    }
    return found;
}

OrderEdges RegisterChecker::known_order(bool sessions) const {
    OrderEdges edges;
    for (Node node = 1; node < resolved_.node_count(); ++node) {
        const Node before = sessions ? resolved_.before_in_session(node) : initial_node;
        edges.push_back({before, node, {}, OrderReason::session});
        Node last = initial_node;
        for (const ExternalRead& read : resolved_.reads(node)) {
            if (read.writer != initial_node && read.writer != last) {
                edges.push_back({read.writer, node, read.key, OrderReason::read_from});
                last = read.writer;
            }
        }
    }
    return edges;
}

RegisterAnswer RegisterChecker::check_weak(Model model) const {
    OrderEdges inferred;
    bool causal_cycle = false;
    if (model == Model::read_committed) {
        inferred = read_committed_order(resolved_);
    } else if (model == Model::read_atomic) {
        inferred = read_atomic_order(resolved_);
    } else if (auto edges = causal_order(resolved_)) {
        inferred = std::move(*edges);
    } else {
        causal_cycle = true;
    }
    RegisterAnswer answer;
    answer.anomalies = cycles_among(model, known_order(true), inferred, !causal_cycle);
    if (!answer.anomalies.empty()) {
        // One that needs no order of sessions convinces more people.
        auto without = cycles_among(model, known_order(false), inferred, !causal_cycle);
        if (!without.empty()) {
            answer.anomalies = std::move(without);
        }
    }
    answer.kind = answer.anomalies.empty() ? Kind::holds : Kind::violated;
    return answer;
}

std::vector<Anomaly> RegisterChecker::cycles_among(Model model, OrderEdges edges,
                                                   const OrderEdges& inferred,
                                                   bool named_by_level) const {
    edges.insert(edges.end(), inferred.begin(), inferred.end());
    std::vector<OrderGraph::Arc> arcs;
    arcs.reserve(edges.size());
    for (const OrderEdge& edge : edges) {
        arcs.push_back({edge.from, edge.to});
    }
    std::vector<Anomaly> anomalies;
    for (const auto& cycle : OrderGraph(resolved_.node_count(), arcs).cycles(anomalies_max_)) {
        OrderEdges steps;
        bool needs_inference = false;
        for (const std::uint32_t arc : cycle) {
            steps.push_back(edges[arc]);
            needs_inference |= edges[arc].reason == OrderReason::overwrote;
        }
        const AnomalyType type =
            needs_inference && named_by_level ? cycle_type(model) : AnomalyType::g1c;
        anomalies.push_back(anomaly_of_cycle(resolved_, steps, type));
    }
    return anomalies;
}

RegisterAnswer RegisterChecker::check_searched(Model model) const {
    Searched searched;
    searched_as(model, searched);
    SearchOptions options;
    options.session_order = searched.session_order;
    options.real_time_order = searched.real_time_order;
    SearchAnswer found = search_version_order(resolved_, searched.level, options);
    RegisterAnswer answer;
    answer.kind = found.kind;
    if (found.kind == Kind::unknown) {
        answer.reason = "the search for an order of the writes reached its bound of ";
        answer.reason += found.bound;
    }
    if (!found.cycle.empty()) {
        answer.anomalies.push_back(anomaly_of_cycle(resolved_, found.cycle));
    }
    for (const Node node : found.commits) {
        if (node != initial_node) {
            answer.commits.push_back(
                history::TransactionId{std::uint64_t{resolved_.transaction(node)} + 1});
        }
    }
    return answer;
}

}  // namespace isotap::analysis
