#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isotap/history/ids.hpp"

/// What the triggers that `isotap schema add` puts on tables of Oracle's MySQL note of a statement:
/// `Ushop.account f3c2…=T0,T5.1;`, one entry for each row, with wList as it was before the write
/// (of an inserted row: as it is), in the order of the writes. A lone `!;`: some were left out.
namespace isotap::mysql::instrument {

/// Names the writer of what follows: `T<transaction>.<statement>`. A trigger that finds another
/// text there leaves the row alone.
inline constexpr std::string_view writer_variable = "@isotap_writer";

/// As wList names a writer.
std::string stamp_of(const history::StatementRef& statement);

enum class ToldKind : std::uint8_t {
    inserted = 'I',
    updated = 'U',
    kept = 'K',  ///< matched, and had these values already: no new version
    removed = 'D',
    omitted = '!',
};

struct ToldRow {
    ToldKind kind{};
    std::string_view table;  ///< as `told_name` spells it
    std::string_view row;    ///< rowId; empty: it has none
    std::string_view writers;
};

/// Takes one entry off the front of `text`, which is not empty. False where it is no such entry.
bool take_told_row(std::string_view& text, ToldRow& told) noexcept;

/// A table's identity in ascii, without blanks and `;`.
std::string told_name(std::string_view identity);
/// The identity behind it.
std::string identity_of(std::string_view told_name);

}  // namespace isotap::mysql::instrument
