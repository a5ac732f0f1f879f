#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace isotap::postgres {

/// What names stand for, of the statements of a session or of its portals: one of them has no name.
/// Bounded: a new name that does not fit stays unknown.
template <typename Value>
class NameTable {
  public:
    using Meaning = std::shared_ptr<const Value>;

    explicit NameTable(std::size_t names_max) noexcept : names_max_(names_max) {}

    [[nodiscard]] bool has_room_for(std::string_view name) const {
        return name.empty() || named_.size() < names_max_ || named_.find(name) != named_.end();
    }

    /// Null makes the name unknown. Returns what it stood for.
    Meaning set(std::string_view name, Meaning meaning) {
        if (name.empty()) {
            return std::exchange(unnamed_, std::move(meaning));
        }
        const auto found = named_.find(name);
        if (found == named_.end()) {
            if (meaning && named_.size() < names_max_) {
                named_.emplace(name, std::move(meaning));
            }
            return nullptr;
        }
        Meaning before = std::move(found->second);
        if (meaning) {
            found->second = std::move(meaning);
        } else {
            named_.erase(found);
        }
        return before;
    }

    /// Null for a name that is not known.
    [[nodiscard]] Meaning find(std::string_view name) const {
        if (name.empty()) {
            return unnamed_;
        }
        const auto found = named_.find(name);
        return found == named_.end() ? nullptr : found->second;
    }

    /// Forgets the others.
    template <typename Keep>
    void keep_if(Keep keep) {
        unnamed_.reset();
        std::erase_if(named_, [&](const auto& one) { return !keep(*one.second); });
    }

    void clear() noexcept {
        unnamed_.reset();
        named_.clear();
    }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const noexcept {
            return std::hash<std::string_view>{}(name);
        }
    };

    std::size_t names_max_;
    Meaning unnamed_;
    std::unordered_map<std::string, Meaning, Hash, std::equal_to<>> named_;
};

}  // namespace isotap::postgres
