#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include <boost/system/result.hpp>

#include "analysis/history/recording/recording_writer.hpp"

namespace isotap::history::recording {

/// When a recording goes on in a new file. 0: never, and no file is removed.
struct PartPolicy {
    std::uint64_t bytes_max = 0;
    std::chrono::nanoseconds age_max{0};
    std::size_t parts_kept = 0;  ///< older ones of this run are removed
};

/// A recording that may take more than one file: `shop.isotap`, then `shop.isotap.2`,
/// `shop.isotap.3` … Nothing is ever renamed, and no file that is there already is touched: a new
/// run takes the next number. Each file can be read alone; a reader of one goes on to the next.
///
/// One thread: the recorder's. Fails as `RecordingWriter` does; then `error` says why, and what
/// comes is only counted.
class RecordingFiles final : public EventSink {
  public:
    using Result = boost::system::result<std::unique_ptr<RecordingFiles>, std::string>;

    /// `series` tells this run from others: random. `options.redactor` must outlive the files.
    static Result create(const std::string& base, const RecordingOptions& options,
                         const PartPolicy& policy, std::uint64_t series, Time now);

    void accept(const Event& event) noexcept override { writer_->accept(event); }
    void append(const RecordedAnomaly& anomaly) noexcept { writer_->append(anomaly); }

    /// Commits, and goes on in a new file when the policy says so. False once recording is over.
    bool flush(Time now);

    /// Call it last. False: the end of the recording is lost.
    bool close() noexcept { return writer_->close(); }

    /// The file that is being written.
    [[nodiscard]] const std::string& path() const noexcept { return paths_.back(); }
    [[nodiscard]] std::string error() const;
    [[nodiscard]] std::uint64_t recorded() const noexcept { return writer_->recorded(); }
    [[nodiscard]] std::uint64_t lost() const noexcept { return writer_->lost(); }

  private:
    RecordingFiles(std::string base, const RecordingOptions& options, const PartPolicy& policy);
    bool next_part(Time now);
    void remove_oldest();

    std::string base_;
    RecordingOptions options_;
    PartPolicy policy_;
    PartOfSeries part_;
    std::uint64_t number_ = 1;  ///< in the name of the file
    Time began_{};
    std::deque<std::string> paths_;  ///< of this run, those that are kept
    std::unique_ptr<RecordingWriter> writer_;
    std::string error_;
};

}  // namespace isotap::history::recording
