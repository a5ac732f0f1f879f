#pragma once

#include <string_view>

namespace isotap::proxy {

/// The release that this program is, as `isotap version` prints it.
std::string_view version() noexcept;

}  // namespace isotap::proxy
