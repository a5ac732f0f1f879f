#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::test {

/// One access, with the name of its table.
struct RecordedAccess {
    std::string table;
    history::RowKey row;
    history::AccessKind kind = history::AccessKind::read;
    history::Version before;
    history::Version after;
};

struct RecordedStatement {
    history::StatementRef id;
    history::StatementOutcome outcome = history::StatementOutcome::cut;
    history::Coverage coverage = history::Coverage::none;
    std::string reason;
    std::string text;
    std::uint32_t error = 0;  ///< MySQL family
    bool undone = false;      ///< by ROLLBACK TO
    std::vector<RecordedAccess> accesses;
    std::vector<std::string> emptied;  ///< tables
};

struct RecordedTransaction {
    bool committed = false;
    bool indeterminate = false;
    bool incomplete = false;
    history::IsolationLevel level = history::IsolationLevel::unknown;
    std::vector<RecordedStatement> statements;

    /// What it wrote and did not take back, in order: each with its statement. Updates that
    /// wrote what was there already are none.
    struct Write {
        const RecordedStatement* statement;
        const RecordedAccess* access;
    };
    [[nodiscard]] std::vector<Write> lasting_writes() const;
};

/// A recording as a whole: what each session and each transaction did.
class RecordedHistory final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override;

    std::map<history::TransactionId, RecordedTransaction> transactions;
    /// The statements of a session, by the name that its client gave itself (else: of
    /// its user), in order.
    std::map<std::string, std::vector<history::StatementRef>> sessions;
    std::uint64_t gaps = 0;

    /// The transaction that the server gives that number to; nothing: none of ours.
    [[nodiscard]] std::optional<history::TransactionId> by_server(std::uint64_t number) const;
    /// Who made a version; nothing: none of ours.
    [[nodiscard]] std::optional<history::TransactionId> writer_of(
        const history::Version& version) const;
    [[nodiscard]] const RecordedStatement& statement(const history::StatementRef& id) const;

  private:
    void note(const history::NameDefined& event);
    void note(const history::SessionBegan& event);
    void note(const history::TransactionBegan& event);
    void note(const history::TransactionLevel& event);
    void note(const history::TransactionEnded& event);
    void note(const history::StatementBegan& event);
    void note(const history::StatementEnded& event);
    void note(const history::Savepoint& event);
    void note(const history::Access& event);
    void note(const history::Alias& event);
    void note(const history::Gap& event);
    void note(const history::TableEmptied& event);
    template <typename Other>
    void note(const Other&) {}

    RecordedStatement& at(const history::StatementRef& id);

    std::map<history::NameId, std::string> names_;
    std::map<history::SessionId, std::string> session_names_;
    std::map<history::TransactionId, std::string> session_of_;
    std::map<std::uint64_t, history::TransactionId> by_server_;
    struct Saved {
        std::string name;
        std::uint32_t ordinal;
    };
    std::map<history::TransactionId, std::vector<Saved>> savepoints_;
};

}  // namespace isotap::test
