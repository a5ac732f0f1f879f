#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

#include "analysis/history/read_error.hpp"
#include "analysis/history/recording/recording_writer.hpp"
#include "analysis/history/recording/sqlite.hpp"

namespace isotap::history::recording {

/// Whether a file begins as recordings do. False also where there is no such file.
bool is_recording(const std::string& path) noexcept;

struct RecordingHead {
    std::string program;
    std::string contract;  ///< the name of what the engine promises; empty: not known
    bool redacted = false;
    PartOfSeries part;
    std::uint64_t first_seq = 1;
};

/// Told now and then while a recording is read: events so far, and all of them.
using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// One file of a recording, whoever wrote it: nothing in it is trusted. Reads while somebody still
/// writes; sees what was committed when `replay` began. One thread; movable.
class RecordingReader {
  public:
    static ReadResult<RecordingReader> open(const std::string& path);

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const RecordingHead& head() const noexcept { return head_; }
    [[nodiscard]] sqlite::Database& database() noexcept { return database_; }

    /// Tells all events in the order in which they were recorded. What the part before left open
    /// stands in this file too: `continued` says that it has been told, else its transactions are
    /// told as incomplete.
    std::optional<ReadError> replay(EventSink& sink, bool continued, const Progress& progress);
    /// Only what spells names out.
    std::optional<ReadError> tell_names(EventSink& sink);

  private:
    RecordingReader() = default;
    std::optional<ReadError> read_head();

    std::string path_;
    RecordingHead head_;
    sqlite::Database database_;
};

/// A recording with the parts that follow it: `shop.isotap`, `shop.isotap.2`, … of one series.
class Recording {
  public:
    static ReadResult<Recording> open(const std::string& path);

    [[nodiscard]] const RecordingHead& head() const noexcept { return parts_.front().head(); }
    [[nodiscard]] std::vector<RecordingReader>& parts() noexcept { return parts_; }

    /// All events of all parts.
    std::optional<ReadError> replay(EventSink& sink, const Progress& progress = {});
    std::optional<ReadError> tell_names(EventSink& sink);

  private:
    std::vector<RecordingReader> parts_;
};

/// "shop.isotap.3" for the third; the first has no number.
std::string part_path(const std::string& base, std::uint64_t number);

struct NumberedPath {
    std::string base;
    std::uint64_t number = 1;
};
NumberedPath split_part_path(const std::string& path);

}  // namespace isotap::history::recording
