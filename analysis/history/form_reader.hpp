#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/history/read_error.hpp"

namespace isotap::history {

enum class Notation : std::uint8_t { edn, json };

/// One indivisible form.
struct Atom {
    enum class Kind : std::uint8_t {
        nil,      ///< nil, null
        integer,  ///< fits into 64 bits
        word,     ///< EDN: keyword without its colon. JSON: a string
        other,    ///< a symbol, an EDN string, a fraction, true …
    };
    Kind kind = Kind::nil;
    std::int64_t integer = 0;
    /// As written; a word without its colon or quotes, and with its escapes. Lives as long as the
    /// text under the reader.
    std::string_view text;
};

/// A cursor over EDN or JSON. No document is built: callers pull the forms they want and skip the
/// others, so a file of any size costs no memory.
///
/// JSON is read as EDN in which a colon is white space and strings are the keywords. That takes
/// more than either grammar allows and misreads nothing that they do.
/// The first failure stays; every later call fails as well. Copy it to look ahead.
class FormReader {
  public:
    FormReader(std::string_view text, Notation notation) noexcept
        : begin_(text.data()),
          at_(text.data()),
          end_(text.data() + text.size()),
          notation_(notation) {}

    [[nodiscard]] std::size_t offset() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }
    [[nodiscard]] Notation notation() const noexcept { return notation_; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] ReadErrorKind failure() const noexcept { return failure_; }
    [[nodiscard]] std::size_t failure_offset() const noexcept { return failure_offset_; }
    [[nodiscard]] const std::string& expected() const noexcept { return expected_; }

    /// Whether nothing but blanks and comments is left.
    bool at_end() noexcept {
        blanks();
        return at_ == end_;
    }
    /// The first byte of the next form; NUL at the end.
    char peek() noexcept {
        blanks();
        return at_ == end_ ? '\0' : *at_;
    }
    /// Consumes this bracket if it comes next.
    bool take(char bracket) noexcept {
        if (peek() != bracket) {
            return false;
        }
        ++at_;
        return true;
    }
    /// Consumes this bracket, or fails.
    bool expect(char bracket, std::string_view what) { return take(bracket) || fail(what); }

    /// The next form, which must be indivisible.
    bool atom(Atom& into);
    bool integer(std::int64_t& into, std::string_view what);

    /// The next form, whatever it is; `text` is where it stands.
    bool skip(std::string_view& text);
    bool skip() {
        std::string_view unused;
        return skip(unused);
    }

    bool fail(std::string_view what) { return fail_at(at_, what); }

    /// The bytes from here on, and a way to say that some of them were read elsewhere.
    [[nodiscard]] std::string_view rest() const noexcept {
        return {at_, static_cast<std::size_t>(end_ - at_)};
    }
    void advance(std::size_t bytes) noexcept { at_ += bytes; }

  private:
    void blanks() noexcept;
    bool hash_blank() noexcept;
    void line_comment() noexcept;
    bool skip_string() noexcept;
    bool fail_at(const char* where, std::string_view what);

    const char* begin_;
    const char* at_;
    const char* end_;
    Notation notation_;
    unsigned discards_ = 0;  ///< `#_` that we are in: bounded, since each one costs stack
    bool failed_ = false;
    ReadErrorKind failure_ = ReadErrorKind::malformed;
    std::size_t failure_offset_ = 0;
    std::string expected_;
};

}  // namespace isotap::history
