#include "protocol/postgres/instrument/access_recorder.hpp"

#include <algorithm>
#include <charconv>

#include "protocol/postgres/instrument/row_key.hpp"

namespace isotap::postgres::instrument {

using history::AccessKind;
using history::Version;
using sql::ColumnRole;

namespace {

/// A transaction number as a row carries it: 32 bits. The server's long form has an epoch in front.
std::optional<std::uint64_t> transaction_number(std::string_view text) noexcept {
    constexpr std::uint64_t without_epoch = 0xffff'ffff;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number & without_epoch;
}

/// What merge_action() says.
std::optional<AccessKind> action_of(std::string_view word) noexcept {
    if (word == "INSERT") {
        return AccessKind::insert;
    }
    if (word == "UPDATE") {
        return AccessKind::update;
    }
    return word == "DELETE" ? std::optional(AccessKind::remove) : std::nullopt;
}

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// `6162,63` to `ab\0c`; plain `1,2` to `1\0002`. False when it is neither.
bool unpack_key(std::string_view packed, bool hex, std::string& key) {
    key.clear();
    for (std::size_t i = 0; i < packed.size(); ++i) {
        if (packed[i] == ',') {
            key += '\0';
        } else if (!hex) {
            key += packed[i];
        } else {
            const int high = hex_digit(packed[i]);
            const int low = i + 1 < packed.size() ? hex_digit(packed[i + 1]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            key += static_cast<char>(high * 16 + low);
            ++i;
        }
    }
    return true;
}

}  // namespace

void AccessRecorder::begin(const sql::Plan& plan, const history::StatementRef& statement,
                           std::optional<history::SessionId> held_in) {
    plan_ = &plan;
    statement_ = statement;
    held_in_ = held_in;
    rows_ = 0;
    lost_ = 0;
    known_ = 0;
    tables_.clear();
    for (const sql::CapturedTable& table : plan.tables) {
        tables_.push_back(names_.id_of(table.identity));
    }
    touched_.resize(plan.tables.size());
}

bool AccessRecorder::record(std::span<const Field> added) {
    if (!read(added)) {
        return false;
    }
    for (std::size_t table = 0; table < touched_.size(); ++table) {
        const Touched& touched = touched_[table];
        if (!touched.packed.empty() && !walk_packed(table, touched, false)) {
            return false;
        }
    }
    for (const std::uint64_t number : transactions_) {
        tell_alias(number);
    }
    for (std::size_t table = 0; table < touched_.size(); ++table) {
        tell(table, touched_[table]);
    }
    return true;
}

bool AccessRecorder::read(std::span<const Field> added) {
    transactions_.clear();
    for (Touched& touched : touched_) {
        std::string kept = std::move(touched.key);
        kept.clear();
        touched = Touched{};
        touched.key = std::move(kept);
    }
    if (added.size() != plan_->added.size()) {
        return false;
    }
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (!read_one(plan_->added[i], added[i])) {
            return false;
        }
    }
    return true;
}

bool AccessRecorder::read_one(const sql::AddedColumn& column, const Field& field) {
    if (column.role == ColumnRole::transaction) {
        const auto number = transaction_number(field.text);
        if (number) {
            transactions_.push_back(*number);
        }
        return number.has_value();
    }
    if (column.table >= touched_.size()) {
        return false;
    }
    Touched& touched = touched_[column.table];
    switch (column.role) {
        case ColumnRole::key:
            if (touched.parts++ > 0) {
                touched.key += '\0';
            }
            touched.key += field.text;
            touched.absent = touched.absent || field.null;
            return true;
        case ColumnRole::seen:
        case ColumnRole::made: {
            auto& number = column.role == ColumnRole::seen ? touched.seen : touched.made;
            number = field.null ? std::nullopt : transaction_number(field.text);
            return field.null || number.has_value();
        }
        case ColumnRole::updated:
            touched.updated = field.text == "true";
            return touched.updated || field.text == "false";
        case ColumnRole::action:
            touched.action = action_of(field.text);
            return touched.action.has_value();
        case ColumnRole::packed:
        case ColumnRole::packed_hex:
            touched.packed = field.text;
            touched.hex = column.role == ColumnRole::packed_hex;
            touched.absent = true;
            return true;
        case ColumnRole::writers:
        case ColumnRole::transaction:
        case ColumnRole::packed_if_short:
        case ColumnRole::insert_id: break;
    }
    return false;
}

void AccessRecorder::tell(std::size_t table, const Touched& touched) {
    if (!touched.packed.empty()) {
        // Read once already: it holds.
        static_cast<void>(walk_packed(table, touched, true));
    }
    if (touched.absent) {
        return;
    }
    const auto named = [](const std::optional<std::uint64_t>& number) {
        return number ? Version::foreign(*number) : Version{};
    };
    AccessKind kind = touched.action.value_or(plan_->tables[table].kind);
    Version before = named(touched.seen);
    Version after;
    if (kind == AccessKind::insert) {
        if (touched.updated) {
            kind = AccessKind::update;
        } else {
            before = Version::unborn();
        }
        known_ += before.kind != history::VersionKind::unknown ? 1 : 0;
    }
    if (kind == AccessKind::remove) {
        after = Version::dead();
    } else if (kind == AccessKind::insert || kind == AccessKind::update) {
        after = Version::written_by(statement_);
    }
    if (touched.made) {
        tell_alias(*touched.made);
    }
    tell_access(table, touched.key, kind, before, after);
}

/// `key=version;key=version`. Without `telling` it is only read.
bool AccessRecorder::walk_packed(std::size_t table, const Touched& touched, bool telling) {
    std::string_view rest = touched.packed;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        const std::size_t equals = one.rfind('=');
        if (equals == std::string_view::npos ||
            !unpack_key(one.substr(0, equals), touched.hex, key_)) {
            return false;
        }
        const auto number = transaction_number(one.substr(equals + 1));
        if (!number) {
            return false;
        }
        if (telling) {
            tell_access(table, key_, plan_->tables[table].kind, Version::foreign(*number), {});
        }
    }
    return true;
}

