#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "isotap/analysis/engine.hpp"
#include "isotap/history/events.hpp"

namespace isotap::analysis::testing {

/// A history, said in one line per step, that goes to an engine as it is said. Statements are
/// numbered by themselves; time passes by one millisecond a step.
class HistoryScript {
  public:
    using Id = std::uint64_t;
    using Row = std::uint64_t;

    explicit HistoryScript(EngineOptions options = {}) : engine_(std::move(options)) {}

    Engine& engine() noexcept { return engine_; }

    void begin(Id transaction,
               history::IsolationLevel level = history::IsolationLevel::serializable,
               std::uint64_t session = 0) {
        const history::SessionId of{session == 0 ? transaction : session};
        tell(history::TransactionBegan{of, history::TransactionId{transaction}, tick(), false});
        tell(history::TransactionLevel{history::TransactionId{transaction}, level,
                                       history::LevelSource::transaction, false});
    }
    void commit(Id transaction) { end(transaction, history::Outcome::committed); }
    void abort(Id transaction) { end(transaction, history::Outcome::aborted); }
    void vanish(Id transaction) { end(transaction, history::Outcome::indeterminate); }

    void read(Id transaction, Row row, history::Version seen,
              history::AccessKind kind = history::AccessKind::read) {
        access(transaction, row, kind, seen, {});
    }
    void lock(Id transaction, Row row, history::Version seen) {
        read(transaction, row, seen, history::AccessKind::locking_read);
    }
    void doubt(Id transaction, Row row, history::Version seen) {
        read(transaction, row, seen, history::AccessKind::doubtful_read);
    }
    /// Returns the version that it makes.
    history::Version write(Id transaction, Row row, history::Version before) {
        return access(transaction, row, history::AccessKind::update, before, {});
    }
    /// One statement that reads a row as it is now, and writes another by that.
    history::Version write_by(Id transaction, Row read, history::Version seen, Row written,
                              history::Version before) {
        lock(transaction, read, seen);
        --statements_[transaction];
        return write(transaction, written, before);
    }
    /// Writes what is there, and makes none.
    void write_the_same(Id transaction, Row row, history::Version before) {
        access(transaction, row, history::AccessKind::update, before, before);
    }
    history::Version insert(Id transaction, Row row) {
        return access(transaction, row, history::AccessKind::insert, history::Version::unborn(),
                      {});
    }
    void remove(Id transaction, Row row, history::Version before) {
        access(transaction, row, history::AccessKind::remove, before, history::Version::dead());
    }
    void list(Id transaction, Row row, std::vector<history::Version> writers,
              std::uint64_t trimmed = 0) {
        const history::StatementRef statement{history::TransactionId{transaction},
                                              ++statements_[transaction]};
        tell(history::WriterList{statement, table, row_key(row), trimmed, writers});
        tell(history::Access{statement,
                             table,
                             row_key(row),
                             history::AccessKind::read,
                             writers.empty() ? history::Version::initial() : writers.back(),
                             {}});
    }
    void empty(Id transaction) {
        tell(history::TableEmptied{
            {history::TransactionId{transaction}, ++statements_[transaction]}, in});
    }
    void savepoint(Id transaction, history::SavepointAction action) {
        tell(history::Savepoint{
            {history::TransactionId{transaction}, ++statements_[transaction]}, action, "s"});
    }

    void tell(const history::Event& event) { engine_.accept(event); }
    Time tick() { return now_ += std::chrono::milliseconds{1}; }

    /// The end, and the names of what was found, in the order of discovery.
    std::vector<std::string> found() {
        engine_.finish();
        std::vector<std::string> names;
        for (const Anomaly& anomaly : engine_.anomalies()) {
            names.push_back(name_of(anomaly.kind));
        }
        return names;
    }

    static constexpr history::NameId table{1};
    history::NameId in = table;  ///< where accesses go
    static history::RowKey row_key(Row row) { return {0, row}; }

  private:
    history::Version access(Id transaction, Row row, history::AccessKind kind,
                            history::Version before, history::Version after) {
        const history::StatementRef statement{history::TransactionId{transaction},
                                              ++statements_[transaction]};
        const bool writes = !history::is_read(kind);
        const auto made = history::Version::written_by(statement);
        if (writes && after.kind == history::VersionKind::unknown) {
            after = made;
        }
        tell(history::Access{statement, in, row_key(row), kind, before, after});
        return made;
    }
    void end(Id transaction, history::Outcome outcome) {
        const Time at = tick();
        tell(
            history::TransactionEnded{history::TransactionId{transaction}, at, at, outcome, false});
    }

    Engine engine_;
    Time now_{};
    std::map<Id, std::uint32_t> statements_;
};

inline constexpr history::Version t0 = history::Version::initial();

}  // namespace isotap::analysis::testing
