#include "analysis/history/recording/recording_writer.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "analysis/history/recording/log_encoder.hpp"
#include "analysis/history/recording/schema.hpp"
#include "analysis/history/recording/sqlite.hpp"
#include "analysis/history/recording/text_numbers.hpp"

namespace isotap::history::recording {

namespace {

constexpr std::int64_t nanoseconds(Time at) noexcept {
    return at.time_since_epoch().count();
}

template <typename Number>
constexpr std::int64_t stored(Number number) noexcept {
    return static_cast<std::int64_t>(number);
}

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

class RecordingWriter::Body {
  public:
    Body(std::string path, sqlite::Database database, TextRedactor* redactor, OpenThings open)
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

    /// The head of the file, and once more what an earlier part left open.
    bool begin(const RecordingOptions& options, Time now, PartOfSeries part) {
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
            insert(transaction_began_, stored(transaction.seq), stored(id),
                   stored(transaction.session), nanoseconds(transaction.at),
                   std::int64_t{transaction.implicit});
            if (transaction.level.level != IsolationLevel::unknown) {
                encoder_.add(transaction.level);
                write_log(transaction.seq, id);
            }
        }
        in_transaction_ = true;
        return flush();
    }

    void accept(const Event& event) {
        ++open_.seq;
        if (!dead()) {
            begin_transaction();
            std::visit([this](const auto& one) { take(one); }, event);
        }
    }

    void append(const RecordedAnomaly& anomaly) {
        if (dead()) {
            return;
        }
        begin_transaction();
        insert(anomaly_, stored(anomaly.id), nanoseconds(anomaly.at),
               std::string_view(anomaly.type), std::string_view(anomaly.name),
               std::string_view(anomaly.severity), std::string_view(anomaly.explanation),
               std::string_view(anomaly.document));
    }

    bool flush() {
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

    bool close() {
        if (flush() && !database_.run("PRAGMA wal_checkpoint(TRUNCATE)")) {
            die();
        }
        return !dead();
    }

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

    void write(sqlite::Statement& statement) {
        if (!dead() && (!statement.ready() || !statement.run())) {
            die();
        }
    }

    void die() {
        error_ = fmt::format(
            "{}: the recording has stopped: {}: make room or choose another place, and start anew",
            path_, database_.error());
        encoder_.clear();
    }

    void begin_transaction() {
        if (!in_transaction_) {
            in_transaction_ = database_.run("BEGIN");
            if (!in_transaction_) {
                die();
            }
        }
    }

    // A run: what one transaction did without another one coming in between.
    LogEncoder& run_of(TransactionId transaction) {
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

    void end_run() {
        if (!encoder_.empty()) {
            write_log(run_seq_, static_cast<std::uint64_t>(running_));
        }
    }

    void write_log(std::uint64_t seq, std::uint64_t transaction) {
        insert(log_, stored(seq), stored(transaction), encoder_.finish());
        encoder_.clear();
    }

    /// What is kept as a row of its own comes behind everything before it.
    std::int64_t next_row() {
        end_run();
        return stored(open_.seq);
    }

    TextId text(std::string_view text) {
        const TextNumbers::Numbered numbered = texts_.of(text);
        if (numbered.is_new) {
            insert(text_, numbered.id, text);
        }
        return numbered.id;
    }
    TextId redacted(std::string_view statement) {
        return text(redactor_ == nullptr ? statement : redactor_->redact(statement));
    }

    void take(const NameDefined& event) {
        open_.names.push_back({event.id, std::string(event.text)});
        insert(name_, stored(event.id), event.text);
    }

    void take(const SessionBegan& event) {
        insert(session_began_, next_row(), stored(event.session), nanoseconds(event.at),
               stored(event.dialect), event.user, event.database, event.application);
        open_.sessions[event.session] = {open_.seq,
                                         event.at,
                                         event.dialect,
                                         std::string(event.user),
                                         std::string(event.database),
                                         std::string(event.application)};
    }

    void take(const SessionEnded& event) {
        insert(session_ended_, next_row(), stored(event.session), nanoseconds(event.at));
        open_.sessions.erase(event.session);
    }

    void take(const TransactionBegan& event) {
        insert(transaction_began_, next_row(), stored(event.transaction), stored(event.session),
               nanoseconds(event.at), std::int64_t{event.implicit});
        open_.transactions[static_cast<std::uint64_t>(event.transaction)] = {
            open_.seq, event.session, event.at, event.implicit, {}};
    }

    void take(const TransactionLevel& event) {
        run_of(event.transaction).add(event);
        const auto open = open_.transactions.find(static_cast<std::uint64_t>(event.transaction));
        if (open != open_.transactions.end()) {
            open->second.level = event;
        }
    }

    void take(const TransactionEnded& event) {
        const auto open = open_.transactions.find(static_cast<std::uint64_t>(event.transaction));
        IsolationLevel level = IsolationLevel::unknown;
        if (open != open_.transactions.end()) {
            level = open->second.level.level;
            open_.transactions.erase(open);
        }
        insert(transaction_ended_, next_row(), stored(event.transaction),
               nanoseconds(event.requested), nanoseconds(event.at), stored(event.outcome),
               std::int64_t{event.incomplete}, stored(level));
    }

    void take(const StatementBegan& event) {
        const TextId id = redacted(event.text);
        run_of(event.statement.transaction).add(event, id);
    }
    void take(const StatementEnded& event) {
        const bool has_state = event.sql_state != no_sql_state;
        const TextId state =
            has_state ? text({event.sql_state.data(), event.sql_state.size()}) : TextId{0};
        const TextId tag = text(event.tag);
        run_of(event.statement.transaction).add(event, state, tag);
    }
    void take(const Savepoint& event) {
        const TextId name = text(event.name);
        run_of(event.statement.transaction).add(event, name);
    }
    void take(const Access& event) { run_of(event.statement.transaction).add(event); }
    void take(const WriterList& event) { run_of(event.statement.transaction).add(event); }
    void take(const RowImage& event) {
        if (redactor_ == nullptr) {
            const TextId before = text(event.before);
            const TextId after = text(event.after);
            run_of(event.statement.transaction).add(event, before, after);
        }
    }
    void take(const PredicateRead& event) {
        const TextId condition = redacted(event.condition);
        run_of(event.statement.transaction).add(event, condition);
    }
    void take(const PredicateMatch& event) { run_of(event.writer.transaction).add(event); }
    void take(const TableEmptied& event) { run_of(event.statement.transaction).add(event); }
    void take(const HeldRead& event) { run_of(event.statement.transaction).add(event); }
    void take(const Alias& event) { run_of(event.transaction).add(event); }

    void take(const RowLabelled& event) {
        if (redactor_ != nullptr) {
            return;
        }
        row_.clear();
        append_row(row_, event.row);
        if (row_.front() == '"') {
            const std::string_view digits = std::string_view(row_).substr(1, row_.size() - 2);
            insert(row_label_, next_row(), stored(event.table), digits, event.label);
        } else {
            insert(row_label_, next_row(), stored(event.table), stored(event.row.low), event.label);
        }
    }
    void take(const Gap& event) {
        insert(gap_, next_row(), stored(event.session), stored(event.transaction),
               nanoseconds(event.at), stored(event.count), stored(event.reason));
    }

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
