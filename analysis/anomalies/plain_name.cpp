#include <algorithm>

#include "isotap/analysis/anomaly.hpp"

namespace isotap::analysis {
namespace {

bool same_row(const CycleEdge& a, const CycleEdge& b) noexcept {
    return a.table == b.table && a.row == b.row;
}

std::string_view cycle_with_rw(const std::vector<CycleEdge>& edges) noexcept {
    const auto count = [&edges](EdgeKind kind) {
        return std::count_if(edges.begin(), edges.end(),
                             [kind](const CycleEdge& edge) { return edge.kind == kind; });
    };
    if (std::any_of(edges.begin(), edges.end(),
                    [](const CycleEdge& e) { return e.predicate && !e.emptied; })) {
        return "phantom";
    }
    if (count(EdgeKind::session) != 0 || count(EdgeKind::real_time) != 0) {
        return "stale read";
    }
    if (count(EdgeKind::rw) == 1) {
        if (count(EdgeKind::wr) == 0) {
            return "read-write skew";
        }
        return edges.size() == 2 && same_row(edges[0], edges[1]) ? "non-repeatable read"
                                                                 : "read skew";
    }
    return "write skew";
}

}  // namespace

std::string_view plain_name(const Anomaly& anomaly) noexcept {
    switch (anomaly.kind.type) {
        case AnomalyType::g0: return "dirty write";
        case AnomalyType::g1a: return "dirty read";
        case AnomalyType::g1b: return "intermediate read";
        case AnomalyType::g1c: return "circular information flow";
        case AnomalyType::g_single:
        case AnomalyType::g_nonadjacent:
        case AnomalyType::g2:
        case AnomalyType::fractured_read:
        case AnomalyType::causal_violation: return cycle_with_rw(anomaly.edges);
        case AnomalyType::lost_update: return "lost update";
        case AnomalyType::non_repeatable_read: return "non-repeatable read";
        case AnomalyType::internal: return "own write not seen";
        case AnomalyType::future_read: return "future read";
        case AnomalyType::dirty_update: return "dirty update";
        case AnomalyType::incompatible_order: return "forked version";
        case AnomalyType::cyclic_versions: return "circular versions";
        case AnomalyType::duplicate_elements: return "duplicate version";
        case AnomalyType::garbage_read: return "read of something that nobody wrote";
    }
    return "";
}

}  // namespace isotap::analysis
