#include "analysis/history/recording/recording_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/history/recording/recording_reader.hpp"

namespace isotap::history::recording {

namespace {

namespace fs = std::filesystem;

/// One more than the largest number that a file of this name has; 1 where there is none.
std::uint64_t free_number(const std::string& base) {
    const fs::path wanted(base);
    const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
    std::uint64_t largest = 0;
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
        const NumberedPath at = split_part_path(entry.path().filename().string());
        if (at.base == wanted.filename().string()) {
            largest = std::max(largest, at.number);
        }
    }
    return largest + 1;
}

}  // namespace

RecordingFiles::RecordingFiles(std::string base, const RecordingOptions& options,
                               const PartPolicy& policy)
    : base_(std::move(base)), options_(options), policy_(policy) {}

RecordingFiles::Result RecordingFiles::create(const std::string& base,
                                              const RecordingOptions& options,
                                              const PartPolicy& policy, std::uint64_t series,
                                              Time now) {
    std::unique_ptr<RecordingFiles> files(new RecordingFiles(base, options, policy));
    files->part_.series = series >> 1U;  // fits into SQLite's numbers
    files->number_ = free_number(base);
    files->began_ = now;
    files->paths_.push_back(part_path(base, files->number_));
    auto writer = RecordingWriter::create(files->path(), options, now, files->part_);
    if (!writer) {
        return writer.error();
    }
    files->writer_ = std::move(*writer);
    return files;
}

bool RecordingFiles::flush(Time now) {
    if (!writer_->flush()) {
        return false;
    }
    const bool full = policy_.bytes_max != 0 && writer_->bytes() >= policy_.bytes_max;
    const bool old = policy_.age_max.count() != 0 && now - began_ >= policy_.age_max;
    return (!full && !old) || next_part(now);
}

bool RecordingFiles::next_part(Time now) {
    if (!writer_->close()) {
        return false;
    }
    const std::string next = part_path(base_, number_ + 1);
    // The old part stays at work when the new one cannot be made: it may still have room.
    PartOfSeries part = part_;
    ++part.part;
    auto writer = RecordingWriter::create(next, options_, now, part, writer_->open());
    if (!writer) {
        error_ = writer.error();
        policy_ = {};
        return true;
    }
    writer_ = std::move(*writer);
    part_ = part;
    ++number_;
    began_ = now;
    paths_.push_back(next);
    remove_oldest();
    return true;
}

void RecordingFiles::remove_oldest() {
    while (policy_.parts_kept != 0 && paths_.size() > policy_.parts_kept) {
        std::error_code ignored;
        for (const char* suffix : {"", "-wal", "-shm"}) {
            fs::remove(paths_.front() + suffix, ignored);
        }
        paths_.pop_front();
    }
}

std::string RecordingFiles::error() const {
    return writer_->error().empty() ? error_ : writer_->error();
}

}  // namespace isotap::history::recording
