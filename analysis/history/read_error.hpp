#pragma once

#include <cstddef>
#include <string>

#include <boost/system/result.hpp>

namespace isotap::history {

enum class ReadErrorKind {
    unreadable,        ///< the file cannot be opened or read
    unknown_format,    ///< its content is none of the formats
    malformed,         ///< a byte that the format does not allow
    truncated,         ///< the file ends in the middle of something
    duplicate_writer,  ///< two operations write one value to one key: reads cannot be told apart
    contradiction,     ///< well-formed, but says two things that exclude one another
    too_large,         ///< more than the numbers of this program can count
};

/// Why a history could not be read. Never an anomaly: nothing was checked.
struct ReadError {
    ReadErrorKind kind = ReadErrorKind::malformed;
    std::string file;
    std::size_t line = 0;  ///< from 1; 0 where lines mean nothing
    std::size_t byte = 0;  ///< from 0
    std::string what;      ///< what was expected, or what is wrong

    /// One line for people: `file:line: what`, or `file: byte n: what`.
    [[nodiscard]] std::string message() const;
};

/// `boost::system::result` asks how an error would be thrown; here a broken `value()` is a defect
/// of ours.
[[noreturn]] void throw_exception_from_error(const ReadError& error,
                                             const boost::source_location& where);

template <typename T>
using ReadResult = boost::system::result<T, ReadError>;

}  // namespace isotap::history
