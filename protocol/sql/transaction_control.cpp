#include "protocol/sql/transaction_control.hpp"

#include <utility>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/transaction_modes.hpp"

namespace isotap::sql {
namespace {

using Verb = TransactionVerb;

bool is_name(const TokenCursor& cursor) noexcept {
    return cursor.is(TokenKind::word) || cursor.is(TokenKind::quoted_name);
}

void read_name(TokenCursor& cursor, TransactionControl& control) noexcept {
    if (is_name(cursor) || cursor.is(TokenKind::string)) {
        control.name = cursor.text();
        cursor.advance();
    }
}

/// AND [NO] CHAIN [NO] RELEASE, each optional.
void read_completion(TokenCursor& cursor, TransactionControl& control) noexcept {
    if (cursor.accept(Keyword::and_)) {
        control.chain = cursor.accept(Keyword::no) ? Switch::off : Switch::on;
        cursor.accept(Keyword::chain);
    }
    if (cursor.accept(Keyword::no)) {
        control.release = Switch::off;
        cursor.accept(Keyword::release);
    } else if (cursor.accept(Keyword::release)) {
        control.release = Switch::on;
    }
}

void skip_noise(TokenCursor& cursor) noexcept {
    if (!cursor.accept(Keyword::work)) {
        cursor.accept(Keyword::transaction);
    }
}

void read_begin(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    if (dialect == Dialect::mysql && cursor.is(Keyword::not_)) {
        return;  // BEGIN NOT ATOMIC opens a block of statements
    }
    control.verb = Verb::begin;
    skip_noise(cursor);
    read_transaction_modes(cursor, control);
}

void read_start(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    if (cursor.accept(Keyword::transaction)) {
        control.verb = Verb::begin;
        read_transaction_modes(cursor, control);
    } else if (dialect == Dialect::mysql) {
        control.verb = Verb::implicit_commit;  // START REPLICA and its like
    }
}

void read_commit(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    control.verb = Verb::commit;
    if (dialect == Dialect::postgres && cursor.accept(Keyword::prepared)) {
        control.verb = Verb::commit_prepared;
        read_name(cursor, control);
        return;
    }
    skip_noise(cursor);
    read_completion(cursor, control);
}

void read_rollback(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    control.verb = Verb::rollback;
    if (dialect == Dialect::postgres && cursor.accept(Keyword::prepared)) {
        control.verb = Verb::rollback_prepared;
        read_name(cursor, control);
        return;
    }
    skip_noise(cursor);
    if (cursor.accept(Keyword::to)) {
        control.verb = Verb::rollback_to_savepoint;
        cursor.accept(Keyword::savepoint);
        read_name(cursor, control);
        return;
    }
    read_completion(cursor, control);
}

void read_prepare(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    if (dialect == Dialect::postgres && cursor.accept(Keyword::transaction)) {
        control.verb = Verb::prepare;
        read_name(cursor, control);
    }
}

Verb xa_verb(Keyword keyword) noexcept {
    switch (keyword) {
        case Keyword::start:
        case Keyword::begin: return Verb::xa_begin;
        case Keyword::end: return Verb::xa_end;
        case Keyword::prepare: return Verb::xa_prepare;
        case Keyword::commit: return Verb::xa_commit;
        case Keyword::rollback: return Verb::xa_rollback;
        default: return Verb::none;  // XA RECOVER only asks
    }
}

void read_xa(TokenCursor& cursor, TransactionControl& control) noexcept {
    control.verb = xa_verb(cursor.token().keyword);
    if (control.verb == Verb::none) {
        return;
    }
    cursor.advance();
    // The identifier has up to three parts: 'gtrid', 'bqual', format. All of it is the name.
    const std::string_view first = cursor.text();
    std::string_view last;
    while (cursor.is(TokenKind::string) || cursor.is(TokenKind::integer) ||
           cursor.is(TokenKind::comma)) {
        last = cursor.text();
        cursor.advance();
    }
    if (!last.empty()) {
        const auto length = static_cast<std::size_t>(last.data() + last.size() - first.data());
        control.name = {first.data(), length};
    }
    if (cursor.accept(Keyword::one)) {
        cursor.accept(Keyword::phase);
    }
    for (const Keyword noise :
         {Keyword::join, Keyword::resume, Keyword::suspend, Keyword::for_, Keyword::migrate}) {
        cursor.accept(noise);
    }
}

/// CREATE and DROP of a temporary table leave the transaction alone.
bool is_temporary(TokenCursor& cursor) noexcept {
    if (cursor.accept(Keyword::or_)) {
        cursor.accept(Keyword::replace);
    }
    return cursor.is(Keyword::temporary);
}

bool commits_implicitly(Keyword first, TokenCursor& cursor) noexcept {
    switch (first) {
        case Keyword::create:
        case Keyword::drop: return !is_temporary(cursor);
        case Keyword::analyze:  // in MariaDB also in front of any statement, to explain it
            return cursor.is(Keyword::table) || cursor.is(Keyword::tables) ||
                   cursor.is(Keyword::local);
        case Keyword::load: return cursor.is(Keyword::index);
        case Keyword::unlock: return cursor.is(Keyword::tables) || cursor.is(Keyword::table);
        case Keyword::alter:
        case Keyword::change:
        case Keyword::check:
        case Keyword::flush:
        case Keyword::grant:
        case Keyword::install:
        case Keyword::lock:
        case Keyword::optimize:
        case Keyword::rename:
        case Keyword::repair:
        case Keyword::reset:
        case Keyword::revoke:
        case Keyword::stop:
        case Keyword::truncate:
        case Keyword::uninstall: return true;
        default: return false;
    }
}

/// The verbs that one dialect has and the other one does not.
void read_own_verb(Keyword first, TokenCursor& cursor, Dialect dialect,
                   TransactionControl& control) noexcept {
    if (dialect == Dialect::mysql) {
        if (first == Keyword::xa) {
            read_xa(cursor, control);
        } else if (commits_implicitly(first, cursor)) {
            control.verb = Verb::implicit_commit;
            // It commits only if tables were locked, which the text does not tell.
            control.complete = first != Keyword::unlock;
        }
        return;
    }
    switch (first) {
        case Keyword::end: read_commit(cursor, dialect, control); break;
        case Keyword::abort: read_rollback(cursor, dialect, control); break;
        case Keyword::reset: read_reset(cursor, control); break;
        case Keyword::discard:
            control.verb = cursor.accept(Keyword::all) ? Verb::discard_all : Verb::none;
            break;
        default: break;
    }
}

}  // namespace

TransactionControl read_transaction_control(std::string_view statement,
                                            const LexerState& state) noexcept {
    TransactionControl control;
    TokenCursor cursor(statement, state);
    const Keyword first = cursor.token().keyword;
    cursor.advance();
    const Dialect dialect = state.dialect;
    switch (first) {
        case Keyword::begin: read_begin(cursor, dialect, control); break;
        case Keyword::start: read_start(cursor, dialect, control); break;
        case Keyword::commit: read_commit(cursor, dialect, control); break;
        case Keyword::rollback: read_rollback(cursor, dialect, control); break;
        case Keyword::prepare: read_prepare(cursor, dialect, control); break;
        case Keyword::set: read_set(cursor, dialect, control); break;
        case Keyword::savepoint:
            control.verb = Verb::savepoint;
            read_name(cursor, control);
            break;
        case Keyword::release:
            control.verb = Verb::release_savepoint;
            cursor.accept(Keyword::savepoint);
            read_name(cursor, control);
            break;
        default: read_own_verb(first, cursor, dialect, control); break;
    }
    if (control.verb == Verb::none) {
        return {};
    }
    const bool read_to_end =
        cursor.at_end() || control.verb == Verb::implicit_commit || control.verb == Verb::set;
    control.complete = control.complete && read_to_end && cursor.sure();
    return control;
}

std::string savepoint_name(std::string_view spelled, Dialect dialect) {
    std::string name = name_of(spelled, dialect);
    if (dialect == Dialect::mysql) {
        name = small_letters(std::move(name));
    }
    return name;
}

}  // namespace isotap::sql
