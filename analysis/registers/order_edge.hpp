#pragma once

#include <cstdint>
#include <vector>

#include "analysis/registers/resolved_history.hpp"

namespace isotap::analysis {

enum class OrderReason : std::uint8_t {
    session,    ///< one after the other in one session
    real_time,  ///< one ended before the other began
    read_from,  ///< `to` saw what `from` wrote to `key`
    overwrote,  ///< both wrote `key`; somebody who knew `from` saw the write of `to`
    missed,     ///< `from` saw `key` before `to` overwrote it
};

/// `from` came before `to`, and why.
struct OrderEdge {
    Node from = 0;
    Node to = 0;
    history::KeyId key{};
    OrderReason reason = OrderReason::session;
};

using OrderEdges = std::vector<OrderEdge>;

}  // namespace isotap::analysis
