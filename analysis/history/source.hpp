#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/history/mapped_file.hpp"
#include "analysis/history/read_error.hpp"

namespace isotap::history {

/// What a reader reads: a text, what to call it in an error, and whom to tell how far it is.
struct Source {
    std::string name;
    std::string_view text;
    MappedFile* file = nullptr;  ///< null when the text is in memory anyway

    void done_before(std::size_t offset) const noexcept {
        if (file != nullptr) {
            file->done_before(offset);
        }
    }

    /// An error in a text that has lines.
    [[nodiscard]] ReadError error(ReadErrorKind kind, std::size_t byte, std::string what) const {
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
        const auto line = static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
        return {kind, name, line, byte, std::move(what)};
    }
};

}  // namespace isotap::history
