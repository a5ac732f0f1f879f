#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/history/recording/log_encoder.hpp"

namespace isotap::history::recording {

/// Which texts of a file have a number already. Forgets all of them at a bound: then a text may
/// stand in the file twice, and memory stays flat.
class TextNumbers {
  public:
    static constexpr std::size_t bytes_max = std::size_t{64} << 20U;

    struct Numbered {
        TextId id = 0;
        bool is_new = false;  ///< has to be written down
    };

    Numbered of(std::string_view text) {
        if (text.empty()) {
            return {};
        }
        if (const auto known = ids_.find(text); known != ids_.end()) {
            return {known->second, false};
        }
        if (bytes_ > bytes_max) {
            ids_.clear();
            bytes_ = 0;
        }
        constexpr std::size_t entry_bytes = 64;
        bytes_ += text.size() + entry_bytes;
        ids_.emplace(std::string(text), ++last_);
        return {last_, true};
    }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::unordered_map<std::string, TextId, Hash, std::equal_to<>> ids_;
    std::size_t bytes_ = 0;
    TextId last_ = 0;
};

}  // namespace isotap::history::recording
