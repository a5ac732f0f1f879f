#pragma once

#include <span>
#include <string_view>

namespace isotap::proxy {

/// A file that the program carries inside, so that it runs from any folder: the contracts of
/// engines, the page. Empty for a name that is none.
std::string_view embedded_text(std::string_view name) noexcept;

std::span<const std::string_view> embedded_text_names() noexcept;

}  // namespace isotap::proxy
