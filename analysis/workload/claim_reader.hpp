#pragma once

#include "analysis/workload/line_cursor.hpp"

namespace isotap::workload {

/// Behind `expect`, or behind `happens if` when `symptom` is set: what is claimed, where, and the
/// rows.
Read<Claim> read_claim(LineCursor& line, bool symptom);

/// `LEVEL, LEVEL`.
Read<std::vector<history::IsolationLevel>> read_levels(LineCursor& line);

/// `mariadb 10.11, postgres`.
Read<std::vector<ServerPattern>> read_servers(LineCursor& line);

/// The number in `conn_N`.
Read<std::size_t> read_connection(LineCursor& line);

/// More sessions than this are a mistake in a file.
inline constexpr std::size_t sessions_max = 64;

}  // namespace isotap::workload
