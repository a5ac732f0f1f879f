#include "analysis/graph/cycle_search.hpp"

#include <algorithm>
#include <utility>

namespace isotap::analysis {

using Shape = CyclePattern::Shape;

CycleSearch::CycleSearch(const SearchGraph& graph, const Components& components,
                         const Components& informed, bool excuse)
    : graph_(graph), components_(components), informed_(informed), excuse_(excuse) {}

CycleSearch::State CycleSearch::first_state() const noexcept {
    const bool rw_shape = pattern_.shape == Shape::nonadjacent || pattern_.shape == Shape::any;
    return rw_shape ? after_rw : plain;
}

CycleSearch::State CycleSearch::step(State state, const SearchGraph::Arc& arc) const noexcept {
    if (arc.predicate && !pattern_.predicates) {
        return refused;
    }
    if (arc.kind == EdgeKind::real_time && pattern_.order != Order::real_time) {
        return refused;
    }
    if (arc.kind == EdgeKind::session && pattern_.order == Order::none) {
        return refused;
    }
    return step_in_shape(state, arc);
}

CycleSearch::State CycleSearch::step_in_shape(State state,
                                              const SearchGraph::Arc& arc) const noexcept {
    const bool order = arc.kind == EdgeKind::session || arc.kind == EdgeKind::real_time;
    const bool excusable = excuse_ && arc.excusable;
    const bool looks = !excusable && !(excuse_ && arc.decides);
    switch (pattern_.shape) {
        case Shape::writes: return arc.kind == EdgeKind::ww || order ? plain : refused;
        case Shape::information: return arc.kind != EdgeKind::rw ? plain : refused;
        case Shape::same_row: return arc.kind == EdgeKind::ww && arc.row == row_ ? plain : refused;
        case Shape::fractured:
        case Shape::causal:
            if (arc.kind == EdgeKind::ww) {
                return state == plain && arc.row == row_ ? plain : refused;
            }
            if (arc.kind == EdgeKind::rw || arc.kind == EdgeKind::real_time) {
                return refused;
            }
            if (pattern_.shape == Shape::fractured) {
                if (order) {
                    return state == information ? refused : session;
                }
                return state == plain && looks ? information : refused;
            }
            return looks ? information : after_excusable;
        case Shape::single:
            if (arc.kind == EdgeKind::rw) {
                return refused;
            }
            return excusable ? after_excusable : plain;
        case Shape::nonadjacent:
        case Shape::any:
            if (arc.kind == EdgeKind::rw) {
                const bool adjacent = state == after_rw && pattern_.shape == Shape::nonadjacent;
                return adjacent || state == after_excusable ? refused : after_rw;
            }
            return excusable ? after_excusable : plain;
    }
    return refused;
}

bool CycleSearch::may_end_in(State state) const noexcept {
    switch (pattern_.shape) {
        case Shape::writes:
        case Shape::information:
        case Shape::same_row: return true;
        case Shape::fractured:
        case Shape::causal: return state == information || state == session;
        case Shape::single:
        case Shape::nonadjacent: return state == plain;
        case Shape::any: return state == plain || state == after_rw;
    }
    return false;
}

/// Breadth first. Within a layer, the way with fewer rw arcs wins: a layer is complete before the
/// next one is begun. Moments cost nothing to pass.
bool CycleSearch::reach(Node from, Node target, State& ended_in) {
    const std::uint32_t component = components_.of[from];
    members_ = components_.nodes(component);
    if (visits_.size() < members_.size() * state_count) {
        visits_.resize(members_.size() * state_count);
    }
    ++stamp_;
    layer_.assign(1, key(from, first_state()));
    visits_[layer_[0]] = {stamp_, 0, 0, layer_[0], nullptr};
    std::uint32_t fewest_rw = 0;
    bool found = false;
    while (!layer_.empty() && !found) {
        next_layer_.clear();
        for (std::size_t i = 0; i < layer_.size(); ++i) {
            const std::uint32_t here = layer_[i];
            const Node node = node_of(here);
            const auto state = static_cast<State>(here % state_count);
            const Visit way = visits_[here];
            const bool moment = graph_.transaction(node) == no_slot;
            for (const SearchGraph::Arc& arc : graph_.from(node)) {
                ++work_;
                if (components_.of[arc.to] != component || informed_.of[arc.to] < least_informed_) {
                    continue;
                }
                const State next = step(state, arc);
                if (next == refused) {
                    continue;
                }
                const std::uint32_t length = way.length + (moment ? 0U : 1U);
                const std::uint32_t rw = way.rw + (arc.kind == EdgeKind::rw ? 1U : 0U);
                Visit& there = visits_[key(arc.to, next)];
                const bool fresh = there.stamp != stamp_;
                const bool better = !fresh && there.length == length && rw < there.rw;
                if (!fresh && !better) {
                    continue;
                }
                there = {stamp_, length, rw, here, &arc};
                if (arc.to == target && may_end_in(next)) {
                    if (!found || rw < fewest_rw) {
                        found = true;
                        fewest_rw = rw;
                        ended_in = next;
                    }
                } else if (fresh) {
                    (moment ? layer_ : next_layer_).push_back(key(arc.to, next));
                }
            }
        }
        std::swap(layer_, next_layer_);
    }
    return found;
}

std::vector<CycleSearch::Step> CycleSearch::through(Node from, const SearchGraph::Arc& arc,
                                                    CyclePattern pattern) {
    pattern_ = pattern;
    row_ = arc.row;
    // Numbers never grow along an arc: most ways back to `from` are ruled out by that alone.
    least_informed_ = informs_behind_first(pattern.shape) ? informed_.of[from] : 0;
    State ended_in = plain;
    if ((arc.predicate && !pattern.predicates) || informed_.of[arc.to] < least_informed_ ||
        !reach(arc.to, from, ended_in)) {
        return {};
    }
    return walked(from, arc, ended_in);
}

std::vector<CycleSearch::Step> CycleSearch::walked(Node from, const SearchGraph::Arc& arc,
                                                   State ended_in) const {
    std::vector<Step> steps;
    for (const Visit* visit = &visits_[key(from, ended_in)]; visit->arc != nullptr;
         visit = &visits_[visit->parent]) {
        steps.push_back({node_of(visit->parent), visit->arc});
    }
    steps.push_back({from, &arc});
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace isotap::analysis
