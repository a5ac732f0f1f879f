#pragma once

#include <span>
#include <string_view>

namespace isotap::proxy {

/// A scenario that the program carries inside.
struct CatalogueFile {
    std::string_view path;  ///< as in the source: "tests/scenarios/g0.scenario"
    std::string_view text;
};

/// All of them, by path.
std::span<const CatalogueFile> catalogue() noexcept;

}  // namespace isotap::proxy
