#include "protocol/mysql/instrument/access_recorder.hpp"

#include <algorithm>

#include "protocol/mysql/instrument/row_key.hpp"

namespace isotap::mysql::instrument {

using history::AccessKind;
using history::Version;
using sql::ColumnRole;

void AccessRecorder::begin(const sql::Plan& plan, const history::StatementRef& statement) {
    // One large statement must not make a session that idles afterwards expensive.
    constexpr std::size_t rows_to_keep = 64;
    if (touched_.capacity() > rows_to_keep) {
        touched_ = {};
        writers_ = {};
    }
    plan_ = &plan;
    statement_ = statement;
    lost_ = 0;
    nameless_ = 0;
    cut_ = false;
    first_row_ = true;
    touched_.clear();
    writers_.clear();
}

bool AccessRecorder::record(std::span<const Value> added) {
    if (added.size() != plan_->added.size()) {
        return false;
    }
    Value key;
    for (std::size_t i = 0; i < added.size(); ++i) {
        const sql::AddedColumn& column = plan_->added[i];
        if (column.table >= plan_->tables.size()) {
            return false;
        }
        switch (column.role) {
            case ColumnRole::key: key = added[i]; break;
            case ColumnRole::writers:
                // The empty side of an outer join has no row.
                if (key.null && added[i].null) break;
                if (!record_row(column.table, key.null ? "" : key.text, added[i])) return false;
                break;
            case ColumnRole::packed:
                if (!added[i].null && !record_packed(column.table, added[i].text)) return false;
                break;
            case ColumnRole::packed_if_short:
                if (first_row_ && !record_if_short(column.table, added[i])) return false;
                break;
            case ColumnRole::insert_id: break;
            default: return false;
        }
    }
    first_row_ = false;
    return true;
}

bool AccessRecorder::record_row(std::size_t table, std::string_view key, const Value& writers) {
    Touched touched;
    touched.table = names_.id_of(plan_->tables[table].identity);
    touched.kind = plan_->tables[table].kind;
    return record_row(touched, key, writers);
}

/// A row that was there before its table got the columns may have no list.
bool AccessRecorder::record_row(Touched touched, std::string_view key, const Value& writers) {
    if (key.empty()) {
        ++nameless_;
        return true;
    }
    if (!read_writer_list(writers.null ? "T0" : writers.text, list_)) {
        return false;
    }
    if (touched.kind == AccessKind::read && statement_.transaction == wrote_untold_) {
        touched.kind = AccessKind::doubtful_read;
    }
    touched.row = row_key_of(key);
    if (!name_versions(touched)) {
        return false;
    }
    keep(touched);
    return true;
}

/// The last entry of a list is the version that is there now.
bool AccessRecorder::name_versions(Touched& touched) const {
    const Version now = list_.writers.back();
    switch (touched.kind) {
        case AccessKind::read:
        case AccessKind::locking_read:
        case AccessKind::doubtful_read: touched.before = now; return true;
        case AccessKind::remove:
            touched.before = now;
            touched.after = Version::dead();
            return true;
        case AccessKind::insert:
            touched.before = Version::unborn();
            touched.after = now;
            return now == Version::written_by(statement_);
        case AccessKind::update:
            touched.before = now;
            touched.after = Version::written_by(statement_);
            return true;
    }
    return false;
}

void AccessRecorder::keep(Touched& touched) {
    if (touched_.size() == rows_max_) {
        ++lost_;
        return;
    }
    touched.trimmed = list_.trimmed;
    touched.writers_first = writers_.size();
    // A list of one entry says nothing that the access does not say.
    if (list_.writers.size() > 1 || list_.trimmed > 0) {
        writers_.insert(writers_.end(), list_.writers.begin(), list_.writers.end());
    }
    touched.writers = writers_.size() - touched.writers_first;
    touched_.push_back(touched);
}

/// `key=list;key=list`, with or without a semicolon at the end.
bool AccessRecorder::record_packed(std::size_t table, std::string_view packed) {
    while (!packed.empty()) {
        const std::string_view one = packed.substr(0, packed.find(';'));
        packed.remove_prefix(std::min(packed.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos ||
            !record_row(table, one.substr(0, equals), {one.substr(equals + 1), false})) {
            return false;
        }
    }
    return true;
}

bool AccessRecorder::record_if_short(std::size_t table, const Value& packed) {
    if (packed.null) {
        return true;
    }
    if (packed.text != "!") {
        return record_packed(table, packed.text);
    }
    cut_ = true;
    lost_ += plan_->reread.spare ? 0 : 1;
    return true;
}

/// A row that was about to be made is made when nothing else is told of it: then the next one
/// comes, or the end. Where rows were left out, that may have been among them.
std::optional<AccessRecorder::ToldRows> AccessRecorder::record_written(std::string_view packed) {
    ToldRows rows;
    std::string_view about_to_be_made;
    const auto make = [&] {
        rows.inserted += about_to_be_made.empty() ? 0 : 1;
        return record_made(about_to_be_made);
    };
    while (!packed.empty()) {
        if (packed.front() != ';') {
            return std::nullopt;
        }
        packed.remove_prefix(1);
        const std::string_view one = packed.substr(0, packed.find(';'));
        packed.remove_prefix(one.size());
        const std::size_t equals = one.find('=');
        const bool made = equals != std::string_view::npos && one.substr(equals) == "=+";
        if (made && !make()) {
            return std::nullopt;
        }
        about_to_be_made = made ? one.substr(0, equals) : std::string_view{};
        if (one == "!") {
            ++lost_;
        } else if (!made) {
            if (!record_overwritten(one)) {
                return std::nullopt;
            }
            ++(one.ends_with('*') ? rows.kept : rows.updated);
        }
    }
    return make() ? std::optional(rows) : std::nullopt;
}

bool AccessRecorder::record_made(std::string_view key) {
    if (key.empty() || plan_->tables.empty()) {
        return key.empty();
    }
    Touched touched;
    touched.table = names_.id_of(plan_->tables.front().identity);
    touched.kind = AccessKind::insert;
    return record_row(touched, key, {stamp_of(statement_), false});
}

/// A row with a '*' has matched and not changed: it was written, and keeps its version.
bool AccessRecorder::record_overwritten(std::string_view one) {
    const bool unchanged = !one.empty() && one.back() == '*';
    if (unchanged) {
        one.remove_suffix(1);
    }
    const std::size_t equals = one.find('=');
    const std::size_t before = touched_.size();
    if (equals == std::string_view::npos || plan_->tables.empty() ||
        !record_row(0, one.substr(0, equals), {one.substr(equals + 1), false})) {
        return false;
    }
    if (touched_.size() == before) {
        return true;
    }
    Touched& last = touched_.back();
    if (last.before == Version::written_by(statement_)) {
        touched_.pop_back();  // a version that nobody else can have seen
    } else if (unchanged) {
        last.after = last.before;
    }
    return true;
}

bool AccessRecorder::record_reread(std::span<const std::optional<std::string>> columns) {
    if (columns.size() != plan_->reread.tables.size()) {
        return false;
    }
    const auto first = static_cast<std::ptrdiff_t>(touched_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] && columns[i]->size() >= sql::Reread::bytes_max) {
            ++lost_;
        } else if (columns[i] && !record_packed(plan_->reread.tables[i], *columns[i])) {
            touched_.resize(static_cast<std::size_t>(first));
            return false;
        }
    }
    const Version own = Version::written_by(statement_);
    const auto changed = std::remove_if(touched_.begin() + first, touched_.end(),
                                        [&own](const Touched& one) { return one.before == own; });
    lost_ += static_cast<std::uint64_t>(touched_.end() - changed);
    touched_.erase(changed, touched_.end());
    return true;
}

