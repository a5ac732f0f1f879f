#include "analysis/anomalies/cycles.hpp"

#include <algorithm>
#include <utility>

namespace isotap::analysis {
namespace {

using Shape = CyclePattern::Shape;

// Steps of all searches in one component, per arc of it: beyond, the rest is passed over.
constexpr std::uint64_t work_per_arc = 64;
constexpr std::uint64_t work_at_least = 1U << 20U;

AnomalyType type_of(Shape shape, const std::vector<CycleSearch::Step>& steps) noexcept {
    switch (shape) {
        case Shape::writes: return AnomalyType::g0;
        case Shape::information: return AnomalyType::g1c;
        case Shape::same_row: return AnomalyType::lost_update;
        case Shape::fractured:
            return steps.size() == 2 && steps[0].arc->row == steps[1].arc->row
                       ? AnomalyType::non_repeatable_read
                       : AnomalyType::fractured_read;
        case Shape::causal: return AnomalyType::causal_violation;
        case Shape::single: return AnomalyType::g_single;
        case Shape::nonadjacent: return AnomalyType::g_nonadjacent;
        case Shape::any: return AnomalyType::g2;
    }
    return AnomalyType::g2;
}

AnomalyKind kind_of(Shape shape, const std::vector<CycleSearch::Step>& steps) noexcept {
    AnomalyKind kind;
    kind.type = type_of(shape, steps);
    for (const CycleSearch::Step& step : steps) {
        kind.predicate = kind.predicate || step.arc->predicate;
        if (step.arc->kind == EdgeKind::session) {
            kind.order = std::max(kind.order, Order::process);
        } else if (step.arc->kind == EdgeKind::real_time) {
            kind.order = Order::real_time;
        }
    }
    return kind;
}

bool informs(const SearchGraph::Arc& arc) noexcept {
    return arc.kind != EdgeKind::rw;
}

}  // namespace

CycleFinder::CycleFinder(const SearchGraph& graph, const Components& components,
                         CycleOptions options, Tell tell, TellExcused tell_excused)
    : graph_(graph),
      components_(components),
      options_(options),
      tell_(std::move(tell)),
      tell_excused_(std::move(tell_excused)),
      search_(graph, components, options.excuse_current_reads) {}

void CycleFinder::run() {
    for (std::uint32_t component = 0; component < components_.count(); ++component) {
        if (components_.nodes(component).size() > 1) {
            if (informed_.of.empty()) {
                informed_ = components_of(graph_, informs);
            }
            look_into(component);
        }
    }
}

void CycleFinder::look_into(std::uint32_t component) {
    std::uint64_t arcs = 0;
    predicates_ = false;
    excusable_ = false;
    for (const SearchGraph::Node node : components_.nodes(component)) {
        for (const SearchGraph::Arc& arc : graph_.from(node)) {
            predicates_ = predicates_ || arc.predicate;
            excusable_ = excusable_ || arc.excusable;
            ++arcs;
        }
    }
    const std::uint64_t enough = search_.work() + std::max(work_at_least, arcs * work_per_arc);
    std::size_t told = 0;
    for (const SearchGraph::Node node : components_.nodes(component)) {
        for (const SearchGraph::Arc& arc : graph_.from(node)) {
            if (components_.of[arc.to] != component) {
                continue;
            }
            if (told >= options_.witnesses_per_component || search_.work() > enough) {
                ++passed_over_;
            } else if (through(node, arc)) {
                ++told;
            }
        }
    }
}

bool CycleFinder::through(SearchGraph::Node from, const SearchGraph::Arc& arc) {
    switch (arc.kind) {
        case EdgeKind::rw: return options_.reads_before_writes && through_read(from, arc);
        case EdgeKind::session:
        case EdgeKind::real_time: return false;  // every cycle has an arc of another kind
        case EdgeKind::ww:
        case EdgeKind::wr: break;
    }
    if (informed_.of[from] != informed_.of[arc.to]) {
        return false;
    }
    const Shape shape = arc.kind == EdgeKind::ww ? Shape::writes : Shape::information;
    const auto in_order = orders();
    return std::any_of(in_order.begin(), in_order.end(), [&](Order order) {
        return try_pattern(from, arc, {shape, false, order});
    });
}

bool CycleFinder::through_read(SearchGraph::Node from, const SearchGraph::Arc& arc) {
    for (const Order order : orders()) {
        bool told = false;
        if (!arc.predicate) {
            told = order == Order::none && try_pattern(from, arc, {Shape::same_row, false, order});
            if (order != Order::real_time) {
                told = try_pattern(from, arc, {Shape::fractured, false, order}) ||
                       try_pattern(from, arc, {Shape::causal, false, order}) || told;
            }
        }
        for (const Shape shape : {Shape::single, Shape::nonadjacent, Shape::any}) {
            told = told || (!arc.predicate && try_pattern(from, arc, {shape, false, order}));
            told = told || (predicates_ && try_pattern(from, arc, {shape, true, order}));
        }
        if (told) {
            return true;
        }
    }
    if (excusable_) {
        tell_excused_(from, arc.to);
    }
    return false;
}

bool CycleFinder::try_pattern(SearchGraph::Node from, const SearchGraph::Arc& arc,
                              CyclePattern pattern) {
    const auto steps = search_.through(from, arc, pattern);
    if (steps.empty()) {
        return false;
    }
    tell_(kind_of(pattern.shape, steps), steps);
    return true;
}

std::vector<Order> CycleFinder::orders() const {
    std::vector<Order> orders{Order::none};
    if (options_.session_order) {
        orders.push_back(Order::process);
    }
    if (options_.real_time_order) {
        orders.push_back(Order::real_time);
    }
    return orders;
}

}  // namespace isotap::analysis
