#pragma once

#include <string_view>

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

/// What a statement makes of the lexer state once it has succeeded: sql_mode and the client's
/// character set, as SET tells them. Where the text does not tell the new value, the state is not
/// certain any more: ask the server. For the MySQL family; PostgreSQL reports its settings by
/// itself (standard_conforming_strings, client_encoding). On the relay path: no allocation, and an
/// ordinary statement costs its first word.
LexerState after_statement(std::string_view statement, const LexerState& before) noexcept;

/// Characters of this set have second bytes that look like ASCII. Names of either dialect, in any
/// case.
bool trail_bytes_look_ascii(std::string_view character_set) noexcept;

}  // namespace isotap::sql
