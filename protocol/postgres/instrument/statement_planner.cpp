#include "protocol/postgres/instrument/statement_planner.hpp"

#include <algorithm>
#include <utility>

#include "protocol/sql/name.hpp"
#include "protocol/sql/statement_splitter.hpp"

namespace isotap::postgres::instrument {

using history::Coverage;
using sql::Keyword;

namespace {

bool is_ascii(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(),
                        [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
}

/// What no plan is asked for because text cannot capture it; empty for everything else.
std::string_view beyond_text(Keyword first) noexcept {
    switch (first) {
        case Keyword::copy: return "copy";
        case Keyword::call: return "call";
        case Keyword::do_: return "do";
        case Keyword::explain: return "explain";
        case Keyword::truncate: return "truncate";
        default: return {};
    }
}

/// Where the query of DECLARE … CURSOR … FOR query begins, and whether the cursor lives on when the
/// transaction has ended: then who fetches is not who has read.
struct CursorQuery {
    sql::TokenIndex first = sql::no_token;
    bool held = false;

    explicit CursorQuery(const sql::TokenList& tokens) {
        for (sql::TokenIndex at = 2; at < tokens.size() && first == sql::no_token; ++at) {
            if (tokens[at].is(Keyword::for_)) {
                first = at + 1;
            }
            held = held || (tokens[at].is(Keyword::with) &&
                            sql::name_of(tokens.text(at + 1), sql::Dialect::postgres) == "hold");
        }
    }
};

bool stands_alone(std::string_view text, const sql::LexerState& lexing) noexcept {
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan span;
    return splitter.next(span) && !splitter.next(span);
}

bool touches_rows(const sql::Token& first) noexcept {
    switch (first.keyword) {
        case Keyword::select:
        case Keyword::insert:
        case Keyword::update:
        case Keyword::delete_:
        case Keyword::merge:
        case Keyword::with:
        case Keyword::values:
        case Keyword::table: return true;
        default: return first.is(sql::TokenKind::open_paren);
    }
}

/// What this session can do: no stamps (a prepared text cannot hold them), no second statement,
/// texts of ours only in letters that every encoding has.
std::string_view unusable(const sql::Plan& plan, const TextEncoding& encoding) noexcept {
    if (!plan.afterwards.empty() || plan.reply == sql::ReplyChange::rebuild) {
        return "version columns";
    }
    for (const sql::CapturedTable& table : plan.tables) {
        if (table.source != sql::VersionSource::system) {
            return "version columns";
        }
    }
    for (const sql::Splice& splice : plan.splices) {
        if (splice.has_stamp()) {
            return "version columns";
        }
        if (!encoding.client_utf8 && !is_ascii(splice.text)) {
            return "encoding";
        }
    }
    return {};
}

}  // namespace

bool StatementPlanner::plan(std::string_view text, const Situation& situation,
                            std::vector<PlannedStatement>& planned, std::string& out) {
    planned.clear();
    out.clear();
    changed_ = false;
    std::size_t done = 0;
    bool behind_change = situation.behind_change;
    sql::StatementSplitter splitter(text, situation.lexing);
    for (sql::StatementSpan span; splitter.next(span);) {
        PlannedStatement& statement = planned.emplace_back();
        statement.offset = static_cast<std::size_t>(span.text.data() - text.data());
        statement.size = span.text.size();
        tokens_.read(span.text, situation.lexing);
        statement.effect = effect_of(tokens_);
        if (!span.sure || !tokens_.sure()) {
            statement.coverage = Coverage::opaque;
            statement.reason = "unsure text";
            continue;
        }
        Situation here = situation;
        here.behind_change = behind_change;
        here.alone = !tokens_[0].is(Keyword::declare) || stands_alone(text, situation.lexing);
        if (!decide(span.text, here, statement)) {
            return false;
        }
        behind_change = behind_change || statement.effect.changes_planning();
        if (statement.rewritten) {
            sql::apply(*statement.plan, tokens_, {}, statement_text_);
            out.append(text, done, statement.offset - done);
            out.append(statement_text_);
            done = statement.offset + statement.size;
            changed_ = true;
        }
    }
    out.append(text, done);
    return true;
}

bool StatementPlanner::decide(std::string_view text, const Situation& situation,
                              PlannedStatement& statement) {
    const Keyword first = tokens_[0].keyword;
    if (touches_rows(tokens_[0])) {
        return ask(text, situation, statement);
    }
    if (first == Keyword::declare) {
        return declare(text, situation, statement);
    }
    statement.reason = beyond_text(first);
    if (first == Keyword::execute) {
        statement.reason = "execute";
        follow_name(statements_, 1, statement);
    } else if (first == Keyword::fetch) {
        statement.fetches = sql::name_of(tokens_.text(tokens_.size() - 1), sql::Dialect::postgres);
        const auto declared = portals_.find(statement.fetches);
        statement.follow(declared ? &declared->statement : nullptr);
        return true;
    } else if (first == Keyword::close) {
        statement.closes = sql::name_of(tokens_.text(1), sql::Dialect::postgres);
    }
    if (!statement.reason.empty()) {
        statement.coverage = Coverage::opaque;
    }
    return true;
}

/// The query is rewritten; its rows come when they are fetched.
bool StatementPlanner::declare(std::string_view text, const Situation& situation,
                               PlannedStatement& statement) {
    const CursorQuery query(tokens_);
    if (query.first >= tokens_.size() || query.held || !situation.alone) {
        return true;
    }
    const std::string name = sql::name_of(tokens_.text(1), sql::Dialect::postgres);
    const auto begin = static_cast<std::size_t>(tokens_.text(query.first).data() - text.data());
    tokens_.read(text.substr(begin), situation.lexing);
    if (!touches_rows(tokens_[0])) {
        return true;
    }
    statement.declares = name;
    statement.offset += begin;
    statement.size -= begin;
    if (!ask(text.substr(begin), situation, statement)) {
        return false;
    }
    // Rows of a query within another one have no place in their table: WHERE CURRENT OF needs it.
    if (statement.rewritten && statement.plan->splices.front().tokens.last == 0) {
        statement.plan = nullptr;
        statement.rewritten = false;
    }
    return true;
}

/// EXECUTE shares its names with the messages: what was rewritten there shows here.
void StatementPlanner::follow_name(const NamesInUse& names, sql::TokenIndex name,
                                   PlannedStatement& statement) const {
    const auto meaning = names.find(sql::name_of(tokens_.text(name), sql::Dialect::postgres));
    if (meaning && meaning->statement.rewritten) {
        statement.plan = meaning->statement.plan;
    }
}

std::string_view StatementPlanner::obstacle(std::string_view text,
                                            const Situation& situation) const {
    if (!situation.stopped.empty()) {
        return situation.stopped;
    }
    if (situation.behind_change) {
        return "behind a setting";
    }
    if (const std::string_view why = context_.obstacle(); !why.empty()) {
        return why;
    }
    if (!situation.encoding.client_utf8 && !is_ascii(text)) {
        return "encoding";
    }
    return context_.mentions_temporary(tokens_) ? "temporary table" : std::string_view{};
}

bool StatementPlanner::ask(std::string_view text, const Situation& situation,
                           PlannedStatement& statement) {
    statement.coverage = Coverage::opaque;
    statement.reason = obstacle(text, situation);
    if (!statement.reason.empty()) {
        return true;
    }
    std::shared_ptr<const sql::Plan> plan = plans_.find(
        {session_, context(), text, tokens_, situation.lexing, situation.parameter_types},
        situation.insist);
    if (!plan) {
        statement.reason = "no plan";
        return situation.insist;
    }
    statement.reason = unusable(*plan, situation.encoding);
    if (!statement.reason.empty()) {
        return true;
    }
    statement.coverage = plan->coverage;
    statement.reason = plan->reason;
    statement.rewritten = plan->rewrites();
    statement.plan = std::move(plan);
    return true;
}

sql::ContextId StatementPlanner::context() {
    if (context_generation_ != context_.generation()) {
        context_generation_ = context_.generation();
        context_id_ = plans_.context(context_.context());
    }
    return context_id_;
}

}  // namespace isotap::postgres::instrument
