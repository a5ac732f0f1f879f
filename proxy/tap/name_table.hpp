#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// Every relay thread numbers names by itself; here the same text gets the same number for all of
/// them. One thread.
class NameTable {
  public:
    struct Defined {
        history::NameId id{};
        bool first = false;  ///< nobody has said this text before
    };

    /// What `lane` calls `id` from now on.
    Defined define(std::size_t lane, history::NameId id, std::string_view text);

    /// The number of a text whoever says it.
    Defined define(std::string_view text);

    /// `no_name` for what that lane never defined.
    [[nodiscard]] history::NameId of(std::size_t lane, history::NameId id) const noexcept;

    [[nodiscard]] std::string_view text(history::NameId id) const noexcept;

  private:
    std::vector<std::vector<history::NameId>> lanes_;
    std::deque<std::string> texts_;  ///< stay where they are
    std::map<std::string_view, history::NameId> ids_;
};

}  // namespace isotap::proxy
