#include "proxy/workload/run_digest.hpp"

#include <algorithm>

#include "protocol/sql/keyword.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/predicate.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::proxy {
namespace {

using history::StatementRef;
using history::Version;

bool calls_in(const sql::Structure& structure, const sql::TokenList& tokens,
              std::string_view condition) {
    return std::any_of(structure.calls.begin(), structure.calls.end(), [&](const sql::Call& call) {
        const char* at = tokens.text(call.name).data();
        return at >= condition.data() && at < condition.data() + condition.size();
    });
}

/// LIMIT, HAVING, SKIP LOCKED: a row that meets the condition may not be among the result.
bool keeps_back(const sql::Structure& structure, const sql::TokenList& tokens) {
    const sql::Query& query = structure.queries[structure.top];
    bool skips = false;
    for (sql::TokenIndex i = query.locking.first; i < query.locking.last; ++i) {
        skips = skips || sql::keyword_of(tokens.text(i)) == sql::Keyword::skip;
    }
    return skips || !query.limit.empty() || structure.single_block()->has(sql::Clause::having);
}

}  // namespace

std::optional<Condition> condition_of(std::string_view text) {
    sql::LexerState state;
    state.dialect = history::Dialect::postgres;
    sql::TokenList tokens;
    tokens.read(text, state);
    sql::Structure structure;
    sql::parse(tokens, state, structure);
    sql::Predicate predicate;
    if (sql::predicate_of(tokens, structure, state, predicate) != sql::PredicateDoubt::none ||
        predicate.has_parameters || calls_in(structure, tokens, predicate.condition) ||
        keeps_back(structure, tokens)) {
        return std::nullopt;
    }
    const sql::Relation& relation = structure.relations[predicate.relation];
    if (relation.schema != sql::no_token) return std::nullopt;
    Condition condition;
    condition.table = sql::name_of(tokens.text(relation.name), state.dialect);
    condition.text = predicate.condition;
    condition.alias = predicate.name;
    return condition;
}

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
    void operator()(const history::StatementBegan& event) const {
        if (!event.text_cut) digest.texts_[event.statement] = event.text;
    }
    void operator()(const history::StatementEnded& event) const {
        const auto text = digest.texts_.find(event.statement);
        if (event.outcome != history::StatementOutcome::completed ||
            event.coverage != history::Coverage::full || text == digest.texts_.end()) {
            return;
        }
        if (auto condition = condition_of(text->second)) {
            condition->statement = event.statement;
            condition->known_from = at;
            digest.conditions_.push_back(std::move(*condition));
        }
    }
    void operator()(const history::Access& event) const {
        const auto table = digest.table_names_.find(event.table);
        if (event.after == Version{} || table == digest.table_names_.end()) return;
        const RowName row(event.table, event.row);
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
        if (event.outcome == history::Outcome::committed) {
            digest.committed_.insert(event.transaction);
        }
    }
    template <typename Other>
    void operator()(const Other& /*event*/) const {}
};

RunDigest::RunDigest(const KeptEvents& events, std::string_view schema) {
    Reader reader{*this, std::string(schema) + "."};
    for (; reader.at < events.all().size(); ++reader.at) {
        std::visit(reader, events.all()[reader.at]);
    }
}

std::vector<RowChange> RunDigest::changes() const {
    std::vector<RowChange> all;
    for (const auto& [key, change] : changes_) {
        if (committed_.contains(key.first)) all.push_back(change);
    }
    return all;
}

std::vector<std::uint32_t> RunDigest::numbers(history::TransactionId transaction) const {
    const auto found = numbers_.find(transaction);
    return found == numbers_.end() ? std::vector<std::uint32_t>() : found->second;
}

std::optional<history::NameId> RunDigest::table(const std::string& name) const {
    const auto found = table_ids_.find(name);
    return found == table_ids_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace isotap::proxy
