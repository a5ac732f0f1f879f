#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string_view>

#include "protocol/sql/token_list.hpp"

namespace isotap::sql {

/// Names the shape of a statement: its tokens with the literals masked, comments and white space
/// left out. What is decided for one statement of a shape holds for all: the same token index means
/// the same thing. Two shapes share a fingerprint with a chance of about 2^-128.
struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// Kind of literal counts (a string is no integer), and so do parameters, case and quotes of names:
/// what might be another shape is one. Settings that change how a text is read are part of it.
/// `key` is drawn at random per process, so that nobody can prepare two texts that collide.
/// `besides` tells apart what is meant otherwise though its text is the same.
Fingerprint fingerprint(const TokenList& tokens, const LexerState& state, std::uint64_t key,
                        std::string_view besides = {}) noexcept;

}  // namespace isotap::sql

template <>
struct std::hash<isotap::sql::Fingerprint> {
    std::size_t operator()(const isotap::sql::Fingerprint& print) const noexcept {
        return print.low;
    }
};
