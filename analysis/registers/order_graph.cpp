#include "analysis/registers/order_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace isotap::analysis {

namespace {
constexpr std::uint32_t none = ~std::uint32_t{0};
}

OrderGraph::OrderGraph(std::uint32_t vertices, std::span<const Arc> arcs)
    : vertices_(vertices), arcs_(arcs), first_(vertices + 1), out_(arcs.size()) {
    for (const Arc& arc : arcs) {
        ++first_[arc.from + 1];
    }
    for (std::uint32_t i = 1; i <= vertices; ++i) {
        first_[i] += first_[i - 1];
    }
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < arcs.size(); ++i) {
        out_[next[arcs[i].from]++] = i;
    }
}

std::vector<std::uint32_t> OrderGraph::topological_order() const {
    std::vector<std::uint32_t> waits(vertices_);
    for (const Arc& arc : arcs_) {
        ++waits[arc.to];
    }
    std::vector<std::uint32_t> order;
    order.reserve(vertices_);
    for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
        if (waits[vertex] == 0) {
            order.push_back(vertex);
        }
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (const std::uint32_t arc : out(order[i])) {
            if (--waits[arcs_[arc].to] == 0) {
                order.push_back(arcs_[arc].to);
            }
        }
    }
    return order;
}

/// Tarjan's algorithm with a stack of its own: histories are deeper than any call stack. A vertex
/// that is alone has `none`.
std::vector<std::uint32_t> OrderGraph::components() const {
    std::vector<std::uint32_t> component(vertices_, none);
    std::vector<std::uint32_t> index(vertices_, none);
    std::vector<std::uint32_t> low(vertices_);
    std::vector<bool> on_stack(vertices_);
    std::vector<std::uint32_t> stack;
    struct Visit {
        std::uint32_t vertex;
        std::uint32_t next;
    };
    std::vector<Visit> visits;
    std::uint32_t counter = 0;
    const auto enter = [&](std::uint32_t vertex) {
        index[vertex] = low[vertex] = counter++;
        stack.push_back(vertex);
        on_stack[vertex] = true;
        visits.push_back({vertex, first_[vertex]});
    };
    for (std::uint32_t root = 0; root < vertices_; ++root) {
        if (index[root] != none) {
            continue;
        }
        enter(root);
        while (!visits.empty()) {
            const std::uint32_t vertex = visits.back().vertex;
            if (visits.back().next < first_[vertex + 1]) {
                const std::uint32_t to = arcs_[out_[visits.back().next++]].to;
                if (index[to] == none) {
                    enter(to);
                } else if (on_stack[to]) {
                    low[vertex] = std::min(low[vertex], index[to]);
                }
                continue;
            }
            visits.pop_back();
            if (!visits.empty()) {
                std::uint32_t& parent = low[visits.back().vertex];
                parent = std::min(parent, low[vertex]);
            }
            if (low[vertex] != index[vertex]) {
                continue;
            }
            const bool alone = stack.back() == vertex;
            std::uint32_t popped = none;
            do {
                popped = stack.back();
                stack.pop_back();
                on_stack[popped] = false;
                component[popped] = alone ? none : vertex;
            } while (popped != vertex);
        }
    }
    return component;
}

/// Breadth first inside one component. `arrived_by` holds arcs of earlier searches: an entry counts
/// only where the mark says that it is of this one.
std::vector<std::uint32_t> OrderGraph::shortest_cycle(std::uint32_t through, Arrivals& arrivals,
                                                      std::uint32_t component) const {
    const std::uint32_t mark = ++arrivals.search;
    std::vector<std::uint32_t> queue{through};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        for (const std::uint32_t arc : out(queue[i])) {
            const std::uint32_t to = arcs_[arc].to;
            if (arrivals.component_of[to] != component) {
                continue;
            }
            if (to != through) {
                if (arrivals.marks[to] != mark) {
                    arrivals.marks[to] = mark;
                    arrivals.arrived_by[to] = arc;
                    queue.push_back(to);
                }
                continue;
            }
            std::vector<std::uint32_t> cycle{arc};
            for (std::uint32_t at = queue[i]; at != through; at = arcs_[cycle.back()].from) {
                cycle.push_back(arrivals.arrived_by[at]);
            }
            std::reverse(cycle.begin(), cycle.end());
            return cycle;
        }
    }
    return {};
}

std::vector<std::vector<std::uint32_t>> OrderGraph::cycles(std::size_t limit) const {
    // A shorter cycle may go through another vertex of the component: some are tried, as many as
    // the work for one large component allows.
    constexpr std::size_t starts_max = 64;
    constexpr std::size_t visits_max = 1'000'000;
    struct Component {
        std::size_t size = 0;
        std::vector<std::uint32_t> starts;
    };
    Arrivals arrivals;
    arrivals.component_of = components();
    std::unordered_map<std::uint32_t, Component> found_components;
    for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
        if (arrivals.component_of[vertex] != none) {
            Component& component = found_components[arrivals.component_of[vertex]];
            ++component.size;
            if (component.starts.size() < starts_max) {
                component.starts.push_back(vertex);
            }
        }
    }
    if (found_components.empty()) {
        return {};
    }
    arrivals.marks.assign(vertices_, 0);
    arrivals.arrived_by.resize(vertices_);
    std::vector<std::vector<std::uint32_t>> found;
    for (const auto& [number, component] : found_components) {
        if (found.size() == limit) {
            break;
        }
        std::vector<std::uint32_t> best;
        std::size_t visits = 0;
        for (const std::uint32_t start : component.starts) {
            auto cycle = shortest_cycle(start, arrivals, number);
            if (best.empty() || cycle.size() < best.size()) {
                best = std::move(cycle);
            }
            visits += component.size;
            if (visits > visits_max) {
                break;
            }
        }
        found.push_back(std::move(best));
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace isotap::analysis
