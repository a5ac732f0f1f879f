#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "isotap/history/events.hpp"

namespace isotap::history {

/// Numbers for the names that events mention: the same text has the same number for all sessions of
/// one thread, and was spelled out to their sink before. One thread, one sink.
class Names {
  public:
    explicit Names(EventSink& events) noexcept : events_(events) {}

    /// `no_name` for the empty text, and for a new one once there are too many: a schema of that
    /// many tables is reported without their names rather than without a bound.
    NameId id_of(std::string_view text) {
        if (text.empty()) {
            return no_name;
        }
        if (const auto found = ids_.find(text); found != ids_.end()) {
            return found->second;
        }
        if (ids_.size() >= most_names) {
            return no_name;
        }
        const NameId id{static_cast<std::uint32_t>(ids_.size() + 1)};
        ids_.emplace(text, id);
        events_.accept(NameDefined{id, text});
        return id;
    }

    static constexpr std::size_t most_names = 65'536;

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    EventSink& events_;
    std::unordered_map<std::string, NameId, Hash, std::equal_to<>> ids_;
};

}  // namespace isotap::history
