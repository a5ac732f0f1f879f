#include "analysis/history/form_reader.hpp"

#include <array>
#include <charconv>
#include <cstring>

namespace isotap::history {

namespace {

constexpr unsigned discards_max = 64;

enum Class : std::uint8_t { ordinary, blank, colon, opening, closing, quote, semicolon, hash };

constexpr std::array<Class, 256> classes = [] {
    std::array<Class, 256> table{};
    for (const char c : {' ', '\t', '\r', '\n', '\f', '\v', ','}) {
        table[static_cast<std::uint8_t>(c)] = blank;
    }
    for (const char c : {'(', '[', '{'}) {
        table[static_cast<std::uint8_t>(c)] = opening;
    }
    for (const char c : {')', ']', '}'}) {
        table[static_cast<std::uint8_t>(c)] = closing;
    }
    table[':'] = colon;
    table['"'] = quote;
    table[';'] = semicolon;
    table['#'] = hash;
    return table;
}();

Class class_of(char c) noexcept {
    return classes[static_cast<std::uint8_t>(c)];
}

bool ends_atom(char c) noexcept {
    const Class what = class_of(c);
    return what == blank || what == opening || what == closing || what == quote ||
           what == semicolon;
}

/// What an integer looks like: `12`, `-3`, EDN's `12N`.
bool parse_integer(std::string_view text, std::int64_t& into) noexcept {
    if (text.size() > 1 && text.back() == 'N') {
        text.remove_suffix(1);
    }
    if (text.size() > 1 && text.front() == '+') {
        text.remove_prefix(1);
    }
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, into);
    return error == std::errc{} && end == last;
}

}  // namespace

void FormReader::line_comment() noexcept {
    const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
}

/// `#_ form` is a comment, `#tag` says what the next form is: both are passed over. `#{` is a set.
bool FormReader::hash_blank() noexcept {
    if (end_ - at_ < 2 || at_[1] == '{' || at_[1] == '"') {
        return false;
    }
    if (at_[1] == '_') {
        at_ += 2;
        if (++discards_ > discards_max) {
            return fail("fewer than 64 discards (#_) within one another");
        }
        skip();
        --discards_;
        return !failed_;
    }
    while (at_ != end_ && !ends_atom(*at_)) {
        ++at_;
    }
    return true;
}

void FormReader::blanks() noexcept {
    while (at_ != end_) {
        switch (class_of(*at_)) {
            case blank: ++at_; break;
            case colon:
                if (notation_ == Notation::edn) {
                    return;
                }
                ++at_;
                break;
            case semicolon:
                if (notation_ == Notation::json) {
                    return;
                }
                line_comment();
                break;
            case hash:
                if (notation_ == Notation::json || !hash_blank()) {
                    return;
                }
                break;
            default: return;
        }
    }
}

bool FormReader::skip_string() noexcept {
    const char* from = at_ + 1;
    while (from < end_) {
        const auto* found =
            static_cast<const char*>(std::memchr(from, '"', static_cast<std::size_t>(end_ - from)));
        if (found == nullptr) {
            break;
        }
        const char* escape = found;
        while (escape > at_ + 1 && escape[-1] == '\\') {
            --escape;
        }
        from = found + 1;
        if ((found - escape) % 2 == 0) {
            at_ = from;
            return true;
        }
    }
    return false;
}

bool FormReader::atom(Atom& into) {
    blanks();
    if (at_ == end_ || failed_) {
        return fail("one more form");
    }
    const char* start = at_;
    if (*at_ == '"') {
        if (!skip_string()) {
            at_ = end_;
            return fail("the end of a string that begins at byte " +
                        std::to_string(start - begin_));
        }
        const bool word = notation_ == Notation::json;
        into = {word ? Atom::Kind::word : Atom::Kind::other, 0, {start, at_}};
        if (word) {
            into.text = {start + 1, at_ - 1};
        }
        return true;
    }
    if (class_of(*at_) == opening || class_of(*at_) == closing) {
        return fail("a number, a keyword or a name");
    }
    if (*at_ == '\\' && end_ - at_ >= 2) {
        at_ += 2;  // a character: what follows the backslash may be anything
    }
    while (at_ != end_ && !ends_atom(*at_) && (*at_ != ':' || notation_ == Notation::edn)) {
        ++at_;
    }
    const std::string_view text(start, at_);
    if (text.empty()) {
        return fail("a number, a string or a bracket");
    }
    into = {Atom::Kind::other, 0, text};
    if (text.front() == ':') {
        into = {Atom::Kind::word, 0, text.substr(1)};
    } else if (parse_integer(text, into.integer)) {
        into.kind = Atom::Kind::integer;
    } else if (text == (notation_ == Notation::edn ? "nil" : "null")) {
        into.kind = Atom::Kind::nil;
    }
    return true;
}

bool FormReader::integer(std::int64_t& into, std::string_view what) {
    blanks();
    const char* start = at_;
    Atom found;
    if (!atom(found) || found.kind != Atom::Kind::integer) {
        return fail_at(start, what);
    }
    into = found.integer;
    return true;
}

bool FormReader::skip(std::string_view& text) {
    blanks();
    const char* start = at_;
    std::size_t depth = 0;
    while (at_ != end_ && !failed_) {
        switch (class_of(*at_)) {
            case opening:
                ++depth;
                ++at_;
                break;
            case closing:
                if (depth == 0) {
                    return fail("one more form");
                }
                --depth;
                ++at_;
                break;
            case quote:
                if (!skip_string()) {
                    at_ = end_;
                    return fail("the end of a string");
                }
                break;
            case semicolon:
                if (notation_ == Notation::edn) {
                    line_comment();
                } else {
                    ++at_;
                }
                break;
            case blank: ++at_; break;
            case hash:
                if (depth == 0 && end_ - at_ >= 2 && (at_[1] == '{' || at_[1] == '"')) {
                    ++at_;
                    continue;  // a set or a pattern: the form goes on
                }
                [[fallthrough]];
            default:
                if (depth == 0) {
                    Atom unused;
                    if (!atom(unused)) {
                        return false;
                    }
                } else {
                    at_ += *at_ == '\\' && end_ - at_ >= 2 ? 2 : 1;
                }
        }
        if (depth == 0 && at_ != start) {
            text = {start, at_};
            return true;
        }
    }
    return fail("the end of a form that begins at byte " + std::to_string(start - begin_));
}

bool FormReader::fail_at(const char* where, std::string_view what) {
    if (!failed_) {
        failed_ = true;
        failure_offset_ = static_cast<std::size_t>(where - begin_);
        failure_ = where == end_ ? ReadErrorKind::truncated : ReadErrorKind::malformed;
        expected_ = "expected ";
        expected_ += what;
    }
    at_ = end_;
    return false;
}

}  // namespace isotap::history
