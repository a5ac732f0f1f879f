#pragma once

#include <cstdint>
#include <string>

namespace isotap::postgres::instrument {

/// How COPY writes its rows: what it does when nothing is said is the text format.
struct CopyFormat {
    enum class Kind : std::uint8_t { text, csv, binary };

    Kind kind = Kind::text;
    char delimiter = '\t';
    char quote = '"';
    char escape = '"';
    std::string null = "\\N";
    bool header = false;  ///< the first line holds the names of the columns

    friend bool operator==(const CopyFormat&, const CopyFormat&) = default;
};

}  // namespace isotap::postgres::instrument
