#include "protocol/postgres/instrument/copy_options.hpp"

#include <array>
#include <string>
#include <string_view>

#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using Kind = CopyFormat::Kind;
using sql::TokenIndex;
using sql::TokenKind;
using sql::TokenList;

namespace {

struct Escape {
    char letter;
    char byte;
};
constexpr std::array escapes{Escape{'t', '\t'}, Escape{'b', '\b'},  Escape{'f', '\f'},
                             Escape{'v', '\v'}, Escape{'\\', '\\'}, Escape{'\'', '\''}};

/// '…' and E'…', with the escapes that delimiters need; nothing for all other literals.
std::optional<std::string> literal(std::string_view spelled, bool plain_strings) {
    const bool escaped = !spelled.empty() && (spelled.front() == 'E' || spelled.front() == 'e');
    spelled.remove_prefix(escaped ? 1 : 0);
    if (spelled.size() < 2 || spelled.front() != '\'' || spelled.back() != '\'') {
        return std::nullopt;
    }
    spelled = spelled.substr(1, spelled.size() - 2);
    std::string value;
    for (std::size_t i = 0; i < spelled.size(); ++i) {
        const char next = i + 1 < spelled.size() ? spelled[i + 1] : '\0';
        if (spelled[i] == '\\' && (escaped || !plain_strings)) {
            const Escape* known = escapes.begin();
            while (known != escapes.end() && known->letter != next) {
                ++known;
            }
            if (known == escapes.end()) {
                return std::nullopt;
            }
            value += known->byte;
            ++i;
        } else if (spelled[i] == '\'') {
            if (next != '\'') {
                return std::nullopt;  // it goes on in another line
            }
            value += spelled[i++];
        } else {
            value += spelled[i];
        }
    }
    return value;
}

class Options {
  public:
    Options(const TokenList& tokens, TokenIndex first, const sql::LexerState& lexing) noexcept
        : tokens_(tokens), at_(first), plain_strings_(lexing.standard_conforming_strings) {}

    std::optional<CopyFormat> read() {
        accept("with");
        const bool understood =
            tokens_[at_].is(TokenKind::open_paren) ? read_listed() : read_by_words();
        return understood && at_ == tokens_.size() && settle() ? std::optional(format_)
                                                               : std::nullopt;
    }

  private:
    bool accept(std::string_view word) noexcept {
        const bool there = tokens_[at_].is(TokenKind::word) && tokens_.spells(at_, word);
        at_ += there ? 1 : 0;
        return there;
    }
    bool accept(TokenKind kind) noexcept {
        const bool there = tokens_[at_].is(kind);
        at_ += there ? 1 : 0;
        return there;
    }

    /// (FORMAT csv, HEADER, …)
    bool read_listed() {
        ++at_;
        do {
            if (!read_one_listed()) {
                return false;
            }
        } while (accept(TokenKind::comma));
        return accept(TokenKind::close_paren);
    }

    bool read_one_listed() {
        if (accept("format")) {
            const bool word =
                tokens_[at_].is(TokenKind::word) || tokens_[at_].is(TokenKind::quoted_name);
            const auto name = word ? sql::name_of(tokens_.text(at_), sql::Dialect::postgres)
                                   : literal(tokens_.text(at_), plain_strings_);
            ++at_;
            return name && become(*name);
        }
        if (accept("header")) {
            return read_header();
        }
        if (accept("force_quote")) {
            return accept(TokenKind::star);  // a name may be one of ours
        }
        return read_character("");
    }

    /// WITH CSV HEADER DELIMITER AS '…' …
    bool read_by_words() {
        while (at_ < tokens_.size()) {
            if (accept("csv")) {
                become("csv");
            } else if (accept("binary")) {
                become("binary");
            } else if (accept("header")) {
                format_.header = true;
            } else if (accept("force")) {
                if (!accept("quote") || !accept(TokenKind::star)) {
                    return false;
                }
            } else if (!read_character("as")) {
                return false;
            }
        }
        return true;
    }

    bool become(std::string_view name) noexcept {
        format_.kind = name == "csv" ? Kind::csv : name == "binary" ? Kind::binary : Kind::text;
        return format_.kind != Kind::text || name == "text";
    }

    bool read_header() {
        const bool said =
            !tokens_[at_].is(TokenKind::comma) && !tokens_[at_].is(TokenKind::close_paren);
        format_.header = !said || accept("true") || accept("on");
        return format_.header || accept("false") || accept("off");
    }

    /// An option whose value is a literal; `between` may stand in front of that.
    bool read_character(std::string_view between) {
        std::optional<std::string>* const value = accept("delimiter") ? &delimiter_
                                                  : accept("null")    ? &null_
                                                  : accept("quote")   ? &quote_
                                                  : accept("escape")  ? &escape_
                                                                      : nullptr;
        if (value == nullptr) {
            return false;  // ENCODING among others: rows in letters that are not looked at
        }
        between.empty() ? false : accept(between);
        *value = literal(tokens_.text(at_), plain_strings_);
        return accept(TokenKind::string) && value->has_value();
    }

    /// What was not said is as the format has it.
    bool settle() {
        const auto set = [](char& of, const std::optional<std::string>& said) {
            of = said && said->size() == 1 ? said->front() : of;
            return !said || said->size() == 1;
        };
        if (format_.kind != Kind::csv) {
            // Any other text for NULL is that of a value as well.
            return set(format_.delimiter, delimiter_) && format_.delimiter != '\\' &&
                   format_.null == null_.value_or(format_.null);
        }
        format_.delimiter = ',';
        format_.null = null_.value_or("");
        if (!set(format_.delimiter, delimiter_) || !set(format_.quote, quote_)) {
            return false;
        }
        format_.escape = format_.quote;
        return set(format_.escape, escape_) && format_.delimiter != format_.quote;
    }

    const TokenList& tokens_;
    TokenIndex at_;
    bool plain_strings_;
    CopyFormat format_;
    std::optional<std::string> delimiter_;
    std::optional<std::string> null_;
    std::optional<std::string> quote_;
    std::optional<std::string> escape_;
};

}  // namespace

std::optional<CopyFormat> copy_format_of(const TokenList& tokens, TokenIndex first,
                                         const sql::LexerState& lexing) {
    return Options(tokens, first, lexing).read();
}

}  // namespace isotap::postgres::instrument
