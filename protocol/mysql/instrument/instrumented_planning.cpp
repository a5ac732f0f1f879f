#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/planner.hpp"
#include "protocol/sql/statement_splitter.hpp"

/// What is to be done with a text of the client.
namespace isotap::mysql::instrument {

using history::Coverage;
using sql::Keyword;
using Kind = StatementEffect::Kind;

namespace {

bool mentions_counts(const sql::TokenList& tokens) noexcept {
    for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
        if (tokens[i].is(Keyword::row_count) || tokens[i].is(Keyword::found_rows)) {
            return true;
        }
    }
    return false;
}

/// What no other statement may come before: it asks what the last one met with.
bool mentions_diagnostics(const sql::TokenList& tokens) noexcept {
    const bool asks = sql::same_word(tokens.text(0), "get") || tokens[0].is(Keyword::show);
    for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
        const std::string_view word = tokens.text(i);
        for (const char* counter :
             {"@@warning_count", "@@error_count", "warning_count", "error_count"}) {
            if (sql::same_word(word, counter)) return true;
        }
        for (const char* area : {"warnings", "errors", "diagnostics"}) {
            if (asks && sql::same_word(word, area)) return true;
        }
    }
    return false;
}

bool has_hint(std::string_view statement) noexcept {
    return statement.find("/*+") != std::string_view::npos;
}

/// SET of a limit for every result.
bool limits_results(const sql::TokenList& tokens) noexcept {
    bool found = false;
    for (sql::TokenIndex i = 0; tokens[0].is(Keyword::set) && i < tokens.size(); ++i) {
        found = found || sql::contains(tokens.text(i), "sql_select_limit");
    }
    return found;
}

/// Where nobody knows what is quoted: within a word, a name or a literal as well.
bool may_mention(std::string_view text, std::initializer_list<std::string_view> words) noexcept {
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
        return std::search(text.begin(), text.end(), word.begin(), word.end(), sql::same_letter) !=
               text.end();
    });
}

/// Not those that call for a function of the client's, which may write whatever it likes.
bool only_reads(const sql::TokenList& tokens) noexcept {
    constexpr std::array readers{Keyword::select, Keyword::show,  Keyword::set,
                                 Keyword::values, Keyword::table, Keyword::explain};
    return tokens[0].is(sql::TokenKind::open_paren) ||
           std::any_of(readers.begin(), readers.end(),
                       [&](Keyword one) { return tokens[0].is(one); });
}

/// Reads and writes rows of temporary tables alone, by names that hide all others.
bool touches_only_temporary(const SessionContext& context, const sql::TokenList& tokens,
                            const sql::LexerState& lexing) {
    sql::Structure structure;
    sql::parse(tokens, lexing, structure);
    const bool rows = structure.kind != sql::StatementKind::ddl || tokens[0].is(Keyword::truncate);
    return structure.sure() && rows && structure.ctes.empty() && !structure.relations.empty() &&
           std::all_of(structure.relations.begin(), structure.relations.end(),
                       [&](const sql::Relation& relation) {
                           return relation.kind == sql::RelationKind::derived ||
                                  (relation.kind == sql::RelationKind::table &&
                                   relation.schema == sql::no_token &&
                                   context.is_temporary(tokens.text(relation.name)));
                       });
}

/// What is told of each statement of a text of several: those that touch no table tell all there
/// is.
std::vector<std::pair<Coverage, std::string_view>> parts_of_script(std::string_view text,
                                                                   const sql::LexerState& lexing) {
    std::vector<std::pair<Coverage, std::string_view>> parts;
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan span;
    sql::TokenList tokens;
    while (splitter.next(span)) {
        tokens.read(span.text, lexing);
        parts.emplace_back(Coverage::opaque, "several statements");
        if (!span.sure && tokens[0].is(Keyword::create)) {
            parts.back() = {Coverage::none, {}};  // a stored program: nothing of it runs
        } else if (const auto plan = sql::plan_without_catalog(tokens, lexing); span.sure && plan) {
            parts.back() = {plan->coverage, plan->reason};
        }
    }
    return parts;
}

}  // namespace

