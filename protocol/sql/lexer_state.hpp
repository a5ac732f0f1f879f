#pragma once

#include <cstdint>

#include "isotap/history/events.hpp"

namespace isotap::sql {

using history::Dialect;

/// What a session must know of itself before anybody may read its SQL: the same bytes are other
/// tokens under another setting. A plain value; the session keeps it up to date and hands it in.
/// Where it is not known for certain, `certain` is false, and every statement is read as 'not
/// sure'.
struct LexerState {
    Dialect dialect = Dialect::unknown;

    /// False when a setting below may have changed behind our back, or when the mode is one that we
    /// do not read (sql_mode ORACLE).
    bool certain = true;

    /// The client's character set has characters whose second byte looks like ASCII (GBK, SJIS,
    /// BIG5, GB18030 …): then text beyond ASCII cannot be read byte by byte.
    bool trail_bytes_look_ascii = false;

    /// PostgreSQL: without it, a plain '…' knows backslash escapes.
    bool standard_conforming_strings = true;

    /// MySQL family, from sql_mode.
    bool ansi_quotes = false;
    bool no_backslash_escapes = false;

    /// MySQL family: decides which executable comments are code. MariaDB skips those that ask for a
    /// MySQL between 5.7 and 9.99. Zero: not known; a statement with such a comment is not sure.
    bool mariadb = false;
    std::uint32_t server_version = 0;  ///< as in `/*!NNNNNN`: 101119 is 10.11.19, 80036 is 8.0.36

    friend bool operator==(const LexerState&, const LexerState&) = default;
};

}  // namespace isotap::sql
