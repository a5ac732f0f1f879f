#pragma once

#include "protocol/sql/lexer_state.hpp"

/// Lexer states that tests of SQL begin with.
namespace isotap::sql {

inline LexerState postgres_state() {
    LexerState state;
    state.dialect = Dialect::postgres;
    return state;
}

inline LexerState mysql_state() {
    LexerState state;
    state.dialect = Dialect::mysql;
    state.server_version = 80036;
    return state;
}

inline LexerState mariadb_state() {
    LexerState state;
    state.dialect = Dialect::mysql;
    state.mariadb = true;
    state.server_version = 101119;
    return state;
}

}  // namespace isotap::sql
