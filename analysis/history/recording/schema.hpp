#pragma once

#include <cstdint>

/// The recording as a file format; docs/HISTORY_FORMAT.md is its description and its promise.
namespace isotap::history::recording {

/// Stands in the header of the file: "isot".
inline constexpr std::int64_t application_id = 0x69736F74;

/// Grows when a reader of the version before would misunderstand the file.
inline constexpr std::int64_t format_version = 2;

/// Tables for what happened, and views for people.
extern const char* const schema;

}  // namespace isotap::history::recording
