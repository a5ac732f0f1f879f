#include "proxy/tap/name_table.hpp"

#include <algorithm>

namespace isotap::proxy {

using history::NameId;

namespace {

/// A number beyond this is no number that somebody counted up to.
constexpr std::size_t most_names_of_lane = 1'000'000;

}  // namespace

NameTable::Defined NameTable::define(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) {
        return {found->second, false};
    }
    const NameId id{static_cast<std::uint32_t>(texts_.size() + 1)};
    ids_.emplace(texts_.emplace_back(text), id);
    return {id, true};
}

NameTable::Defined NameTable::define(std::size_t lane, NameId id, std::string_view text) {
    const Defined defined = define(text);
    const auto number = static_cast<std::size_t>(id);
    if (number < most_names_of_lane) {
        lanes_.resize(std::max(lanes_.size(), lane + 1));
        lanes_[lane].resize(std::max(lanes_[lane].size(), number + 1));
        lanes_[lane][number] = defined.id;
    }
    return defined;
}

NameId NameTable::of(std::size_t lane, NameId id) const noexcept {
    const auto number = static_cast<std::size_t>(id);
    return lane < lanes_.size() && number < lanes_[lane].size() ? lanes_[lane][number]
                                                                : history::no_name;
}

std::string_view NameTable::text(NameId id) const noexcept {
    const auto number = static_cast<std::size_t>(id);
    return number == 0 || number > texts_.size() ? std::string_view{} : texts_[number - 1];
}

}  // namespace isotap::proxy
