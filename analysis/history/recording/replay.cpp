#include "analysis/history/recording/replay.hpp"

#include <charconv>

#include <fmt/format.h>

namespace isotap::history::recording {

namespace {

using Step = sqlite::Statement::Step;

struct TableText {
    const char* name;
    const char* columns;
};

// In the order of Replay::Table. Where two rows have one place in the stream (what a part before
// left open), the table that stands first here comes first.
constexpr std::array<TableText, 7> tables{{
    {"session_began", "seq, session, at, dialect, user, database, application"},
    {"session_ended", "seq, session, at"},
    {"transaction_began", "seq, txn, session, at, implicit"},
    {"transaction_ended", "seq, txn, requested, at, outcome, incomplete"},
    {"log", "seq, txn, entries"},
    {"row_label", "seq, tbl, row, label"},
    {"gap", "seq, session, txn, at, count, reason"},
}};

}  // namespace

std::string_view StoredTexts::text(TextId id) {
    if (id == 0) {
        return {};
    }
    if (const auto kept = kept_.find(id); kept != kept_.end()) {
        return kept->second;
    }
    select_.bind(1, id);
    std::string found;
    if (select_.step() == Step::row) {
        found = select_.text(0);
    }
    select_.reset();
    bytes_ += found.size();
    return kept_.emplace(id, std::move(found)).first->second;
}

void StoredTexts::trim() {
    constexpr std::size_t texts_max = 65'536;
    constexpr std::size_t bytes_max = std::size_t{32} << 20U;
    if (kept_.size() > texts_max || bytes_ > bytes_max) {
        kept_.clear();
        bytes_ = 0;
    }
}

Replay::Replay(sqlite::Database& database, std::uint64_t first_seq)
    : database_(database), first_seq_(first_seq), texts_(database) {}

std::string Replay::run(EventSink& sink, bool continued, const Progress& progress) {
    constexpr std::uint64_t rows_between_reports = 65'536;
    continued_ = continued;
    std::uint64_t all = 0;
    if (progress) {
        all = static_cast<std::uint64_t>(
            database_.number("SELECT max(seq) FROM transaction_ended").value_or(0));
    }
    if (!tell_names(sink).empty() || !open_tables(continued)) {
        return fault_;
    }
    std::uint64_t rows = 0;
    while (fault_.empty()) {
        const Table table = first();
        current_ = table;
        Cursor& cursor = cursors_[static_cast<std::size_t>(table)];
        if (!cursor.at_row) {
            break;
        }
        if (progress && ++rows % rows_between_reports == 0) {
            progress(cursor.seq, std::max(all, cursor.seq));
        }
        tell(table, sink);
        if (fault_.empty()) {
            advance(table);
        }
    }
    return fault_;
}

bool Replay::open_tables(bool continued) {
    const std::string where =
        continued ? fmt::format("WHERE seq >= {}", static_cast<std::int64_t>(first_seq_)) : "";
    for (std::size_t i = 0; i < tables.size(); ++i) {
        const std::string sql = fmt::format("SELECT {} FROM {} {} ORDER BY seq", tables[i].columns,
                                            tables[i].name, where);
        cursors_[i].rows = sqlite::Statement(database_, sql);
        if (!cursors_[i].rows.ready()) {
            fault_ = fmt::format("table {}: {}", tables[i].name, database_.error());
            return false;
        }
        if (!advance(static_cast<Table>(i))) {
            return false;
        }
    }
    if (!texts_.ready()) {
        fault_ = fmt::format("table text: {}", database_.error());
    }
    return fault_.empty();
}

bool Replay::advance(Table table) {
    Cursor& cursor = cursors_[static_cast<std::size_t>(table)];
    const Step step = cursor.rows.step();
    cursor.at_row = step == Step::row;
    if (step == Step::failed) {
        fault_ =
            fmt::format("table {}, behind seq {}: {}", tables[static_cast<std::size_t>(table)].name,
                        cursor.seq, database_.error());
        return false;
    }
    if (cursor.at_row) {
        cursor.seq = static_cast<std::uint64_t>(cursor.rows.integer(0));
    }
    return true;
}

Replay::Table Replay::first() const noexcept {
    std::size_t best = 0;
    for (std::size_t i = 1; i < cursors_.size(); ++i) {
        if (cursors_[i].at_row &&
            (!cursors_[best].at_row || cursors_[i].seq < cursors_[best].seq)) {
            best = i;
        }
    }
    return static_cast<Table>(best);
}

std::string Replay::tell_names(EventSink& sink) {
    sqlite::Statement names(database_, "SELECT id, text FROM name ORDER BY id");
    Step step = Step::failed;
    while (names.ready() && (step = names.step()) == Step::row) {
        sink.accept(
            NameDefined{NameId{static_cast<std::uint32_t>(names.integer(0))}, names.text(1)});
    }
    if (step == Step::failed) {
        fault_ = fmt::format("table name: {}", database_.error());
    }
    return fault_;
}

void Replay::fail(std::string what) {
    const auto table = static_cast<std::size_t>(current_);
    if (fault_.empty()) {
        fault_ = fmt::format("table {}, seq {}: {}", tables[table].name, cursors_[table].seq, what);
    }
}

std::int64_t Replay::integer(const Cursor& cursor, int column) {
    if (!cursor.rows.is_integer(column)) {
        fail(fmt::format("expected a number in column {}", column + 1));
    }
    return cursor.rows.integer(column);
}

template <typename Enum>
Enum Replay::word(const Cursor& cursor, int column, Enum last) {
    const std::int64_t value = integer(cursor, column);
    if (value < 0 || value > static_cast<std::int64_t>(last)) {
        fail(fmt::format("expected 0 to {} in column {}, found {}", static_cast<int>(last),
                         column + 1, value));
        return {};
    }
    return static_cast<Enum>(value);
}

Time Replay::time(const Cursor& cursor, int column) {
    return Time{std::chrono::nanoseconds{integer(cursor, column)}};
}

RowKey Replay::row(const Cursor& cursor, int column) {
    if (cursor.rows.is_integer(column)) {
        return {0, static_cast<std::uint64_t>(cursor.rows.integer(column))};
    }
    constexpr std::size_t half = 16;
    const std::string_view digits = cursor.rows.text(column);
    RowKey key;
    const char* middle = digits.data() + half;
    const char* end = middle + half;
    if (digits.size() != 2 * half ||
        std::from_chars(digits.data(), middle, key.high, 16).ptr != middle ||
        std::from_chars(middle, end, key.low, 16).ptr != end) {
        fail("expected a row: a number or 32 hexadecimal digits");
    }
    return key;
}

void Replay::tell(Table table, EventSink& sink) {
    Cursor& cursor = cursors_[static_cast<std::size_t>(table)];
    const auto id = [&](int column) { return static_cast<std::uint64_t>(integer(cursor, column)); };
    const auto name = [&](int column) {
        return NameId{static_cast<std::uint32_t>(integer(cursor, column))};
    };
    Event event;
    switch (table) {
        case Table::session_began:
            event = SessionBegan{
                SessionId{id(1)},    time(cursor, 2),     word(cursor, 3, Dialect::mysql),
                cursor.rows.text(4), cursor.rows.text(5), cursor.rows.text(6)};
            break;
        case Table::session_ended: event = SessionEnded{SessionId{id(1)}, time(cursor, 2)}; break;
        case Table::transaction_began:
            event = TransactionBegan{SessionId{id(2)}, TransactionId{id(1)}, time(cursor, 3),
                                     word(cursor, 4, 1) == 1};
            break;
        case Table::transaction_ended:
            event =
                TransactionEnded{TransactionId{id(1)}, time(cursor, 2), time(cursor, 3),
                                 word(cursor, 4, Outcome::indeterminate), word(cursor, 5, 1) == 1};
            break;
        case Table::log: return tell_log(cursor, sink);
        case Table::row_label:
            event = RowLabelled{name(1), row(cursor, 2), cursor.rows.text(3)};
            break;
        case Table::gap:
            event = Gap{SessionId{id(1)}, TransactionId{id(2)}, time(cursor, 3), id(4), name(5)};
            break;
    }
    if (!fault_.empty()) {
        return;
    }
    sink.accept(event);
    if (table == Table::transaction_began && !continued_ && cursor.seq < first_seq_) {
        // Its beginning stands in a part that is not at hand.
        const auto& began = std::get<TransactionBegan>(event);
        sink.accept(Gap{began.session, began.transaction, began.at, 1, no_name});
    }
}

void Replay::tell_log(Cursor& cursor, EventSink& sink) {
    texts_.trim();
    const TransactionId transaction{static_cast<std::uint64_t>(integer(cursor, 1))};
    const LogFault fault = decode_log(cursor.rows.text(2), transaction, texts_, sink);
    if (fault.expected != nullptr) {
        fail(fmt::format("byte {} of the entries: expected {}", fault.byte, fault.expected));
    }
}

}  // namespace isotap::history::recording
