#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "protocol/postgres/instrument/planned_text.hpp"

namespace isotap::postgres::instrument {

/// What the names of a session, of its statements or of its portals, will stand for once the server
/// has done all it was asked. What it then refuses to do is taken back, newest first.
class NamesInUse {
  public:
    using Meaning = std::shared_ptr<const Prepared>;

    /// What a request has changed: how to take it back.
    struct Change {
        std::string name;
        Meaning before;
    };

    explicit NamesInUse(std::size_t names_max) noexcept : names_max_(names_max) {}

    /// False for a new name when there are too many.
    [[nodiscard]] bool has_room_for(std::string_view name) const {
        return name.empty() || named_.size() < names_max_ || named_.find(name) != named_.end();
    }

    /// Null: nobody knows. A name that there is no room for stays unknown.
    Change set(std::string_view name, Meaning meaning) {
        Change change{std::string(name), nullptr};
        if (name.empty()) {
            change.before = std::exchange(unnamed_, std::move(meaning));
            return change;
        }
        const auto found = named_.find(name);
        if (found != named_.end()) {
            change.before = std::move(found->second);
            if (meaning) {
                found->second = std::move(meaning);
            } else {
                named_.erase(found);
            }
        } else if (meaning && named_.size() < names_max_) {
            named_.emplace(name, std::move(meaning));
        }
        return change;
    }

    void take_back(Change change) { set(change.name, std::move(change.before)); }

    /// Null for a name that is not known.
    [[nodiscard]] Meaning find(std::string_view name) const {
        if (name.empty()) {
            return unnamed_;
        }
        const auto found = named_.find(name);
        return found == named_.end() ? nullptr : found->second;
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

}  // namespace isotap::postgres::instrument