InstrumentedConversation::Decision InstrumentedConversation::decide(std::string_view text,
                                                                    Command command) {
    const sql::LexerState& lexing = observation_->lexing();
    Decision decision;
    decision.reason = "settings unknown";
    if (!lexing.certain) {
        decision.counts_mentioned = may_mention(text, {"row_count", "found_rows"});
        decision.diagnostics_mentioned =
            may_mention(text, {"warning", "errors", "error_count", "diagnostic"});
        return decision;
    }
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan span;
    std::string_view only;
    std::size_t count = 0;
    bool changes_settings = false;
    while (splitter.next(span)) {
        only = count++ == 0 ? span.text : only;
        tokens_.read(span.text, lexing);
        StatementEffect effect = effect_of(tokens_, lexing);
        if (effect.kind != Kind::none) {
            changes_settings = changes_settings || effect.kind != Kind::schema;
            std::move(decision.effect.made.begin(), decision.effect.made.end(),
                      std::back_inserter(effect.made));
            decision.effect = std::move(effect);
        }
        results_limited_ = results_limited_ || limits_results(tokens_);
        decision.counts_mentioned = decision.counts_mentioned || mentions_counts(tokens_);
        decision.diagnostics_mentioned =
            decision.diagnostics_mentioned || mentions_diagnostics(tokens_);
    }
    if (count != 1 || !span.sure) {
        decision.others = parts_of_script(text, lexing);
        if (!decision.others.empty()) {
            std::tie(decision.coverage, decision.reason) = decision.others.front();
            decision.others.erase(decision.others.begin());
        }
        // Which of them is warned of is not known.
        std::erase_if(decision.effect.made, [](const auto& made) { return made.unless_there; });
        if (count == 0) {
            decision.coverage = Coverage::none;
            decision.reason = {};
        } else if (changes_settings) {
            // Which of them succeed is not followed.
            context_.on_lost("settings in several statements");
        }
        return decision;
    }
    decision.only_reads = only_reads(tokens_);
    decision.begin = static_cast<std::size_t>(only.data() - text.data());
    decision.end = decision.begin + only.size();
    decide_by_plan(decision, only, command);
    return decision;
}

void InstrumentedConversation::decide_by_plan(Decision& decision, std::string_view statement,
                                              Command command) {
    decision.reason = obstacle(decision, command);
    if (!decision.reason.empty()) {
        return;
    }
    if (context_.mentions_temporary(tokens_)) {
        // One that is prepared may run when they are gone.
        const bool nobody_else_sees =
            command == Command::query &&
            touches_only_temporary(context_, tokens_, observation_->lexing());
        decision.coverage = nobody_else_sees ? Coverage::none : Coverage::opaque;
        decision.reason = nobody_else_sees ? "" : "temporary table";
        return;
    }
    if (!tokens_.sure()) {
        decision.reason = "lexer not sure";
        return;
    }
    const sql::LexerState& lexing = observation_->lexing();
    decision.plan =
        plans_.find({session_, context_.id(plans_), statement, tokens_, lexing}, insist_);
    if (!decision.plan) {
        decision.wait = !insist_;
        decision.reason = "no plan yet";
        return;
    }
    // At which level a prepared one will run, nobody knows.
    const bool hinted = decision.plan->hints && has_hint(statement);
    if (decision.plan->otherwise && (command != Command::query || hinted)) {
        decision.plan = decision.plan->otherwise;
    }
    follow_plan(decision, statement, command);
}

