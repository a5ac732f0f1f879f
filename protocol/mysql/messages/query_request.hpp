#pragma once

#include <optional>
#include <string_view>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/capabilities.hpp"

namespace isotap::mysql {

/// The SQL text of a COM_QUERY, behind the query attributes where these are in force. Empty when
/// the attributes are broken, or reach beyond what `payload` holds of the packet.
std::optional<std::string_view> decode_query_text(Bytes payload, Capabilities in_force) noexcept;

}  // namespace isotap::mysql
