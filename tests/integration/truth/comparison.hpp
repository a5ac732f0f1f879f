#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/integration/truth/recorded_history.hpp"
#include "tests/integration/truth/said.hpp"

namespace isotap::test {

/// A changed row as the server's log has it, and as tests speak of it.
struct TrueWrite {
    std::string table;  ///< as it is recorded
    std::string key;    ///< its parts with a NUL between them
    history::RowKey row;
    history::AccessKind kind = history::AccessKind::insert;
    std::int64_t over = -1;  ///< the stamp that was overwritten
    std::int64_t made = -1;  ///< the new one; of a removed row that of the one in its place, if any
};

/// A key for people.
std::string in_words(std::string key);

/// Holds a recording against what the server and the clients know, and counts what it has compared.
/// Differences fail the test. What an engine names rows and versions by, is asked of it. Both
/// arguments outlive it.
class Comparison {
  public:
    Comparison(const RecordedHistory& recorded, const std::vector<WorkerLog>& said)
        : recorded_(recorded), said_(said) {}
    virtual ~Comparison() = default;
    Comparison(const Comparison&) = delete;
    Comparison& operator=(const Comparison&) = delete;

    /// Of one committed transaction: all that was written is recorded, in that order, and nothing
    /// else.
    void writes_of(history::TransactionId id, const std::vector<TrueWrite>& truth);

    /// Nothing was recorded of transactions that have not come by.
    void nothing_invented() const;

    /// Of all statements that show what they read.
    void reads();

    std::size_t written = 0;
    std::size_t read = 0;
    std::size_t not_told = 0;  ///< overwritten versions that no statement of this engine can tell
    std::size_t reads_untold = 0;  ///< rows of statements that say that they are not captured

  protected:
    /// What an access saw or overwrote is the version that carries this stamp.
    virtual void expect_version(const RecordedAccess& access, std::int64_t stamp,
                                const std::string& where) = 0;
    /// What the row is called that a client saw; nothing: it was never committed.
    [[nodiscard]] virtual std::optional<history::RowKey> row_of(const SeenRow& row) const = 0;
    /// A transaction that may have committed is not said to have, with good reason.
    [[nodiscard]] virtual bool is_in_doubt(const RecordedTransaction& /*transaction*/) const {
        return false;
    }

    /// What such a statement reads is told now and then only.
    [[nodiscard]] virtual bool may_be_untold(const RecordedStatement& /*statement*/) const {
        return false;
    }

    [[nodiscard]] const RecordedHistory& recorded() const noexcept { return recorded_; }
    [[nodiscard]] history::StatementRef statement_of(std::int64_t stamp) const;

  private:
    void compare(const TrueWrite& truth, const RecordedTransaction::Write& write);
    void reads_of(const RecordedStatement& statement, const SaidStatement& said);

    const RecordedHistory& recorded_;
    const std::vector<WorkerLog>& said_;
    std::map<history::TransactionId, bool> known_;
};

/// How often each error came, of all workers.
std::map<std::string, std::size_t> errors_of(const std::vector<WorkerLog>& said);

/// What analysis makes of a recording breaks no promise of the engine. Prints what it has seen.
void expect_no_false_alarm(const std::string& file, const std::string& engine);

/// Enough was compared, and what may happen has happened. Prints the counts.
void expect_much(const Comparison& comparison, const std::vector<WorkerLog>& said,
                 const std::vector<std::string>& provoked);

}  // namespace isotap::test