std::optional<AccessRecorder::ToldRows> AccessRecorder::record_told(std::string_view told) {
    ToldRows rows;
    ToldRow row;
    std::string_view table;  // of the row before
    history::NameId name{};
    bool counts = false;
    while (!told.empty()) {
        if (!take_told_row(told, row)) {
            return std::nullopt;
        }
        if (row.kind == ToldKind::omitted) {
            ++lost_;
            continue;
        }
        if (row.table != table) {
            table = row.table;
            const std::string identity = identity_of(table);
            name = names_.id_of(identity);
            counts = names(identity);
        }
        if (!record_told(row, name)) {
            return std::nullopt;
        }
        if (counts) {
            ++rows.of(row.kind);
        }
    }
    return rows;
}

std::uint64_t& AccessRecorder::ToldRows::of(ToldKind kind) noexcept {
    switch (kind) {
        case ToldKind::inserted: return inserted;
        case ToldKind::updated: return updated;
        case ToldKind::removed: return removed;
        default: return kept;
    }
}

bool AccessRecorder::record_told(const ToldRow& told, history::NameId table) {
    Touched touched;
    touched.table = table;
    touched.kind = told.kind == ToldKind::inserted  ? AccessKind::insert
                   : told.kind == ToldKind::removed ? AccessKind::remove
                                                    : AccessKind::update;
    const std::size_t before = touched_.size();
    if (!record_row(touched, told.row, {told.writers, false})) {
        return false;
    }
    if (touched_.size() > before && touched.kind == AccessKind::update) {
        Touched& last = touched_.back();
        if (last.before == Version::written_by(statement_)) {
            touched_.pop_back();  // a version that nobody else can have seen
        } else if (told.kind == ToldKind::kept) {
            last.after = last.before;
        }
    }
    return true;
}

bool AccessRecorder::names(std::string_view identity) const {
    return std::any_of(plan_->tables.begin(), plan_->tables.end(),
                       [&](const sql::CapturedTable& table) {
                           return table.identity == identity && !history::is_read(table.kind);
                       });
}

void AccessRecorder::tell() {
    for (const Touched& touched : touched_) {
        if (touched.writers > 0) {
            events_.accept(history::WriterList{
                statement_, touched.table, touched.row, touched.trimmed,
                std::span(writers_).subspan(touched.writers_first, touched.writers)});
        }
        events_.accept(history::Access{statement_, touched.table, touched.row, touched.kind,
                                       touched.before, touched.after});
    }
    touched_.clear();
    writers_.clear();
}

void AccessRecorder::tell_emptied(const sql::Plan& plan, const history::StatementRef& statement) {
    for (const sql::CapturedTable& table : plan.tables) {
        events_.accept(history::TableEmptied{statement, names_.id_of(table.identity)});
    }
}

void AccessRecorder::tell_gap(history::SessionId session, Time at, std::uint64_t rows,
                              std::string_view why) {
    events_.accept(history::Gap{session, statement_.transaction, at, rows, names_.id_of(why)});
}

}  // namespace isotap::mysql::instrument
