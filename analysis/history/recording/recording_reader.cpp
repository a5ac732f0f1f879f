#include "analysis/history/recording/recording_reader.hpp"

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "analysis/history/recording/replay.hpp"
#include "analysis/history/recording/schema.hpp"

namespace isotap::history::recording {

namespace {

ReadError wrong(ReadErrorKind kind, const std::string& path, std::string what) {
    return {kind, path, 0, 0, std::move(what)};
}

}  // namespace

bool is_recording(const std::string& path) noexcept {
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) {
        return false;
    }
    std::array<char, magic.size()> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    return file && std::string_view(head.data(), head.size()) == magic;
}

ReadResult<RecordingReader> RecordingReader::open(const std::string& path) {
    RecordingReader reader;
    reader.path_ = path;
    if (!reader.database_.open(path, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX)) {
        return wrong(ReadErrorKind::unreadable, path, reader.database_.error());
    }
    // The file may be anybody's: no function of its schema runs, and pages are looked at twice.
    sqlite3_db_config(reader.database_.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(reader.database_.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    if (!reader.database_.run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; BEGIN")) {
        return wrong(ReadErrorKind::unreadable, path, reader.database_.error());
    }
    if (auto error = reader.read_head()) {
        return *error;
    }
    return reader;
}

std::optional<ReadError> RecordingReader::read_head() {
    const auto id = database_.number("PRAGMA application_id");
    if (!id) {
        return wrong(ReadErrorKind::malformed, path_, database_.error());
    }
    if (*id != application_id) {
        return wrong(ReadErrorKind::unknown_format, path_,
                     "an SQLite database, but no recording of isotap");
    }
    const auto version = database_.number("PRAGMA user_version").value_or(0);
    if (version < 1 || version > format_version) {
        return wrong(ReadErrorKind::unknown_format, path_,
                     fmt::format("a recording of format {}, this program reads up to {}", version,
                                 format_version));
    }
    sqlite::Statement meta(database_, "SELECT key, value FROM meta");
    if (!meta.ready()) {
        return wrong(ReadErrorKind::malformed, path_, database_.error());
    }
    auto step = meta.step();
    for (; step == sqlite::Statement::Step::row; step = meta.step()) {
        const std::string_view key = meta.text(0);
        const std::int64_t number = meta.integer(1);
        if (key == "program") {
            head_.program = meta.text(1);
        } else if (key == "contract") {
            head_.contract = meta.text(1);
        } else if (key == "redacted") {
            head_.redacted = number != 0;
        } else if (key == "series") {
            head_.part.series = static_cast<std::uint64_t>(number);
        } else if (key == "part") {
            head_.part.part = static_cast<std::uint64_t>(number);
        } else if (key == "first_seq") {
            head_.first_seq = static_cast<std::uint64_t>(number);
        }
    }
    if (step == sqlite::Statement::Step::failed) {
        return wrong(ReadErrorKind::malformed, path_, database_.error());
    }
    return std::nullopt;
}

std::optional<ReadError> RecordingReader::replay(EventSink& sink, bool continued,
                                                 const Progress& progress) {
    Replay replay(database_, head_.first_seq);
    std::string fault = replay.run(sink, continued, progress);
    if (fault.empty()) {
        return std::nullopt;
    }
    return wrong(ReadErrorKind::malformed, path_, std::move(fault));
}

std::optional<ReadError> RecordingReader::tell_names(EventSink& sink) {
    std::string fault = Replay(database_, head_.first_seq).tell_names(sink);
    if (fault.empty()) {
        return std::nullopt;
    }
    return wrong(ReadErrorKind::malformed, path_, std::move(fault));
}

std::string part_path(const std::string& base, std::uint64_t number) {
    return number == 1 ? base : base + "." + std::to_string(number);
}

NumberedPath split_part_path(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    if (dot != std::string::npos) {
        const char* begin = path.data() + dot + 1;
        const char* end = path.data() + path.size();
        std::uint64_t number = 0;
        const auto read = std::from_chars(begin, end, number);
        if (read.ec == std::errc{} && read.ptr == end && number > 1) {
            return {path.substr(0, dot), number};
        }
    }
    return {path, 1};
}

ReadResult<Recording> Recording::open(const std::string& path) {
    Recording recording;
    NumberedPath at = split_part_path(path);
    auto first = RecordingReader::open(path);
    if (!first) {
        return first.error();
    }
    recording.parts_.push_back(std::move(*first));
    for (;;) {
        const PartOfSeries last = recording.parts_.back().head().part;
        const std::string next_path = part_path(at.base, ++at.number);
        if (!is_recording(next_path)) {
            return recording;
        }
        auto next = RecordingReader::open(next_path);
        if (!next) {
            return next.error();
        }
        const PartOfSeries part = next->head().part;
        if (part.series != last.series || part.part != last.part + 1) {
            return recording;  // of another run
        }
        recording.parts_.push_back(std::move(*next));
    }
}

std::optional<ReadError> Recording::replay(EventSink& sink, const Progress& progress) {
    bool continued = false;
    for (RecordingReader& part : parts_) {
        if (auto error = part.replay(sink, continued, progress)) {
            return error;
        }
        continued = true;
    }
    return std::nullopt;
}

std::optional<ReadError> Recording::tell_names(EventSink& sink) {
    for (RecordingReader& part : parts_) {
        if (auto error = part.tell_names(sink)) {
            return error;
        }
    }
    return std::nullopt;
}

}  // namespace isotap::history::recording
