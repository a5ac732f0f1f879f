#include "analysis/anomalies/cycles.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace isotap::analysis {
namespace {

using Shape = CyclePattern::Shape;

// Steps of all searches in one component: beyond, the rest is passed over.
constexpr std::uint64_t work_at_least = 1U << 20U;

AnomalyType type_of(Shape shape) noexcept {
    switch (shape) {
        case Shape::writes: return AnomalyType::g0;
        case Shape::information: return AnomalyType::g1c;
        case Shape::same_row: return AnomalyType::lost_update;
        case Shape::fractured: return AnomalyType::fractured_read;
        case Shape::causal: return AnomalyType::causal_violation;
        case Shape::single: return AnomalyType::g_single;
        case Shape::nonadjacent: return AnomalyType::g_nonadjacent;
        case Shape::any: return AnomalyType::g2;
    }
    return AnomalyType::g2;
}

/// What needs one and the same row knows no predicates; what a transaction sees, no clock.
bool is_known(AnomalyKind kind) noexcept {
    switch (kind.type) {
        case AnomalyType::lost_update: return !kind.predicate && kind.order == Order::none;
        case AnomalyType::fractured_read:
        case AnomalyType::causal_violation:
            return !kind.predicate && kind.order != Order::real_time;
        default: return true;
    }
}

AnomalyKind kind_of(Shape shape, const std::vector<CycleSearch::Step>& steps) noexcept {
    AnomalyKind kind;
    kind.type = type_of(shape);
    for (const CycleSearch::Step& step : steps) {
        kind.predicate = kind.predicate || step.arc->predicate;
        if (step.arc->kind == EdgeKind::session) {
            kind.order = std::max(kind.order, Order::process);
        } else if (step.arc->kind == EdgeKind::real_time) {
            kind.order = Order::real_time;
        }
    }
    if (kind.type == AnomalyType::fractured_read && kind.order == Order::none &&
        steps.size() == 2 && steps[0].arc->row == steps[1].arc->row) {
        kind.type = AnomalyType::non_repeatable_read;
    }
    return kind;
}

/// Whether it matters of which row the first arc of such a cycle is.
constexpr bool knows_rows(Shape shape) noexcept {
    return shape == Shape::same_row || shape == Shape::fractured || shape == Shape::causal;
}

std::vector<Order> orders_of(const CycleOptions& options) {
    std::vector<Order> orders{Order::none};
    if (options.session_order) {
        orders.push_back(Order::process);
    }
    if (options.real_time_order) {
        orders.push_back(Order::real_time);
    }
    return orders;
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
      orders_(orders_of(options)),
      tell_(std::move(tell)),
      tell_excused_(std::move(tell_excused)),
      search_(graph, components, informed_, options.excuse_current_reads),
      tried_(2 * graph.size(), 0) {}

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
    bool any_fresh = false;
    predicates_ = false;
    excusable_ = false;
    for (const SearchGraph::Node node : components_.nodes(component)) {
        for (const SearchGraph::Arc& arc : graph_.from(node)) {
            predicates_ = predicates_ || arc.predicate;
            excusable_ = excusable_ || arc.excusable;
            any_fresh = any_fresh || (is_fresh(arc) && components_.of[arc.to] == component);
            ++arcs;
        }
    }
    if (!any_fresh) {
        return;
    }
    narrow_.steps = std::max(work_at_least, arcs * options_.work_per_arc);
    wide_ = narrow_;
    told_ = {};
    look_at(component, true);
    look_at(component, false);
}

void CycleFinder::look_at(std::uint32_t component, bool fresh) {
    for (const SearchGraph::Node node : components_.nodes(component)) {
        ++turn_;
        for (const SearchGraph::Arc& arc : graph_.from(node)) {
            if (components_.of[arc.to] == component && is_fresh(arc) == fresh) {
                through(node, arc);
            }
        }
    }
}

/// Several cycles may go through one arc. The smallest of each pattern is told, as long as the
/// pattern breaks a model that those before it have left standing.
void CycleFinder::through(SearchGraph::Node from, const SearchGraph::Arc& arc) {
    broken_ = {};
    skipped_ = false;
    switch (arc.kind) {
        case EdgeKind::rw:
            if (options_.reads_before_writes) {
                through_read(from, arc);
            }
            break;
        case EdgeKind::ww:
        case EdgeKind::wr:
            if (informed_.of[from] == informed_.of[arc.to]) {
                const bool writes = arc.kind == EdgeKind::ww;
                for (const Order order : orders_) {
                    try_pattern(from, arc,
                                {writes ? Shape::writes : Shape::information, false, order});
                }
            }
            break;
        case EdgeKind::session:
        case EdgeKind::real_time: break;  // every cycle has an arc of another kind
    }
    if (skipped_) {
        ++passed_over_;
    }
}

void CycleFinder::through_read(SearchGraph::Node from, const SearchGraph::Arc& arc) {
    constexpr std::array shapes{Shape::same_row, Shape::fractured,   Shape::causal,
                                Shape::single,   Shape::nonadjacent, Shape::any};
    std::uint32_t& tried = tried_[2 * std::size_t{arc.to} + (arc.predicate ? 1 : 0)];
    const bool again = std::exchange(tried, turn_) == turn_;
    const bool informs_back = informed_.of[arc.to] >= informed_.of[from];
    if (!informs_back && again) {
        return;
    }
    for (const Order order : orders_) {
        for (const Shape shape : shapes) {
            if ((again && !knows_rows(shape)) || (!informs_back && informs_behind_first(shape))) {
                continue;
            }
            if (!arc.predicate) {
                try_pattern(from, arc, {shape, false, order});
            }
            if (predicates_) {
                try_pattern(from, arc, {shape, true, order});
            }
        }
    }
    if (excusable_ && broken_.empty() && !skipped_ && !again) {
        tell_excused_(from, arc.to);
    }
}

void CycleFinder::try_pattern(SearchGraph::Node from, const SearchGraph::Arc& arc,
                              CyclePattern pattern) {
    const AnomalyKind sought{type_of(pattern.shape), pattern.predicates, pattern.order};
    if (!is_known(sought) || (!broken_.empty() && (violated_by(sought) - broken_).empty())) {
        return;
    }
    Allowance& allowance = informs_behind_first(pattern.shape) ? narrow_ : wide_;
    if (allowance.spent() || told_enough(pattern)) {
        skipped_ = true;
        return;
    }
    const std::uint64_t before = search_.work();
    const auto steps = search_.through(from, arc, pattern);
    allowance.take(search_.work() - before);
    if (!steps.empty()) {
        const AnomalyKind found = kind_of(pattern.shape, steps);
        broken_ |= violated_by(found);
        ++told(pattern);
        tell_(found, steps);
    }
}

std::uint32_t& CycleFinder::told(CyclePattern pattern) noexcept {
    const auto shape = static_cast<std::size_t>(pattern.shape);
    const auto order = static_cast<std::size_t>(pattern.order);
    return told_[(shape * 2 + (pattern.predicates ? 1 : 0)) * order_count + order];
}

/// Of this pattern, or of one that needs less and so breaks no less.
bool CycleFinder::told_enough(CyclePattern pattern) noexcept {
    for (const bool predicates : {false, true}) {
        for (const Order order : orders_) {
            if (predicates <= pattern.predicates && order <= pattern.order &&
                told({pattern.shape, predicates, order}) >= options_.witnesses_per_component) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace isotap::analysis
