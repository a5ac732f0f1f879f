#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace isotap::postgres {

/// The text of a statement, as much of it as was kept.
struct KeptText {
    std::string text;
    bool cut = false;
};

/// Which text a name stands for: the prepared statements of a session, or its portals. Changed only
/// when the server has confirmed the change. Bounded: a name that does not fit is simply unknown.
class PreparedTexts {
  public:
    using Text = std::shared_ptr<const KeptText>;

    explicit PreparedTexts(std::size_t names_max) noexcept : names_max_(names_max) {}

    void set(std::string_view name, Text text) {
        if (name.empty()) {
            unnamed_ = std::move(text);
            return;
        }
        const auto found = named_.find(name);
        if (found != named_.end()) {
            found->second = std::move(text);
        } else if (named_.size() < names_max_) {
            named_.emplace(name, std::move(text));
        }
    }

    /// Null for a name that is not known.
    [[nodiscard]] Text find(std::string_view name) const {
        if (name.empty()) {
            return unnamed_;
        }
        const auto found = named_.find(name);
        return found == named_.end() ? nullptr : found->second;
    }

    void forget(std::string_view name) {
        if (name.empty()) {
            unnamed_.reset();
        } else if (const auto found = named_.find(name); found != named_.end()) {
            named_.erase(found);
        }
    }

    void clear() {
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
    Text unnamed_;
    std::unordered_map<std::string, Text, Hash, std::equal_to<>> named_;
};

}  // namespace isotap::postgres
