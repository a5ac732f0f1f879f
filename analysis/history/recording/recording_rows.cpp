#include "analysis/history/recording/recording_body.hpp"

/// What becomes of each event: a row of its own, or a part of what its transaction did.
namespace isotap::history::recording {

void RecordingWriter::Body::take(const NameDefined& event) {
    open_.names.push_back({event.id, std::string(event.text)});
    insert(name_, stored(event.id), event.text);
}

void RecordingWriter::Body::take(const SessionBegan& event) {
    insert(session_began_, next_row(), stored(event.session), nanoseconds(event.at),
           stored(event.dialect), event.user, event.database, event.application);
    open_.sessions[event.session] = {open_.seq,
                                     event.at,
                                     event.dialect,
                                     std::string(event.user),
                                     std::string(event.database),
                                     std::string(event.application)};
}

void RecordingWriter::Body::take(const SessionEnded& event) {
    insert(session_ended_, next_row(), stored(event.session), nanoseconds(event.at));
    open_.sessions.erase(event.session);
}

void RecordingWriter::Body::take(const TransactionBegan& event) {
    insert(transaction_began_, next_row(), stored(event.transaction), stored(event.session),
           nanoseconds(event.at), std::int64_t{event.implicit});
    open_.transactions[static_cast<std::uint64_t>(event.transaction)] = {
        open_.seq, event.session, event.at, event.implicit, {}};
}

void RecordingWriter::Body::take(const TransactionLevel& event) {
    run_of(event.transaction).add(event);
    const auto open = open_.transactions.find(static_cast<std::uint64_t>(event.transaction));
    if (open != open_.transactions.end()) {
        open->second.level = event;
    }
}

void RecordingWriter::Body::take(const TransactionEnded& event) {
    const auto open = open_.transactions.find(static_cast<std::uint64_t>(event.transaction));
    IsolationLevel level = IsolationLevel::unknown;
    if (open != open_.transactions.end()) {
        level = open->second.level.level;
        open_.transactions.erase(open);
    }
    insert(transaction_ended_, next_row(), stored(event.transaction), nanoseconds(event.requested),
           nanoseconds(event.at), stored(event.outcome), std::int64_t{event.incomplete},
           stored(level));
}

void RecordingWriter::Body::take(const StatementBegan& event) {
    const TextId id = redacted(event.text);
    run_of(event.statement.transaction).add(event, id);
}

void RecordingWriter::Body::take(const StatementEnded& event) {
    const bool has_state = event.sql_state != no_sql_state;
    const TextId state =
        has_state ? text({event.sql_state.data(), event.sql_state.size()}) : TextId{0};
    const TextId tag = text(event.tag);
    run_of(event.statement.transaction).add(event, state, tag);
}

void RecordingWriter::Body::take(const Savepoint& event) {
    const TextId name = text(event.name);
    run_of(event.statement.transaction).add(event, name);
}

void RecordingWriter::Body::take(const Access& event) {
    run_of(event.statement.transaction).add(event);
}

void RecordingWriter::Body::take(const WriterList& event) {
    run_of(event.statement.transaction).add(event);
}

void RecordingWriter::Body::take(const RowImage& event) {
    if (redactor_ == nullptr) {
        const TextId before = text(event.before);
        const TextId after = text(event.after);
        run_of(event.statement.transaction).add(event, before, after);
    }
}

void RecordingWriter::Body::take(const PredicateRead& event) {
    const TextId condition = redacted(event.condition);
    run_of(event.statement.transaction).add(event, condition);
}

void RecordingWriter::Body::take(const PredicateMatch& event) {
    run_of(event.writer.transaction).add(event);
}

void RecordingWriter::Body::take(const TableEmptied& event) {
    run_of(event.statement.transaction).add(event);
}

void RecordingWriter::Body::take(const HeldRead& event) {
    run_of(event.statement.transaction).add(event);
}

void RecordingWriter::Body::take(const Alias& event) {
    run_of(event.transaction).add(event);
}

void RecordingWriter::Body::take(const RowLabelled& event) {
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

void RecordingWriter::Body::take(const Gap& event) {
    insert(gap_, next_row(), stored(event.session), stored(event.transaction),
           nanoseconds(event.at), stored(event.count), stored(event.reason));
}

}  // namespace isotap::history::recording
