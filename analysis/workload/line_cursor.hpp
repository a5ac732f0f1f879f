#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {

/// Reads one line from left to right and knows where it stands, for the sake of its errors. The
/// line outlives it.
class LineCursor {
  public:
    LineCursor(std::string_view line, Place at) : line_(line), start_(at) {}

    void skip_blanks() noexcept {
        while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) {
            ++at_;
        }
    }

    /// True at the end, behind blanks.
    [[nodiscard]] bool ended() noexcept {
        skip_blanks();
        return at_ == line_.size();
    }

    [[nodiscard]] char peek() noexcept { return ended() ? '\0' : line_[at_]; }

    bool take(char wanted) noexcept {
        if (peek() != wanted || wanted == '\0') {
            return false;
        }
        ++at_;
        return true;
    }

    /// Letters, digits, and what names and versions are made of besides; empty where there are
    /// none.
    std::string_view word() noexcept {
        skip_blanks();
        const std::size_t from = at_;
        while (at_ < line_.size() && is_word(line_[at_])) {
            ++at_;
        }
        return line_.substr(from, at_ - from);
    }

    /// Takes the word if it comes next, in any case of letters.
    bool take_word(std::string_view wanted) noexcept {
        const std::size_t before = at_;
        const std::string_view got = word();
        bool same = got.size() == wanted.size();
        for (std::size_t i = 0; same && i < got.size(); ++i) {
            same = std::tolower(static_cast<unsigned char>(got[i])) == wanted[i];
        }
        if (!same) {
            at_ = before;
        }
        return same;
    }

    /// Up to and without `end`; takes that too. Nothing when it does not come.
    std::optional<std::string_view> until(char end) noexcept {
        const std::size_t found = line_.find(end, at_);
        if (found == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view text = line_.substr(at_, found - at_);
        at_ = found + 1;
        return text;
    }

    [[nodiscard]] std::string_view rest() const noexcept { return line_.substr(at_); }
    [[nodiscard]] std::size_t position() const noexcept { return at_; }
    void back_to(std::size_t position) noexcept { at_ = position; }

    [[nodiscard]] Place place() noexcept {
        skip_blanks();
        return {start_.line, start_.column + at_};
    }

    /// Says that something else should stand here.
    [[nodiscard]] ScenarioError expected(std::string what) noexcept {
        const Place here = place();
        const std::string_view left = rest();
        return {here, std::move(what),
                left.empty() ? std::string("the end of the line")
                             : "'" + std::string(left.substr(0, found_max)) + "'"};
    }

  private:
    static constexpr std::size_t found_max = 30;

    static bool is_word(char c) noexcept {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
               c == '.' || c == '/';
    }

    std::string_view line_;
    Place start_;
    std::size_t at_ = 0;
};

}  // namespace isotap::workload
