#pragma once

#include <iosfwd>
#include <string>

#include <boost/system/result.hpp>

#include "analysis/history/formats.hpp"

namespace isotap::history {

/// Whether `write_history` knows the format.
bool can_write(Format format) noexcept;

/// Writes a history so that other checkers read it. The error says in words what the format cannot
/// express: lists in a format of registers, names where it has only numbers. Whether the stream
/// took it all is for the caller to ask.
///
/// Formats without indeterminate transactions get them as committed if somebody saw one of their
/// writes, else as aborted: no read can tell the difference.
boost::system::result<void, std::string> write_history(const ReadHistory& read, Format format,
                                                       std::ostream& out);

}  // namespace isotap::history
