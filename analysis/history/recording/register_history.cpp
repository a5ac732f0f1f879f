#include "analysis/history/recording/register_history.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
            const Time began = open.began;
            end(std::move(open), Outcome::indeterminate, began);
        }
        for (const Ended& one : ended_) {
            note_versions_of_before(one.work);
        }
        for (const Ended& one : ended_) {
            tell(one);
        }
        return std::move(history_);
    }

  private:
    struct Touched {
        OperationKind kind = OperationKind::read;
        KeyId key{};
        Version version;

        friend bool operator==(const Touched&, const Touched&) = default;
    };
    struct Open {
        std::uint32_t session = 0;
        Time began{};
        std::uint64_t label = 0;
        std::vector<Touched> touched;
        std::vector<std::pair<std::string, std::size_t>> savepoints;  ///< and what was touched then
    };
    struct Ended {
        Open work;
        Outcome outcome{};
        Time at{};
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
        begun_.insert(event.transaction);
        history_.sessions = static_cast<std::uint32_t>(sessions_.size());
    }

    void take(const TransactionEnded& event) {
        const auto found = open_.find(event.transaction);
        if (found != open_.end()) {
            end(std::move(found->second), event.outcome, event.at);
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
        if (reads) {
            const bool certain = event.before.kind != VersionKind::unknown &&
                                 event.kind != AccessKind::doubtful_read;
            if (certain) {
                found->second.touched.push_back(
                    {OperationKind::read, key, own_version(found->second, event, key)});
            }
            return;
        }
        // A statement that writes a row twice names one version: it is written once. A delete makes
        // one too, which nobody else names.
        const Touched write{OperationKind::write, key, Version::written_by(event.statement)};
        auto& touched = found->second.touched;
        if (std::find(touched.begin(), touched.end(), write) == touched.end()) {
            touched.push_back(write);
            const auto next = static_cast<Value>(values_.size()) + 1;
            values_.try_emplace(write_of(write.version, key), next);
        }
    }

    /// What a transaction sees of itself is what it has written last so far.
    [[nodiscard]] Version own_version(const Open& open, const Access& event, KeyId key) const {
        const auto alias = aliases_.find(event.before.writer);
        const bool own = event.before.kind == VersionKind::foreign && alias != aliases_.end() &&
                         alias->second == event.statement.transaction;
        const auto last = std::find_if(
            open.touched.rbegin(), open.touched.rend(),
            [&](const Touched& one) { return one.kind == OperationKind::write && one.key == key; });
        return own && last != open.touched.rend() ? last->version : event.before;
    }

    /// What was written since the savepoint is undone; what was read since was read.
    void take(const Savepoint& event) {
        const auto found = open_.find(event.statement.transaction);
        if (found == open_.end()) {
            return;
        }
        Open& open = found->second;
        if (event.action == SavepointAction::set) {
            open.savepoints.emplace_back(event.name, open.touched.size());
            return;
        }
        const auto at =
            std::find_if(open.savepoints.rbegin(), open.savepoints.rend(),
                         [&event](const auto& savepoint) { return savepoint.first == event.name; });
        if (event.action == SavepointAction::roll_back && at != open.savepoints.rend()) {
            const auto since = open.touched.begin() + static_cast<std::ptrdiff_t>(at->second);
            open.touched.erase(
                std::remove_if(since, open.touched.end(),
                               [](const Touched& one) { return one.kind == OperationKind::write; }),
                open.touched.end());
        }
    }

    KeyId key_of(NameId table, const RowKey& row) {
        const auto next = static_cast<Value>(keys_.size());
        const auto known = keys_.try_emplace({table, row}, next);
        return history_.atoms.key(known.first->second);
    }

    static Write write_of(const Version& version, KeyId key) noexcept {
        return {version.writer, version.statement, number(key)};
    }

    /// The value of a version that somebody in the recording has written, perhaps to take it back.
    [[nodiscard]] std::optional<Value> written_value(const Version& version, KeyId key) const {
        Write write = write_of(version, key);
        if (version.kind == VersionKind::foreign) {
            // The server's number of a transaction does not say which statement: others see the
            // last one.
            const auto alias = aliases_.find(version.writer);
            const auto last =
                alias == aliases_.end() ? last_.end() : last_.find({alias->second, number(key)});
            if (last == last_.end()) {
                return std::nullopt;
            }
            write = write_of(last->second, key);
        }
        const auto found = values_.find(write);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }

    /// The version of somebody who came before the recording, or T0.
    [[nodiscard]] bool was_before(const Version& version) const {
        if (version.kind == VersionKind::written) {
            return !begun_.contains(TransactionId{version.writer});
        }
        return version.kind != VersionKind::foreign || !aliases_.contains(version.writer);
    }

    /// Of a row that shows several versions of before, it is not known which was there last: writes
    /// between them went by.
    void note_versions_of_before(const Open& work) {
        for (const Touched& one : work.touched) {
            if (one.kind == OperationKind::read && was_before(one.version)) {
                const auto [at, first] = before_.try_emplace(number(one.key), one.version);
                if (!first && at->second != one.version) at->second = Version{};
            }
        }
    }

    /// Nothing for a read of a version that no value stands for.
    [[nodiscard]] std::optional<Value> value_of(const Touched& one) const {
        if (!was_before(one.version)) {
            return written_value(one.version, one.key);
        }
        return before_.at(number(one.key)).kind == VersionKind::unknown
                   ? std::nullopt
                   : std::optional(initial_value);
    }

    void end(Open work, Outcome outcome, Time at) {
        for (const Touched& one : work.touched) {
            if (one.kind == OperationKind::write) {
                last_[{TransactionId{one.version.writer}, number(one.key)}] = one.version;
            }
        }
        ended_.push_back({std::move(work), outcome, at});
    }

    void tell(const Ended& one) {
        Transaction transaction;
        transaction.label = one.work.label;
        transaction.session = one.work.session;
        transaction.outcome = one.outcome;
        transaction.began = one.work.began.time_since_epoch().count();
        transaction.ended = one.at.time_since_epoch().count();
        transaction.first_operation = history_.operations.size();
        for (const Touched& touched : one.work.touched) {
            if (const auto value = value_of(touched)) {
                history_.operations.push_back({*value, touched.key, touched.kind});
            }
        }
        transaction.operations =
            static_cast<std::uint32_t>(history_.operations.size() - transaction.first_operation);
        history_.transactions.push_back(transaction);
    }

    History history_;
    std::map<SessionId, std::uint32_t> sessions_;
    std::map<TransactionId, Open> open_;
    std::vector<Ended> ended_;
    std::map<std::pair<NameId, RowKey>, Value> keys_;
    std::map<Write, Value> values_;
    std::map<std::pair<TransactionId, std::uint32_t>, Version> last_;  ///< by writer and key
    /// By key, the version of before the recording; unknown: several claim to be it.
    std::unordered_map<std::uint32_t, Version> before_;
    std::set<TransactionId> begun_;
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
