#include "analysis/history/recording/register_history.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isotap/history/kept_version.hpp"

namespace isotap::history::recording {

namespace {

class Registers final : public EventSink {
  public:
    void accept(const Event& event) noexcept override {
        std::visit([this](const auto& one) { take(one); }, event);
    }

    /// Transactions in the order in which they ended; those that did not, last.
    History finish() {
        history_.has_real_time = true;
        for (auto& [id, open] : open_) {
            end(open, Outcome::indeterminate, open.began);
        }
        return std::move(history_);
    }

  private:
    struct Open {
        std::uint32_t session = 0;
        Time began{};
        std::uint64_t label = 0;
        std::vector<Operation> operations;
        std::vector<std::pair<std::string, std::size_t>> savepoints;  ///< and operations by then
    };
    struct Write {
        std::uint64_t transaction = 0;
        std::uint32_t statement = 0;
        std::uint32_t key = 0;
        friend auto operator<=>(const Write&, const Write&) = default;
    };

    static std::uint32_t number(KeyId key) noexcept { return static_cast<std::uint32_t>(key); }

    template <typename One>
    void take(const One&) {}

    void take(const TransactionBegan& event) {
        const auto session =
            sessions_.try_emplace(event.session, static_cast<std::uint32_t>(sessions_.size()));
        open_[event.transaction] = {session.first->second, event.at, ++last_label_, {}, {}};
        history_.sessions = static_cast<std::uint32_t>(sessions_.size());
    }

    void take(const TransactionEnded& event) {
        const auto found = open_.find(event.transaction);
        if (found != open_.end()) {
            end(found->second, event.outcome, event.at);
            open_.erase(found);
        }
    }

    void take(const Alias& event) { aliases_[event.server_transaction] = event.transaction; }

    void take(const Access& event) {
        const auto found = open_.find(event.statement.transaction);
        if (found == open_.end()) {
            return;
        }
        const bool reads =
            is_read(event.kind) || keeps_version(event.kind, event.before, event.after);
        const KeyId key = key_of(event.table, event.row);
        const Version& version = reads ? event.before : event.after;
        const bool dead = version.kind == VersionKind::dead;
        if (version.kind == VersionKind::unknown) {
            return;
        }
        // A delete makes a version too; nobody else names it.
        const Value value = value_of(dead ? Version::written_by(event.statement) : version, key);
        add(found->second.operations,
            {value, key, reads ? OperationKind::read : OperationKind::write});
    }

    /// A statement that writes a row twice names one version: it is written once.
    static void add(std::vector<Operation>& operations, const Operation& operation) {
        const bool repeated =
            operation.kind == OperationKind::write &&
            std::any_of(operations.begin(), operations.end(), [&](const Operation& earlier) {
                return earlier.kind == OperationKind::write && earlier.key == operation.key &&
                       earlier.value == operation.value;
            });
        if (!repeated) {
            operations.push_back(operation);
        }
    }

    /// What was written since the savepoint is undone; what was read since was read.
    void take(const Savepoint& event) {
        const auto found = open_.find(event.statement.transaction);
        if (found == open_.end()) {
            return;
        }
        Open& open = found->second;
        if (event.action == SavepointAction::set) {
            open.savepoints.emplace_back(event.name, open.operations.size());
            return;
        }
        const auto at =
            std::find_if(open.savepoints.rbegin(), open.savepoints.rend(),
                         [&event](const auto& savepoint) { return savepoint.first == event.name; });
        if (event.action == SavepointAction::roll_back && at != open.savepoints.rend()) {
            const auto since = open.operations.begin() + static_cast<std::ptrdiff_t>(at->second);
            open.operations.erase(std::remove_if(since, open.operations.end(),
                                                 [](const Operation& operation) {
                                                     return operation.kind == OperationKind::write;
                                                 }),
                                  open.operations.end());
        }
    }

    KeyId key_of(NameId table, const RowKey& row) {
        const auto next = static_cast<Value>(keys_.size());
        const auto known = keys_.try_emplace({table, row}, next);
        return history_.atoms.key(known.first->second);
    }

    Value value_of(const Version& version, KeyId key) {
        switch (version.kind) {
            case VersionKind::written:
                return value_of(Write{version.writer, version.statement, number(key)});
            case VersionKind::foreign: {
                const auto alias = aliases_.find(version.writer);
                if (alias == aliases_.end()) {
                    return initial_value;  // of before we looked
                }
                return value_of(last_write(static_cast<std::uint64_t>(alias->second), number(key)));
            }
            default: return initial_value;
        }
    }

    Value value_of(const Write& write) {
        const auto next = static_cast<Value>(values_.size()) + 1;
        return values_.try_emplace(write, next).first->second;
    }

    /// The server's number of a transaction does not say which statement: the last one so far.
    [[nodiscard]] Write last_write(std::uint64_t transaction, std::uint32_t key) const {
        Write last{transaction, 0, key};
        for (auto at = values_.lower_bound({transaction, 0, 0});
             at != values_.end() && at->first.transaction == transaction; ++at) {
            if (at->first.key == last.key) {
                last.statement = at->first.statement;
            }
        }
        return last;
    }

    void end(Open& open, Outcome outcome, Time at) {
        Transaction transaction;
        transaction.label = open.label;
        transaction.session = open.session;
        transaction.outcome = outcome;
        transaction.began = open.began.time_since_epoch().count();
        transaction.ended = at.time_since_epoch().count();
        transaction.first_operation = history_.operations.size();
        transaction.operations = static_cast<std::uint32_t>(open.operations.size());
        history_.operations.insert(history_.operations.end(), open.operations.begin(),
                                   open.operations.end());
        history_.transactions.push_back(transaction);
    }

    History history_;
    std::map<SessionId, std::uint32_t> sessions_;
    std::map<TransactionId, Open> open_;
    std::map<std::pair<NameId, RowKey>, Value> keys_;
    std::map<Write, Value> values_;
    std::unordered_map<std::uint64_t, TransactionId> aliases_;
    std::uint64_t last_label_ = 0;
};

}  // namespace

ReadResult<ReadHistory> as_registers(Recording& recording) {
    Registers registers;
    if (auto error = recording.replay(registers)) {
        return *error;
    }
    History history = registers.finish();
    auto writers = WriterIndex::build(history);
    if (!writers) {
        return writers.error();
    }
    return ReadHistory{std::move(history), std::move(*writers), Format::elle_register};
}

}  // namespace isotap::history::recording
