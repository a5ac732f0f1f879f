#pragma once

#include <string_view>

#include "isotap/base/bytes.hpp"

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

/// A fuzzer's bytes: the first one chooses the settings, the others are the text.
struct FuzzInput {
    LexerState state;
    std::string_view text;
};

inline FuzzInput fuzz_input(Bytes bytes) {
    FuzzInput input;
    const unsigned choice = bytes.empty() ? 0U : bytes.front();
    input.state.dialect = (choice & 1U) != 0 ? Dialect::mysql : Dialect::postgres;
    input.state.ansi_quotes = (choice & 2U) != 0;
    input.state.no_backslash_escapes = (choice & 4U) != 0;
    input.state.standard_conforming_strings = (choice & 8U) == 0;
    input.state.mariadb = (choice & 16U) != 0;
    input.state.trail_bytes_look_ascii = (choice & 32U) != 0;
    input.state.server_version = (choice & 64U) != 0 ? 0 : input.state.mariadb ? 101119 : 80036;
    input.text = as_text(bytes.empty() ? bytes : bytes.subspan(1));
    return input;
}

}  // namespace isotap::sql