void AccessRecorder::tell_access(std::size_t table, std::string_view key, AccessKind kind,
                                 const Version& before, const Version& after) {
    if (rows_ == rows_max_) {
        ++lost_;
        return;
    }
    ++rows_;
    const history::RowKey row = row_key_of(key);
    tell_label(tables_[table], row, key);
    if (held_in_) {
        events_.accept(history::HeldRead{*held_in_, statement_, tables_[table], row, before});
    } else {
        events_.accept(history::Access{statement_, tables_[table], row, kind, before, after});
    }
}

/// Once for a transaction and each of its subtransactions, as far as two can be remembered.
void AccessRecorder::tell_alias(std::uint64_t server_transaction) {
    if (aliased_ != statement_.transaction) {
        aliased_ = statement_.transaction;
        aliases_ = {};
    }
    if (std::find(aliases_.begin(), aliases_.end(), server_transaction) != aliases_.end()) {
        return;
    }
    aliases_ = {server_transaction, aliases_[0]};
    events_.accept(history::Alias{statement_.transaction, server_transaction});
}

/// What a row is called is told again only when other rows came in between.
void AccessRecorder::tell_label(history::NameId table, const history::RowKey& row,
                                std::string_view key) {
    labelled_.resize(labels_remembered);
    const std::size_t hash = std::hash<history::RowKey>{}(row) ^ static_cast<std::size_t>(table);
    Labelled& place = labelled_[(hash ^ hash >> 32U) % labels_remembered];
    if (place.table == table && place.row == row) {
        return;
    }
    place = {table, row};
    label_.assign(key.substr(0, label_bytes_max));
    std::replace(label_.begin(), label_.end(), '\0', ',');
    events_.accept(history::RowLabelled{table, row, label_});
}

}  // namespace isotap::postgres::instrument
