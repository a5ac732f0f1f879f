#include "tests/integration/truth/recorded_history.hpp"

#include <algorithm>
#include <variant>

#include "isotap/history/kept_version.hpp"

namespace isotap::test {

using history::AccessKind;
using history::StatementOutcome;
using history::StatementRef;
using history::TransactionId;
using history::Version;
using history::VersionKind;

std::vector<RecordedTransaction::Write> RecordedTransaction::lasting_writes() const {
    std::vector<Write> writes;
    for (const RecordedStatement& statement : statements) {
        if (statement.undone || statement.outcome != StatementOutcome::completed) {
            continue;
        }
        for (const RecordedAccess& access : statement.accesses) {
            if (!history::is_read(access.kind) &&
                !history::keeps_version(access.kind, access.before, access.after)) {
                writes.push_back({&statement, &access});
            }
        }
    }
    return writes;
}

void RecordedHistory::accept(const history::Event& event) noexcept {
    std::visit([this](const auto& one) { note(one); }, event);
}

void RecordedHistory::note(const history::NameDefined& event) {
    names_[event.id] = event.text;
}

void RecordedHistory::note(const history::SessionBegan& event) {
    session_names_[event.session] = event.application.empty() ? event.user : event.application;
}

void RecordedHistory::note(const history::TransactionBegan& event) {
    session_of_[event.transaction] = session_names_[event.session];
}

void RecordedHistory::note(const history::TransactionLevel& event) {
    transactions[event.transaction].level = event.level;
}

void RecordedHistory::note(const history::TransactionEnded& event) {
    RecordedTransaction& transaction = transactions[event.transaction];
    transaction.committed = event.outcome == history::Outcome::committed;
    transaction.indeterminate = event.outcome == history::Outcome::indeterminate;
    transaction.incomplete = event.incomplete;
}

void RecordedHistory::note(const history::StatementBegan& event) {
    RecordedStatement& statement =
        transactions[event.statement.transaction].statements.emplace_back();
    statement.id = event.statement;
    statement.text = event.text;
    sessions[session_of_[event.statement.transaction]].push_back(event.statement);
}

void RecordedHistory::note(const history::StatementEnded& event) {
    RecordedStatement& statement = at(event.statement);
    statement.outcome = event.outcome;
    statement.error = event.error_number;
    statement.coverage = event.coverage;
    statement.reason = names_[event.reason];
}

void RecordedHistory::note(const history::Savepoint& event) {
    std::vector<Saved>& saved = savepoints_[event.statement.transaction];
    if (event.action == history::SavepointAction::set) {
        saved.push_back({std::string(event.name), event.statement.ordinal});
        return;
    }
    while (!saved.empty() && saved.back().name != event.name) {
        saved.pop_back();
    }
    if (event.action == history::SavepointAction::release) {
        saved.pop_back();
        return;
    }
    for (RecordedStatement& statement : transactions[event.statement.transaction].statements) {
        statement.undone = statement.undone || statement.id.ordinal > saved.back().ordinal;
    }
}

void RecordedHistory::note(const history::Access& event) {
    at(event.statement)
        .accesses.push_back(
            {names_[event.table], event.row, event.kind, event.before, event.after});
}

void RecordedHistory::note(const history::Alias& event) {
    by_server_[event.server_transaction] = event.transaction;
}

void RecordedHistory::note(const history::TableEmptied& event) {
    at(event.statement).emptied.push_back(names_[event.table]);
}

void RecordedHistory::note(const history::Gap&) {
    ++gaps;
}

RecordedStatement& RecordedHistory::at(const StatementRef& id) {
    std::vector<RecordedStatement>& all = transactions[id.transaction].statements;
    const auto found = std::find_if(all.rbegin(), all.rend(),
                                    [&](const RecordedStatement& one) { return one.id == id; });
    return found == all.rend() ? all.emplace_back() : *found;
}

const RecordedStatement& RecordedHistory::statement(const StatementRef& id) const {
    const std::vector<RecordedStatement>& all = transactions.at(id.transaction).statements;
    return *std::find_if(all.begin(), all.end(),
                         [&](const RecordedStatement& one) { return one.id == id; });
}

std::optional<TransactionId> RecordedHistory::by_server(std::uint64_t number) const {
    const auto found = by_server_.find(number);
    return found == by_server_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TransactionId> RecordedHistory::writer_of(const Version& version) const {
    if (version.kind == VersionKind::written) {
        return TransactionId{version.writer};
    }
    return version.kind == VersionKind::foreign ? by_server(version.writer) : std::nullopt;
}

}  // namespace isotap::test