void InstrumentedConversation::follow_plan(Decision& decision, std::string_view statement,
                                           Command command) {
    decision.coverage = decision.plan->coverage;
    decision.reason = decision.plan->reason;
    decision.rewritten = decision.plan->rewrites();
    decision.told = decision.plan->told_by_triggers;
    if (decision.plan->empties && command != Command::query) {
        // What its name will mean by then, only the server knows.
        decision.coverage = Coverage::opaque;
        decision.reason = "truncate";
    }
    if (!decision.rewritten && !decision.told && !decision.plan->reread.wanted()) {
        return;
    }
    const bool counts =
        decision.plan->reply == sql::ReplyChange::rebuild || !decision.plan->afterwards.empty();
    std::string_view why;
    if (counts && (counts_in_use_ || decision.counts_mentioned)) {
        why = "ROW_COUNT in use";
    } else if (decision.told && decision.diagnostics_mentioned) {
        why = "diagnostics in use";
    } else if (decision.plan->hints && has_hint(statement)) {
        why = "optimizer hint";
    } else if (command == Command::stmt_prepare && bulk_is_in_the_way(*decision.plan)) {
        why = "bulk operations";
    }
    if (!why.empty()) {
        decision.rewritten = false;
        decision.told = false;
        decision.coverage = Coverage::opaque;
        decision.reason = why;
    } else if (decision.plan->reread.wanted() && !counts_in_use_ && !decision.counts_mentioned) {
        decision.reread = sql::ask_again(decision.plan->reread, tokens_);
        constexpr std::size_t head = 8;
        if (decision.reread.text.size() + head >=
            std::min<std::size_t>(frame_size_max, decision.plan->text_max)) {
            decision.reread = {};
        }
    }
}

/// A client that keeps the description of a result goes by it also where the client's own text had
/// to be prepared for a bulk, behind a change of the tables.
bool InstrumentedConversation::bulk_is_in_the_way(const sql::Plan& plan) const noexcept {
    return plan.writes() && plan.reply == sql::ReplyChange::strip &&
           channel_.in_force.has(Capability::mariadb_bulk_operations) &&
           channel_.in_force.has(Capability::mariadb_cache_metadata);
}

std::string_view InstrumentedConversation::obstacle(const Decision& decision,
                                                    Command command) const {
    if (fused_) {
        return "fuse";
    }
    if (!context_.obstacle().empty()) {
        return context_.obstacle();
    }
    return command == Command::stmt_prepare && decision.counts_mentioned ? "ROW_COUNT in use"
                                                                         : std::string_view{};
}

/// After a RETURNING of ours the server has forgotten how many rows the client's statement wrote.
/// An IF whose other branch is ROW_COUNT() itself has the same type.
void InstrumentedConversation::run_with_row_count(Bytes packet, std::string_view text) {
    sql::Plan plan;
    const std::string value = "if(1," + std::to_string(*row_count_) + ",";
    for (sql::TokenIndex i = 0; i + 2 < tokens_.size(); ++i) {
        if (!tokens_[i].is(sql::Keyword::row_count) ||
            !tokens_[i + 2].is(sql::TokenKind::close_paren)) {
            continue;
        }
        const sql::Token& next = tokens_[i + 3];
        const bool whole_item =
            i > 0 &&
            (tokens_[i - 1].is(sql::Keyword::select) || tokens_[i - 1].is(sql::TokenKind::comma)) &&
            (next.is(sql::TokenKind::comma) || next.is(sql::TokenKind::end));
        const std::string name(tokens_.text(sql::TokenRange{i, i + 3}));
        plan.splices.push_back({{i, i}, " " + value, sql::Splice::no_stamp});
        plan.splices.push_back(
            {{i + 3, i + 3}, whole_item ? ") `" + name + "`" : ")", sql::Splice::no_stamp});
    }
    Decision decision;
    decision.plan = std::make_shared<const sql::Plan>(std::move(plan));
    decision.begin = current_.begin;
    decision.end = current_.end;
    if (!send_rewritten(packet, text, decision, {})) {
        forward(packet);
    }
    original_.clear();
}

}  // namespace isotap::mysql::instrument
