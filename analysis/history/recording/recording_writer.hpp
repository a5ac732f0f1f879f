#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <boost/system/result.hpp>

#include "isotap/history/events.hpp"

#include "analysis/history/recording/open_things.hpp"

namespace isotap::history::recording {

/// Takes the literals out of a statement. Called on the recorder's thread.
class TextRedactor {
  public:
    TextRedactor() = default;
    TextRedactor(const TextRedactor&) = delete;
    TextRedactor& operator=(const TextRedactor&) = delete;
    virtual ~TextRedactor() = default;

    /// The view is valid until the next call.
    virtual std::string_view redact(std::string_view statement) noexcept = 0;
};

struct RecordingOptions {
    /// Null: texts are kept as they come (`--record-values`). Else every statement and condition
    /// goes through it, and row labels and row images, which are values, are left out. Must outlive
    /// the writer.
    TextRedactor* redactor = nullptr;
    std::string program;   ///< who records: "isotap 1.0.0"
    std::string contract;  ///< what the engine promises: a name of configs/contracts, or empty
};

/// Where a file stands in its series.
struct PartOfSeries {
    std::uint64_t series = 0;  ///< the same for all files of one run
    std::uint64_t part = 1;
};

/// An anomaly as the live analysis found it. `document` is its JSON object, as `check --json` has
/// it.
struct RecordedAnomaly {
    std::uint64_t id = 0;
    Time at{};
    std::string type;
    std::string name;
    std::string severity;
    std::string explanation;
    std::string document;
};

/// One file of a recording, as docs/HISTORY_FORMAT.md describes it.
///
/// One thread: the recorder's. What `flush` has committed survives the death of the process at any
/// moment. The first failure (a full disk, a file that somebody broke) ends the recording: the
/// writer keeps what was flushed, says why in `error`, and only counts from then on.
class RecordingWriter final : public EventSink {
  public:
    using Result = boost::system::result<std::unique_ptr<RecordingWriter>, std::string>;

    /// Makes a new file, mode 0600; never touches one that is there. `open` is what an earlier part
    /// left open.
    static Result create(const std::string& path, const RecordingOptions& options, Time now,
                         PartOfSeries part = {}, OpenThings open = {});
    ~RecordingWriter() override;
    RecordingWriter(const RecordingWriter&) = delete;
    RecordingWriter& operator=(const RecordingWriter&) = delete;

    void accept(const Event& event) noexcept override;
    void append(const RecordedAnomaly& anomaly) noexcept;

    /// Commits. False once the writer is dead.
    bool flush() noexcept;

    /// Flushes, and folds the log of the database into the one file. More may follow.
    bool close() noexcept;
    [[nodiscard]] const OpenThings& open() const noexcept;

    /// Why the writer is dead, for people; empty while it lives.
    [[nodiscard]] const std::string& error() const noexcept;
    [[nodiscard]] std::uint64_t recorded() const noexcept;  ///< events that were flushed
    [[nodiscard]] std::uint64_t lost() const noexcept;      ///< events that never will be
    [[nodiscard]] std::uint64_t bytes() const noexcept;     ///< of the file, about

  private:
    class Body;
    explicit RecordingWriter(std::unique_ptr<Body> body) noexcept;
    std::unique_ptr<Body> body_;
};

}  // namespace isotap::history::recording
