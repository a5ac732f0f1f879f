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
        case Keyword::declare: return "cursor";
        default: return {};
    }
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
        if (splice.stamp_at != sql::Splice::no_stamp) {
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
    statement.reason = beyond_text(first);
    if (first == Keyword::execute) {
        statement.reason = "execute";
        follow_name(statements_, 1, statement);
    } else if (first == Keyword::fetch) {
        statement.reason = "cursor";
        follow_name(portals_, tokens_.size() - 1, statement);
    }
    if (!statement.reason.empty()) {
        statement.coverage = Coverage::opaque;
    }
    return true;
}

/// EXECUTE and FETCH share their names with the messages: what was rewritten there shows here.
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
    std::shared_ptr<const sql::Plan> plan =
        plans_.find({session_, context(), text, tokens_, situation.lexing}, situation.insist);
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
