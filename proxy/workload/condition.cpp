#include "proxy/workload/condition.hpp"

#include <algorithm>
#include <array>

#include "protocol/sql/keyword.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/predicate.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::proxy {
namespace {

using sql::TokenKind;

/// Functions that need no parentheses, and say who asks and when.
bool is_bare_call(std::string_view word) {
    constexpr std::array<std::string_view, 15> calls{
        "current_catalog",   "current_date", "current_role", "current_schema", "current_time",
        "current_timestamp", "current_user", "localtime",    "localtimestamp", "session_user",
        "system_user",       "user",         "utc_date",     "utc_time",       "utc_timestamp"};
    return std::any_of(calls.begin(), calls.end(),
                       [&](std::string_view call) { return sql::same_word(call, word); });
}

/// One statement, read.
struct Statement {
    sql::LexerState state;
    sql::TokenList tokens;
    sql::Structure structure;

    Statement(std::string_view text, history::Dialect dialect) {
        state.dialect = dialect;
        tokens.read(text, state);
        sql::parse(tokens, state, structure);
    }

    [[nodiscard]] std::string_view word(sql::TokenIndex at) const { return tokens.text(at); }

    [[nodiscard]] bool calls_in(std::string_view condition) const {
        const auto& calls = structure.calls;
        return std::any_of(calls.begin(), calls.end(), [&](const sql::Call& call) {
            return is_within(word(call.name), condition);
        });
    }

    /// Whether anything in it is a matter of the session or of the moment.
    [[nodiscard]] bool asks_the_session(std::string_view condition) const {
        for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
            const sql::Token& token = tokens[i];
            if (!is_within(word(i), condition)) continue;
            if (token.is(TokenKind::user_variable) || token.is(TokenKind::system_variable) ||
                (token.is(TokenKind::word) && is_bare_call(word(i)))) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool any_word(sql::TokenRange range, sql::Keyword wanted) const {
        for (sql::TokenIndex i = range.first; i < range.last; ++i) {
            if (tokens[i].is(wanted)) return true;
        }
        return false;
    }

    /// LIMIT, HAVING, SKIP LOCKED, IGNORE: a row that meets the condition may be left out.
    [[nodiscard]] bool keeps_back() const {
        const sql::Query& query = structure.queries[structure.top];
        const sql::Block& block = *structure.single_block();
        const sql::TokenIndex target = block[sql::Clause::target].first;
        return !query.limit.empty() || block.has(sql::Clause::having) ||
               any_word(query.locking, sql::Keyword::skip) ||
               (block.has(sql::Clause::target) &&
                any_word({block.all.first, target}, sql::Keyword::ignore));
    }

    [[nodiscard]] Condition::Use use() const {
        if (structure.single_block()->kind != sql::BlockKind::select) return Condition::Use::write;
        return structure.queries[structure.top].locking.empty() ? Condition::Use::read
                                                                : Condition::Use::locking_read;
    }

    static bool is_within(std::string_view part, std::string_view whole) {
        return part.data() >= whole.data() && part.data() < whole.data() + whole.size();
    }
};

}  // namespace

std::optional<Condition> condition_of(std::string_view text, history::Dialect dialect) {
    const Statement statement(text, dialect);
    sql::Predicate predicate;
    if (sql::predicate_of(statement.tokens, statement.structure, statement.state, predicate) !=
            sql::PredicateDoubt::none ||
        predicate.has_parameters || statement.calls_in(predicate.condition) ||
        statement.asks_the_session(predicate.condition) || statement.keeps_back()) {
        return std::nullopt;
    }
    const sql::Relation& relation = statement.structure.relations[predicate.relation];
    if (relation.schema != sql::no_token || relation.historic) return std::nullopt;
    return Condition{statement.use(), sql::name_of(statement.word(relation.name), dialect),
                     std::string(predicate.condition), std::string(predicate.name)};
}

bool changes_conditions(std::string_view text, history::Dialect dialect) {
    const Statement statement(text, dialect);
    const sql::TokenList& tokens = statement.tokens;
    if (tokens.size() == 0 || !tokens[0].is(sql::Keyword::set)) return false;
    const std::string small = sql::small_letters(std::string(text));
    const auto names = [&](std::string_view word) { return small.find(word) != std::string::npos; };
    const bool one = small.find(',') == std::string::npos;
    return !(one && (names("transaction") || names("timeout") || names("autocommit")));
}

}  // namespace isotap::proxy
