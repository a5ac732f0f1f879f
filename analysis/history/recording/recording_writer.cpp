#include "analysis/history/recording/recording_writer.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "analysis/history/recording/recording_body.hpp"
#include "analysis/history/recording/schema.hpp"

namespace isotap::history::recording {

namespace {

/// Sets the pragmas and makes the tables. The write-ahead log keeps what was committed when the
/// process dies; a power failure may take the last moments, and never the file.
bool prepare(sqlite::Database& database) {
    const std::string sql = fmt::format(
        "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "PRAGMA wal_autocheckpoint = 2048; PRAGMA application_id = {};"
        "PRAGMA user_version = {};",
        application_id, format_version);
    return database.run(sql.c_str()) && database.run("BEGIN") && database.run(schema);
}

}  // namespace

RecordingWriter::Body::Body(std::string path, sqlite::Database database, TextRedactor* redactor,
                            OpenThings open)
    : path_(std::move(path)),
      database_(std::move(database)),
      redactor_(redactor),
      open_(std::move(open)),
      flushed_(open_.seq),
      name_(database_, "INSERT OR REPLACE INTO name VALUES(?,?)"),
      text_(database_, "INSERT INTO text VALUES(?,?)"),
      session_began_(database_, "INSERT INTO session_began VALUES(?,?,?,?,?,?,?)"),
      session_ended_(database_, "INSERT INTO session_ended VALUES(?,?,?)"),
      transaction_began_(database_, "INSERT INTO transaction_began VALUES(?,?,?,?,?)"),
      transaction_ended_(database_, "INSERT INTO transaction_ended VALUES(?,?,?,?,?,?,?)"),
      log_(database_, "INSERT INTO log VALUES(?,?,?)"),
      row_label_(database_, "INSERT INTO row_label VALUES(?,?,?,?)"),
      gap_(database_, "INSERT INTO gap VALUES(?,?,?,?,?,?)"),
      anomaly_(database_, "INSERT OR REPLACE INTO anomalies VALUES(?,?,?,?,?,?,?)") {}

bool RecordingWriter::Body::begin(const RecordingOptions& options, Time now, PartOfSeries part) {
    sqlite::Statement meta(database_, "INSERT INTO meta VALUES(?,?)");
    const auto put = [&](std::string_view key, auto value) {
        meta.bind(1, key);
        meta.bind(2, value);
        write(meta);
    };
    put("format", format_version);
    put("contract_version", std::int64_t{contract_version});
    put("program", std::string_view(options.program));
    put("contract", std::string_view(options.contract));
    put("created", nanoseconds(now));
    put("redacted", std::int64_t{redactor_ != nullptr});
    put("series", stored(part.series));
    put("part", stored(part.part));
    put("first_seq", stored(open_.seq + 1));
    for (const OpenThings::Name& name : open_.names) {
        insert(name_, stored(name.id), std::string_view(name.text));
    }
    for (const auto& [id, session] : open_.sessions) {
        insert(session_began_, stored(session.seq), stored(id), nanoseconds(session.at),
               stored(session.dialect), std::string_view(session.user),
               std::string_view(session.database), std::string_view(session.application));
    }
    for (const auto& [id, transaction] : open_.transactions) {
        insert(transaction_began_, stored(transaction.seq), stored(id), stored(transaction.session),
               nanoseconds(transaction.at), std::int64_t{transaction.implicit});
        if (transaction.level.level != IsolationLevel::unknown) {
            encoder_.add(transaction.level);
            write_log(transaction.seq, id);
        }
    }
    in_transaction_ = true;
    return flush();
}

void RecordingWriter::Body::accept(const Event& event) {
    ++open_.seq;
    if (!dead()) {
        begin_transaction();
        std::visit([this](const auto& one) { take(one); }, event);
    }
}

void RecordingWriter::Body::append(const RecordedAnomaly& anomaly) {
    if (dead()) {
        return;
    }
    begin_transaction();
    insert(anomaly_, stored(anomaly.id), nanoseconds(anomaly.at), std::string_view(anomaly.type),
           std::string_view(anomaly.name), std::string_view(anomaly.severity),
           std::string_view(anomaly.explanation), std::string_view(anomaly.document));
}

bool RecordingWriter::Body::flush() {
    if (!dead() && in_transaction_) {
        end_run();
        if (!dead() && !database_.run("COMMIT")) {
            die();
        }
        in_transaction_ = false;
        if (!dead()) {
            flushed_ = open_.seq;
        }
    }
    return !dead();
}

bool RecordingWriter::Body::close() {
    if (flush() && !database_.run("PRAGMA wal_checkpoint(TRUNCATE)")) {
        die();
    }
    return !dead();
}

void RecordingWriter::Body::write(sqlite::Statement& statement) {
    if (!dead() && (!statement.ready() || !statement.run())) {
        die();
    }
}

void RecordingWriter::Body::die() {
    error_ = fmt::format(
        "{}: the recording has stopped: {}: make room or choose another place, and start anew",
        path_, database_.error());
    encoder_.clear();
}

void RecordingWriter::Body::begin_transaction() {
    if (!in_transaction_) {
        in_transaction_ = database_.run("BEGIN");
        if (!in_transaction_) {
            die();
        }
    }
}

LogEncoder& RecordingWriter::Body::run_of(TransactionId transaction) {
    constexpr std::size_t run_bytes_max = std::size_t{32} << 10U;
    if (!encoder_.empty() && (transaction != running_ || encoder_.bytes() > run_bytes_max)) {
        end_run();
    }
    if (encoder_.empty()) {
        running_ = transaction;
        run_seq_ = open_.seq;
    }
    return encoder_;
}

void RecordingWriter::Body::end_run() {
    if (!encoder_.empty()) {
        write_log(run_seq_, static_cast<std::uint64_t>(running_));
    }
}

void RecordingWriter::Body::write_log(std::uint64_t seq, std::uint64_t transaction) {
    insert(log_, stored(seq), stored(transaction), encoder_.finish());
    encoder_.clear();
}

std::int64_t RecordingWriter::Body::next_row() {
    end_run();
    return stored(open_.seq);
}

TextId RecordingWriter::Body::text(std::string_view text) {
    const TextNumbers::Numbered numbered = texts_.of(text);
    if (numbered.is_new) {
        insert(text_, numbered.id, text);
    }
    return numbered.id;
}

TextId RecordingWriter::Body::redacted(std::string_view statement) {
    return text(redactor_ == nullptr ? statement : redactor_->redact(statement));
}

RecordingWriter::RecordingWriter(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
RecordingWriter::~RecordingWriter() = default;

RecordingWriter::Result RecordingWriter::create(const std::string& path,
                                                const RecordingOptions& options, Time now,
                                                PartOfSeries part, OpenThings open) {
    // Made by us, not by SQLite: nobody else may read it for a moment, and what is there stays.
    constexpr mode_t only_me = 0600;
    const int made = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, only_me);
    if (made < 0) {
        return fmt::format("{} cannot be made: {}: choose another place for the recording", path,
                           std::generic_category().message(errno));
    }
    ::close(made);
    sqlite::Database database;
    if (!database.open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX) || !prepare(database)) {
        return fmt::format("{} cannot be written: {}: choose another place for the recording", path,
                           database.error());
    }
    auto body =
        std::make_unique<Body>(path, std::move(database), options.redactor, std::move(open));
    if (!body->begin(options, now, part)) {
        return body->error();
    }
    return std::unique_ptr<RecordingWriter>(new RecordingWriter(std::move(body)));
}

void RecordingWriter::accept(const Event& event) noexcept {
    body_->accept(event);
}
void RecordingWriter::append(const RecordedAnomaly& anomaly) noexcept {
    body_->append(anomaly);
}
bool RecordingWriter::flush() noexcept {
    return body_->flush();
}
bool RecordingWriter::close() noexcept {
    return body_->close();
}
const OpenThings& RecordingWriter::open() const noexcept {
    return body_->open();
}
const std::string& RecordingWriter::error() const noexcept {
    return body_->error();
}
std::uint64_t RecordingWriter::recorded() const noexcept {
    return body_->recorded();
}
std::uint64_t RecordingWriter::lost() const noexcept {
    return body_->lost();
}
std::uint64_t RecordingWriter::bytes() const noexcept {
    return body_->bytes();
}

}  // namespace isotap::history::recording
