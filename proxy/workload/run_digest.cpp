#include "proxy/workload/run_digest.hpp"

#include <algorithm>

namespace isotap::proxy {

using history::Version;

/// Takes the events one by one.
struct RunDigest::Reader {
    RunDigest& digest;
    std::string prefix;
    std::size_t at = 0;

    void operator()(const history::NameDefined& event) const {
        if (!event.text.starts_with(prefix)) return;
        const std::string name(event.text.substr(prefix.size()));
        digest.table_names_[event.id] = name;
        digest.full_names_[event.id] = event.text;
        digest.table_ids_[name] = event.id;
    }
    void operator()(const history::TransactionBegan& event) const {
        digest.fates_[event.transaction].session = event.session;
    }
    void operator()(const history::TransactionLevel& event) const {
        digest.fates_[event.transaction].level = event.level;
    }
    void operator()(const history::StatementBegan& event) const {
        // The half of a text has no condition.
        digest.sent_[event.statement] = {event.text_cut ? "" : event.text, event.at};
        if (changes_conditions(event.text, digest.dialect_)) {
            digest.own_settings_.insert(session_of(event.statement));
        }
    }
    void operator()(const history::StatementEnded& event) const {
        const auto sent = digest.sent_.find(event.statement);
        if (event.outcome != history::StatementOutcome::completed ||
            event.coverage != history::Coverage::full || sent == digest.sent_.end() ||
            digest.own_settings_.contains(session_of(event.statement))) {
            return;
        }
        if (auto condition = condition_of(sent->second.text, digest.dialect_)) {
            digest.reads_.push_back({event.statement, std::move(*condition), at});
        }
    }
    void operator()(const history::Access& event) const {
        const auto table = digest.table_names_.find(event.table);
        if (table == digest.table_names_.end()) return;
        const RowName row(event.table, event.row);
        digest.touched_.emplace(event.statement, row);
        if (event.after == Version{}) return;
        const auto [place, fresh] = digest.changes_.try_emplace({event.statement.transaction, row});
        RowChange& change = place->second;
        if (fresh) {
            change.table = table->second;
            change.row = event.row;
            change.before = event.before;
        }
        change.last = event.statement;
        change.after = event.after;
        change.known_from = at;
    }
    void operator()(const history::Alias& event) const {
        digest.numbers_[event.transaction].push_back(
            static_cast<std::uint32_t>(event.server_transaction));
    }
    void operator()(const history::TransactionEnded& event) const {
        digest.fates_[event.transaction].end = event;
    }
    template <typename Other>
    void operator()(const Other& /*event*/) const {}

    [[nodiscard]] history::SessionId session_of(history::StatementRef statement) const {
        return digest.fates_[statement.transaction].session;
    }
};

RunDigest::RunDigest(const KeptEvents& events, std::string_view schema, history::Dialect dialect)
    : dialect_(dialect) {
    Reader reader{*this, std::string(schema) + "."};
    for (; reader.at < events.all().size(); ++reader.at) {
        std::visit(reader, events.all()[reader.at]);
    }
}

bool RunDigest::committed(history::TransactionId transaction) const {
    const auto found = fates_.find(transaction);
    return found != fates_.end() && found->second.end &&
           found->second.end->outcome == history::Outcome::committed;
}

std::vector<RowChange> RunDigest::changes() const {
    std::vector<RowChange> all;
    for (const auto& [key, change] : changes_) {
        if (committed(key.first)) all.push_back(change);
    }
    return all;
}

bool RunDigest::changed_in_vain(const std::string& table, history::RowKey row) const {
    return std::any_of(changes_.begin(), changes_.end(), [&](const auto& one) {
        return one.second.table == table && one.second.row == row && !committed(one.first.first);
    });
}

bool RunDigest::touched(history::StatementRef statement, const std::string& table,
                        history::RowKey row) const {
    const auto id = table_ids_.find(table);
    return id != table_ids_.end() && touched_.contains({statement, {id->second, row}});
}

std::vector<std::uint32_t> RunDigest::numbers(history::TransactionId transaction) const {
    if (dialect_ == history::Dialect::mysql) return {static_cast<std::uint32_t>(transaction)};
    const auto found = numbers_.find(transaction);
    return found == numbers_.end() ? std::vector<std::uint32_t>() : found->second;
}

std::optional<history::NameId> RunDigest::table(const std::string& name) const {
    const auto found = table_ids_.find(name);
    return found == table_ids_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace isotap::proxy
