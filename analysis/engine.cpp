#include "isotap/analysis/engine.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "analysis/engine_body.hpp"

namespace isotap::analysis {
namespace {

using history::TransactionId;

/// An endless stream cannot wait for ever for what may have been lost.
InferenceOptions inference_options(const EngineOptions& options) {
    constexpr int skews_of_patience = 4;
    InferenceOptions made{options.session_order, options.every_writer_known,
                          options.excuse_current_reads, options.arrival_skew};
    if (options.window != 0) {
        made.patience = skews_of_patience * options.arrival_skew;
    }
    return made;
}

/// Whether any of the models falls by a cycle in which something is read before it is overwritten.
bool concerned_with_reads(ModelSet asked) noexcept {
    ModelSet fall;
    for (const AnomalyType type : {AnomalyType::lost_update, AnomalyType::fractured_read,
                                   AnomalyType::causal_violation, AnomalyType::g2}) {
        for (const Order order : {Order::none, Order::process, Order::real_time}) {
            fall |= violated_by({type, false, order});
        }
    }
    return !(fall & asked).empty();
}

bool reads_from_snapshot(history::IsolationLevel level) noexcept {
    return level == history::IsolationLevel::snapshot ||
           level == history::IsolationLevel::repeatable_read;
}

}  // namespace

Engine::Body::Body(EngineOptions options)
    : options_(std::move(options)), inference_(inference_options(options_), *this, statistics_) {}

std::vector<SearchGraph::Member> Engine::Body::members() const {
    std::vector<SearchGraph::Member> members;
    const Transactions& all = inference_.transactions();
    all.for_each([&](Slot slot) {
        const Transaction& transaction = all[slot];
        if (transaction.status == Status::committed) {
            members.push_back({slot, transaction.began, transaction.ended,
                               reads_from_snapshot(transaction.level)});
        }
    });
    return members;
}

void Engine::Body::search() {
    ++statistics_.searches;
    inference_.catch_up();
    inference_.pin_rows(true);
    if (const auto live = members(); !live.empty()) {
        const SearchGraph graph{graph_, live, options_.real_time_order};
        const Components components = components_of(graph, [](const auto&) { return true; });
        find_cycles(graph, components);
        retire_settled(graph, components);
        retire_from_large(graph, components);
    }
    retire_outside_graph();
    retire_oldest();
    forget_edges();
    if (options_.rows != 0) {
        inference_.forget_rows(options_.rows);
    }
    inference_.pin_rows(false);
    seen_before_.grow_older();
    excused_before_.grow_older();
    statistics_.live = inference_.transactions().size();
    since_search_ = 0;
    // What could not be retired is looked at again each time: the more there is, the less often.
    next_search_ = std::max<std::size_t>(options_.search_every, statistics_.live);
}

void Engine::Body::find_cycles(const SearchGraph& graph, const Components& components) {
    CycleOptions options;
    options.session_order = options_.session_order;
    options.real_time_order = options_.real_time_order;
    options.excuse_current_reads = options_.excuse_current_reads;
    options.witnesses_per_component = options_.witnesses_per_component;
    options.work_per_arc = options_.work_per_edge;
    // Moments are no edges: nothing says of them which are new.
    options.first_fresh_edge = options_.real_time_order ? 0 : static_cast<Slot>(searched_edges_);
    options.reads_before_writes = options_.asked.empty() || options_.contract != nullptr ||
                                  concerned_with_reads(options_.asked);
    const Transactions& all = inference_.transactions();
    const auto excused = [&](SearchGraph::Node from, SearchGraph::Node to) {
        const std::array ids{all[graph.transaction(from)].id, all[graph.transaction(to)].id};
        if (!excused_before_.check({}, ids)) {
            ++statistics_.excused;
        }
    };
    CycleFinder finder{graph, components, options,
                       [&](AnomalyKind kind, const std::vector<CycleSearch::Step>& steps) {
                           report_cycle(graph, kind, steps);
                       },
                       excused};
    finder.run();
    statistics_.more_witnesses += finder.passed_over();
}

/// From those that come before others on. A component goes when all of it is settled and nothing
/// that stays leads to it: then no cycle can close through it any more.
void Engine::Body::retire_settled(const SearchGraph& graph, const Components& components) {
    const Time horizon = inference_.retirement_horizon();
    std::vector<bool> held(components.count(), false);
    for (std::uint32_t component = components.count(); component-- > 0;) {
        const auto nodes = components.nodes(component);
        const bool settled = std::all_of(nodes.begin(), nodes.end(), [&](SearchGraph::Node node) {
            const Slot slot = graph.transaction(node);
            return slot == no_slot || inference_.is_settled(slot, horizon);
        });
        if (settled && !held[component]) {
            for (const SearchGraph::Node node : nodes) {
                if (const Slot slot = graph.transaction(node); slot != no_slot) {
                    leave(slot);
                }
            }
            continue;
        }
        for (const SearchGraph::Node node : nodes) {
            for (const SearchGraph::Arc& arc : graph.from(node)) {
                held[components.of[arc.to]] = true;
            }
        }
    }
}

void Engine::Body::leave(Slot transaction) {
    const Transaction& leaving = inference_.transactions()[transaction];
    if (options_.on_serial_order) {
        options_.on_serial_order(leaving.id);
    }
    ++(leaving.unordered == 0 ? statistics_.retired : statistics_.forced);
    inference_.retire(transaction);
}

/// Aborted ones, and strangers that only lists and readers mention.
void Engine::Body::retire_outside_graph() {
    const Time horizon = inference_.retirement_horizon();
    const Transactions& all = inference_.transactions();
    all.for_each([&](Slot slot) {
        if (all[slot].status != Status::committed && inference_.is_settled(slot, horizon)) {
            ++statistics_.retired;
            inference_.retire(slot);
        }
    });
}

void Engine::Body::retire_oldest() {
    const Transactions& all = inference_.transactions();
    if (options_.window == 0 || all.size() <= options_.window) {
        return;
    }
    std::vector<Slot> ended;
    all.for_each([&](Slot slot) {
        if (all[slot].status != Status::open) {
            ended.push_back(slot);
        }
    });
    // A quarter in one go, so that this is not the work of every search.
    force_out(std::move(ended), all.size() - options_.window + options_.window / 4);
}

/// At weak levels every transaction may be in a cycle with the next one, for hours: a component
/// that never leaves, whose search takes longer and longer. What it has is told; the oldest of
/// those in it that are settled go.
void Engine::Body::retire_from_large(const SearchGraph& graph, const Components& components) {
    constexpr std::size_t least = 64;
    constexpr std::size_t components_in_window = 16;
    if (options_.window == 0) {
        return;
    }
    const std::size_t most = std::max(least, options_.window / components_in_window);
    const Time horizon = inference_.retirement_horizon();
    const Transactions& all = inference_.transactions();
    for (std::uint32_t component = 0; component < components.count(); ++component) {
        const auto nodes = components.nodes(component);
        if (nodes.size() <= most) {
            continue;
        }
        std::vector<Slot> settled;
        for (const SearchGraph::Node node : nodes) {
            const Slot slot = graph.transaction(node);
            if (slot != no_slot && all[slot].status == Status::committed &&
                inference_.is_settled(slot, horizon)) {
                settled.push_back(slot);
            }
        }
        force_out(std::move(settled), nodes.size() - most + most / 4);
    }
}

/// The oldest of these, at most so many.
void Engine::Body::force_out(std::vector<Slot> ended, std::size_t count) {
    const Transactions& all = inference_.transactions();
    std::stable_sort(ended.begin(), ended.end(),
                     [&](Slot a, Slot b) { return all[a].ended < all[b].ended; });
    ended.resize(std::min(count, ended.size()));
    for (const Slot slot : ended) {
        inference_.retire(slot);
        ++statistics_.forced;
    }
}

/// Whoever has left has taken his edges with him.
void Engine::Body::forget_edges() {
    const Transactions& all = inference_.transactions();
    graph_.remove_if([&](const Dependency& edge) {
        return all[edge.from].status != Status::committed ||
               all[edge.to].status != Status::committed;
    });
    searched_edges_ = graph_.edges().size();
}

void Engine::Body::finish() {
    if (finished_) {
        return;
    }
    finished_ = true;
    inference_.finish();
    search();
    const auto live = members();
    if (options_.on_serial_order && !live.empty()) {
        const SearchGraph graph{graph_, live, options_.real_time_order};
        tell_serial_order(graph, components_of(graph, [](const auto&) { return true; }));
    }
}

void Engine::Body::tell_serial_order(const SearchGraph& graph, const Components& components) {
    for (std::uint32_t component = components.count(); component-- > 0;) {
        for (const SearchGraph::Node node : components.nodes(component)) {
            if (const Slot slot = graph.transaction(node); slot != no_slot) {
                options_.on_serial_order(inference_.transactions()[slot].id);
            }
        }
    }
}

Verdict Engine::Body::verdict() const noexcept {
    if (statistics_.violations != 0) {
        return Verdict::violation;
    }
    if (statistics_.hazards != 0) {
        return Verdict::hazard;
    }
    const auto& coverage = statistics_.coverage;
    const bool all_seen = statistics_.gaps == 0 && statistics_.transactions.incomplete == 0 &&
                          coverage.partial == 0 && coverage.opaque == 0;
    const bool all_kept =
        statistics_.forced == 0 && statistics_.breaches == 0 && statistics_.more_witnesses == 0;
    return all_seen && all_kept ? Verdict::clean : Verdict::unknown;
}

Engine::Engine(EngineOptions options) : body_(std::make_unique<Body>(std::move(options))) {}
Engine::~Engine() = default;

void Engine::accept(const history::Event& event) noexcept {
    body_->accept(event);
}
void Engine::search() {
    body_->search();
}
std::optional<Time> Engine::due() const {
    return body_->due();
}
void Engine::pass_time(Time now) {
    body_->pass_time(now);
}
void Engine::finish() {
    body_->finish();
}
const Statistics& Engine::statistics() const noexcept {
    return body_->statistics();
}
const std::vector<Anomaly>& Engine::anomalies() const noexcept {
    return body_->anomalies();
}
Verdict Engine::verdict() const noexcept {
    return body_->verdict();
}

}  // namespace isotap::analysis
