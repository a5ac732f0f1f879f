#pragma once

#include "isotap/analysis/anomaly.hpp"

#include "analysis/registers/order_edge.hpp"

/// From nodes and keys to the words of reports.
namespace isotap::analysis {

/// A cycle as an anomaly. `type` where the level knows the name of its cycles; else the number and
/// place of rw edges gives it.
Anomaly anomaly_of_cycle(const ResolvedHistory& history, const OrderEdges& cycle);
Anomaly anomaly_of_cycle(const ResolvedHistory& history, const OrderEdges& cycle, AnomalyType type);

Anomaly anomaly_of_fault(const ResolvedHistory& history, const FaultyRead& read);
AnomalyType type_of(ReadFault fault) noexcept;

}  // namespace isotap::analysis
