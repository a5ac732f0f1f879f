#pragma once

#include <optional>

#include "protocol/postgres/instrument/copy_format.hpp"
#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// COPY, as far as its tokens say which way rows go and how they are written.
struct CopyCommand {
    enum class Way : std::uint8_t {
        unknown,
        in,         ///< FROM
        to_server,  ///< TO a file or program of the server's machine
        to_client,  ///< TO STDOUT
    };

    sql::TokenRange query;  ///< within its parentheses; empty: a table is copied
    Way way = Way::unknown;
    /// Of `to_client`; nothing where the options are not understood: they may be right all the
    /// same.
    std::optional<CopyFormat> format;

    /// `tokens` begin with COPY.
    CopyCommand(const sql::TokenList& tokens, const sql::LexerState& lexing);
};

}  // namespace isotap::postgres::instrument
