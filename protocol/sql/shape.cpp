#include "protocol/sql/shape.hpp"

#include <cstring>

namespace isotap::sql {
namespace {

/// Two lanes of multiply-and-fold over 64-bit words, each with its own odd constants. Not
/// cryptographic; keyed.
class Lanes {
  public:
    explicit Lanes(std::uint64_t key) noexcept
        : high_(key ^ 0x9E3779B97F4A7C15ULL), low_(~key ^ 0xC2B2AE3D27D4EB4FULL) {}

    void word(std::uint64_t value) noexcept {
        high_ = fold(high_ ^ value, 0xA0761D6478BD642FULL);
        low_ = fold(low_ + value, 0xE7037ED1A0B428DBULL) ^ (low_ << 7 | low_ >> 57);
    }

    void bytes(std::string_view text) noexcept {
        while (text.size() >= sizeof(std::uint64_t)) {
            word(load(text));
            text.remove_prefix(sizeof(std::uint64_t));
        }
        if (!text.empty()) {
            word(load(text));
        }
    }

    [[nodiscard]] Fingerprint finish() noexcept {
        word(0x8EBC6AF09C88C6E3ULL);
        return {high_, low_};
    }

  private:
    static std::uint64_t load(std::string_view text) noexcept {
        std::uint64_t value = 0;
        std::memcpy(&value, text.data(), text.size() < sizeof value ? text.size() : sizeof value);
        return value;
    }

    static std::uint64_t fold(std::uint64_t value, std::uint64_t factor) noexcept {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(value) * factor;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }

    std::uint64_t high_;
    std::uint64_t low_;
};

bool is_masked(TokenKind kind) noexcept {
    return kind == TokenKind::string || kind == TokenKind::integer || kind == TokenKind::decimal;
}

std::uint64_t settings_of(const LexerState& state) noexcept {
    return static_cast<std::uint64_t>(state.dialect) | (state.certain ? 1U : 0U) << 8 |
           (state.trail_bytes_look_ascii ? 1U : 0U) << 9 |
           (state.standard_conforming_strings ? 1U : 0U) << 10 |
           (state.ansi_quotes ? 1U : 0U) << 11 | (state.no_backslash_escapes ? 1U : 0U) << 12 |
           (state.mariadb ? 1U : 0U) << 13 | static_cast<std::uint64_t>(state.server_version) << 32;
}

}  // namespace

Fingerprint fingerprint(const TokenList& tokens, const LexerState& state, std::uint64_t key,
                        std::string_view besides) noexcept {
    Lanes lanes(key);
    lanes.word(settings_of(state) | (tokens.sure() ? 1ULL : 0ULL) << 31);
    for (TokenIndex i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const std::string_view text = is_masked(token.kind) ? std::string_view{} : tokens.text(i);
        // The length in front of the bytes: no two token sequences give the same words.
        lanes.word(static_cast<std::uint64_t>(token.kind) << 32 | text.size());
        lanes.bytes(text);
    }
    if (!besides.empty()) {
        lanes.word(besides.size());
        lanes.bytes(besides);
    }
    return lanes.finish();
}

}  // namespace isotap::sql
