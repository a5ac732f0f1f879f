#pragma once

#include <string_view>

namespace isotap::proxy {

/// A file that the program carries inside, so that it runs from any folder: the page. Empty for a
/// name that is none.
std::string_view embedded_text(std::string_view name) noexcept;

}  // namespace isotap::proxy
