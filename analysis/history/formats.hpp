#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/read_error.hpp"
#include "analysis/history/writer_index.hpp"

/// The formats that other checkers read and write.
namespace isotap::history {

enum class Format : std::uint8_t {
    elle_append,
    elle_register,
    elle_predicate,
    elle_json,
    plume,
    dbcop_json,
    dbcop_hist,
    dbcop_bincode,
    cobra,
    timekiller,
    awdit,
};

/// The name that the command line takes: "elle-append".
std::string_view to_string(Format format) noexcept;
std::optional<Format> format_from(std::string_view name) noexcept;
const std::vector<Format>& all_formats();

/// What a text looks like, by its first bytes. Elle's three EDN formats are told apart only by
/// reading on: any of them may come back for one.
std::optional<Format> detect_format(std::string_view text) noexcept;

struct ReadHistory {
    History history;
    WriterIndex writers;
    Format format = Format::elle_append;
};

/// Reads a file (or, for Cobra, a folder). Without a format: by content.
ReadResult<ReadHistory> read_history(const std::string& path, std::optional<Format> format = {});

/// The same for a text in memory; `name` stands in errors.
ReadResult<ReadHistory> read_history_text(std::string_view text, const std::string& name,
                                          std::optional<Format> format = {});

}  // namespace isotap::history
