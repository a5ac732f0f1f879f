#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace isotap::history {

/// The lines of a text, without their ends (LF or CRLF), one after the other.
class LineReader {
  public:
    explicit LineReader(std::string_view text) noexcept : text_(text) {}

    /// The next line; false at the end of the text.
    bool next(std::string_view& line) noexcept {
        start_ = at_;
        if (at_ >= text_.size()) {
            return false;
        }
        const void* newline = std::memchr(text_.data() + at_, '\n', text_.size() - at_);
        const std::size_t end =
            newline == nullptr
                ? text_.size()
                : static_cast<std::size_t>(static_cast<const char*>(newline) - text_.data());
        line = text_.substr(at_, end - at_);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        at_ = end + 1;
        return true;
    }

    /// Where the line begins that `next` gave last.
    [[nodiscard]] std::size_t offset() const noexcept { return start_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t start_ = 0;
};

/// Takes an integer from the front of `line`, past blanks; false if there is none.
inline bool take_integer(std::string_view& line, std::int64_t& into) noexcept {
    while (!line.empty() && line.front() == ' ') {
        line.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), into);
    if (error != std::errc{}) {
        return false;
    }
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return true;
}

/// Takes this character from the front of `line`; false if another one stands there.
inline bool take_char(std::string_view& line, char expected) noexcept {
    if (line.empty() || line.front() != expected) {
        return false;
    }
    line.remove_prefix(1);
    return true;
}

}  // namespace isotap::history
