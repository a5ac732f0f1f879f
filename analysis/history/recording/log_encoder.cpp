#include "analysis/history/recording/log_encoder.hpp"

#include <array>
#include <charconv>

namespace isotap::history::recording {

namespace {

template <typename Number>
void append_number(std::string& text, Number value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

void append_hex(std::string& text, std::uint64_t value) {
    for (int shift = 60; shift >= 0; shift -= 4) {
        text += "0123456789abcdef"[(value >> static_cast<unsigned>(shift)) & 0xFU];
    }
}

void append_version(std::string& text, const Version& version) {
    switch (version.kind) {
        case VersionKind::unknown: text += '?'; return;
        case VersionKind::initial: text += "T0"; return;
        case VersionKind::unborn: text += "unborn"; return;
        case VersionKind::dead: text += "dead"; return;
        case VersionKind::written:
            text += 'T';
            append_number(text, version.writer);
            text += '.';
            append_number(text, version.statement);
            return;
        case VersionKind::foreign:
            text += 'x';
            append_number(text, version.writer);
            return;
    }
}

constexpr std::int64_t nanoseconds(Time at) noexcept {
    return at.time_since_epoch().count();
}

char letter(AccessKind kind) noexcept {
    switch (kind) {
        case AccessKind::read: return 'r';
        case AccessKind::locking_read: return 'l';
        case AccessKind::doubtful_read: return 'b';
        case AccessKind::insert: return 'i';
        case AccessKind::update: return 'u';
        case AccessKind::remove: return 'd';
    }
    return 'r';
}

}  // namespace

void append_row(std::string& text, const RowKey& row) {
    constexpr std::uint64_t numbers_end = std::uint64_t{1} << 63U;
    if (row.high == 0 && row.low < numbers_end) {
        append_number(text, row.low);
        return;
    }
    text += '"';
    append_hex(text, row.high);
    append_hex(text, row.low);
    text += '"';
}

void LogEncoder::open(char kind) {
    text_ += text_.empty() ? "[[\"" : ",[\"";
    text_ += kind;
    text_ += '"';
}

void LogEncoder::open(char kind, std::uint32_t statement) {
    open(kind);
    number(std::uint64_t{statement});
}

void LogEncoder::number(std::int64_t value) {
    text_ += ',';
    append_number(text_, value);
}

void LogEncoder::row(const RowKey& row) {
    text_ += ',';
    append_row(text_, row);
}

void LogEncoder::version(const Version& version) {
    text_ += ",\"";
    append_version(text_, version);
    text_ += '"';
}

std::string_view LogEncoder::finish() {
    text_ += ']';
    return text_;
}

void LogEncoder::add(const TransactionLevel& event) {
    open('v');
    number(static_cast<std::int64_t>(event.level));
    number(static_cast<std::int64_t>(event.source));
    number(std::int64_t{event.read_only});
    close();
}

void LogEncoder::add(const StatementBegan& event, TextId text) {
    open('s', event.statement.ordinal);
    number(nanoseconds(event.at));
    number(text);
    number(std::int64_t{event.text_cut});
    close();
}

void LogEncoder::add(const StatementEnded& event, TextId sql_state, TextId tag) {
    open('e', event.statement.ordinal);
    number(nanoseconds(event.at));
    number(static_cast<std::int64_t>(event.outcome));
    number(static_cast<std::int64_t>(event.coverage));
    number(sql_state);
    number(std::int64_t{event.error_number});
    number(event.rows);
    number(static_cast<std::int64_t>(event.reason));
    number(tag);
    close();
}

void LogEncoder::add(const Savepoint& event, TextId name) {
    open('p', event.statement.ordinal);
    number(static_cast<std::int64_t>(event.action));
    number(name);
    close();
}

void LogEncoder::add(const Access& event) {
    open(letter(event.kind), event.statement.ordinal);
    number(static_cast<std::int64_t>(event.table));
    row(event.row);
    version(event.before);
    if (event.after == Version::written_by(event.statement)) {
        text_ += ",\".\"";
    } else if (event.after.kind != VersionKind::unknown) {
        version(event.after);
    }
    close();
}

void LogEncoder::add(const WriterList& event) {
    open('w', event.statement.ordinal);
    number(static_cast<std::int64_t>(event.table));
    row(event.row);
    number(event.trimmed);
    text_ += ",\"";
    for (std::size_t i = 0; i < event.writers.size(); ++i) {
        if (i != 0) {
            text_ += ',';
        }
        append_version(text_, event.writers[i]);
    }
    text_ += '"';
    close();
}

void LogEncoder::add(const RowImage& event, TextId before, TextId after) {
    open('m', event.statement.ordinal);
    number(static_cast<std::int64_t>(event.table));
    row(event.row);
    number(before);
    number(after);
    close();
}

void LogEncoder::add(const PredicateRead& event, TextId condition) {
    open('q', event.statement.ordinal);
    number(static_cast<std::uint64_t>(event.predicate));
    number(static_cast<std::int64_t>(event.table));
    number(condition);
    close();
}

void LogEncoder::add(const PredicateMatch& event) {
    open('h', event.writer.ordinal);
    number(static_cast<std::uint64_t>(event.predicate));
    row(event.row);
    number(std::int64_t{event.before});
    number(std::int64_t{event.after});
    close();
}

void LogEncoder::add(const TableEmptied& event) {
    open('t', event.statement.ordinal);
    number(static_cast<std::int64_t>(event.table));
    close();
}

void LogEncoder::add(const HeldRead& event) {
    open('k', event.statement.ordinal);
    number(static_cast<std::int64_t>(event.table));
    row(event.row);
    version(event.before);
    close();
}

void LogEncoder::add(const Alias& event) {
    open('a');
    number(event.server_transaction);
    close();
}

}  // namespace isotap::history::recording
