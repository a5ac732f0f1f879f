#pragma once

#include <string>

#include "isotap/analysis/anomaly.hpp"

namespace isotap::analysis {

/// As Elle spells it, which tells items from predicates in more places: "G-single-item-process".
inline std::string elle_name_of(AnomalyKind kind) {
    const bool single = kind.type == AnomalyType::g_single ||
                        kind.type == AnomalyType::fractured_read ||
                        kind.type == AnomalyType::causal_violation;
    if (!single && kind.type != AnomalyType::g_nonadjacent) {
        return name_of(kind);
    }
    const std::string g0 = name_of({AnomalyType::g0, false, Order::none});
    const std::string order = name_of({AnomalyType::g0, false, kind.order}).substr(g0.size());
    return (single ? "G-single" : "G-nonadjacent") + std::string(kind.predicate ? "" : "-item") +
           order;
}

}  // namespace isotap::analysis
