#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/history/recording/log_encoder.hpp"
#include "analysis/history/recording/recording_writer.hpp"
#include "analysis/history/recording/sqlite.hpp"
#include "analysis/history/recording/text_numbers.hpp"

namespace isotap::history::recording {

constexpr std::int64_t nanoseconds(Time at) noexcept {
    return at.time_since_epoch().count();
}

template <typename Number>
constexpr std::int64_t stored(Number number) noexcept {
    return static_cast<std::int64_t>(number);
}

/// What a RecordingWriter does. Its thread; after the first failure it only counts.
class RecordingWriter::Body {
  public:
    Body(std::string path, sqlite::Database database, TextRedactor* redactor, OpenThings open);

    /// The head of the file, and once more what an earlier part left open.
    bool begin(const RecordingOptions& options, Time now, PartOfSeries part);
    void accept(const Event& event);
    void append(const RecordedAnomaly& anomaly);
    bool flush();
    bool close();

    [[nodiscard]] bool dead() const noexcept { return !error_.empty(); }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    [[nodiscard]] std::uint64_t recorded() const noexcept { return flushed_; }
    [[nodiscard]] std::uint64_t lost() const noexcept { return dead() ? open_.seq - flushed_ : 0; }
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        constexpr std::uint64_t page_bytes = 8192;
        return page_bytes *
               static_cast<std::uint64_t>(database_.number("PRAGMA page_count").value_or(0));
    }
    [[nodiscard]] const OpenThings& open() const noexcept { return open_; }

  private:
    template <typename... Values>
    void insert(sqlite::Statement& statement, Values... values) {
        int index = 0;
        (statement.bind(++index, values), ...);
        write(statement);
    }

    void write(sqlite::Statement& statement);
    void die();
    void begin_transaction();

    // A run: what one transaction did without another one coming in between.
    LogEncoder& run_of(TransactionId transaction);
    void end_run();
    void write_log(std::uint64_t seq, std::uint64_t transaction);

    /// What is kept as a row of its own comes behind everything before it.
    std::int64_t next_row();
    TextId text(std::string_view text);
    TextId redacted(std::string_view statement);

    // recording_rows.cpp: each kind of event.
    void take(const NameDefined& event);
    void take(const SessionBegan& event);
    void take(const SessionEnded& event);
    void take(const TransactionBegan& event);
    void take(const TransactionLevel& event);
    void take(const TransactionEnded& event);
    void take(const StatementBegan& event);
    void take(const StatementEnded& event);
    void take(const Savepoint& event);
    void take(const Access& event);
    void take(const WriterList& event);
    void take(const RowImage& event);
    void take(const PredicateRead& event);
    void take(const PredicateMatch& event);
    void take(const TableEmptied& event);
    void take(const HeldRead& event);
    void take(const Alias& event);
    void take(const RowLabelled& event);
    void take(const Gap& event);

    std::string path_;
    std::string error_;
    sqlite::Database database_;  // before the statements: it must outlive them
    TextRedactor* redactor_;
    OpenThings open_;
    std::uint64_t flushed_;
    bool in_transaction_ = false;
    TextNumbers texts_;
    LogEncoder encoder_;
    TransactionId running_{};
    std::uint64_t run_seq_ = 0;
    std::string row_;
    sqlite::Statement name_;
    sqlite::Statement text_;
    sqlite::Statement session_began_;
    sqlite::Statement session_ended_;
    sqlite::Statement transaction_began_;
    sqlite::Statement transaction_ended_;
    sqlite::Statement log_;
    sqlite::Statement row_label_;
    sqlite::Statement gap_;
    sqlite::Statement anomaly_;
};

}  // namespace isotap::history::recording
