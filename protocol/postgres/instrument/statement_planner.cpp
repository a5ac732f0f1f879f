#include "protocol/postgres/instrument/statement_planner.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "protocol/postgres/instrument/prepared_body.hpp"
#include "protocol/postgres/instrument/statement_kind.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/plan_own.hpp"
#include "protocol/sql/statement_splitter.hpp"

namespace isotap::postgres::instrument {

using history::Coverage;
using sql::Keyword;

namespace {

bool is_ascii(std::string_view text) noexcept {
    return std::none_of(text.begin(), text.end(),
                        [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
}

/// One of these decides what a name of a statement stands for.
bool renames(const std::vector<PlannedStatement>& statements) noexcept {
    using Kind = StatementEffect::Kind;
    return std::any_of(statements.begin(), statements.end(), [](const PlannedStatement& one) {
        return !one.naming().prepares.empty() || !one.naming().deallocates.empty() ||
               one.effect.kind == Kind::deallocate_all || one.effect.kind == Kind::discard_all;
    });
}

bool stands_alone(std::string_view text, const sql::LexerState& lexing) noexcept {
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan span;
    return splitter.next(span) && !splitter.next(span);
}

/// `15.20 (Debian …)` as server_version_num counts.
std::uint32_t version_of(std::string_view reported) noexcept {
    constexpr std::uint32_t major = 10'000;
    std::uint32_t number = 0;
    std::from_chars(reported.data(), reported.data() + reported.size(), number);
    return number * major;
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
        here.whole = text;
        here.behind_change = behind_change;
        const bool names = tokens_[0].is(Keyword::declare) || tokens_[0].is(Keyword::prepare);
        here.alone = !names || stands_alone(text, situation.lexing);
        here.renamed = tokens_[0].is(Keyword::execute) && renames(planned);
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
    if (touches_rows(tokens_[0]) || first == Keyword::truncate) {
        return ask(text, situation, statement);
    }
    if (first == Keyword::declare) {
        return declare(text, situation, statement);
    }
    if (first == Keyword::prepare && !tokens_[1].is(Keyword::transaction)) {
        return prepare(text, situation, statement);
    }
    if (first == Keyword::execute) {
        execute(situation, statement);
        return true;
    }
    if (first == Keyword::copy) {
        return copy(text, situation, statement);
    }
    const auto last_name = [this] {
        return sql::name_of(tokens_.text(tokens_.size() - 1), sql::Dialect::postgres);
    };
    if (first == Keyword::fetch) {
        statement.fetches = last_name();
        follow_names(statement, statements_, portals_);
        return true;
    }
    if (first == Keyword::close) {
        statement.closes = last_name();
    } else if (first == Keyword::deallocate) {
        statement.deallocates = last_name();
    }
    statement.reason = beyond_text(tokens_);
    if (!statement.reason.empty()) {
        statement.coverage = Coverage::opaque;
    }
    return true;
}

/// The query is rewritten; its rows come when they are fetched.
bool StatementPlanner::declare(std::string_view text, const Situation& situation,
                               PlannedStatement& statement) {
    const CursorQuery query(tokens_);
    if (query.first >= tokens_.size() || !situation.alone) {
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
        statement.coverage = Coverage::opaque;
        statement.reason = "cursor";
    }
    statement.begun_by = std::make_shared<history::StatementRef>();
    statement.held = query.held;
    return true;
}

/// The body is rewritten, and its rows come with EXECUTE. Among other statements PREPARE goes as it
/// came: what a failure of theirs undoes and what it does not would be too much to keep.
bool StatementPlanner::prepare(std::string_view text, const Situation& situation,
                               PlannedStatement& statement) {
    const PreparedBody body(tokens_);
    if (body.first >= tokens_.size()) {
        return true;
    }
    statement.prepares = sql::name_of(tokens_.text(1), sql::Dialect::postgres);
    Prepared made{{}, {}, situation.lexing};
    if (situation.alone) {
        const std::string types = body.parameter_types(tokens_);
        Situation of_body = situation;
        of_body.parameter_types = types;
        const auto begin = static_cast<std::size_t>(tokens_.text(body.first).data() - text.data());
        tokens_.read(text.substr(begin), situation.lexing);
        statement.offset += begin;
        statement.size -= begin;
        if (!ask(text.substr(begin), of_body, statement)) {
            return false;
        }
        made.statement = statement;
        made.text = statement.rewritten ? situation.whole : std::string_view{};
        made.statement.prepares.clear();
        made.statement.effect = effect_of(tokens_);
    } else {
        made.statement.coverage = Coverage::opaque;
        made.statement.reason = "execute";
    }
    statement.prepared = std::make_shared<const Prepared>(std::move(made));
    return true;
}

/// EXECUTE shares its names with the messages: what was rewritten there shows here.
void StatementPlanner::execute(const Situation& situation, PlannedStatement& statement) const {
    statement.executes = sql::name_of(tokens_.text(1), sql::Dialect::postgres);
    if (situation.renamed) {
        statement.follow(nullptr, "execute");
        return;
    }
    follow_names(statement, statements_, portals_);
    const auto meaning = statements_.run_by(statement.executes);
    if (meaning && statement.effect.kind == StatementEffect::Kind::none) {
        statement.effect = meaning->statement.effect;
    }
}

/// What a COPY to the client shows is that of its query, or of one in place of its table.
bool StatementPlanner::copy(std::string_view text, const Situation& situation,
                            PlannedStatement& statement) {
    using Meaning = SessionTables::Meaning;
    const CopyCommand command(tokens_, situation.lexing);
    if (!command.query.empty()) {
        const std::string_view query = tokens_.text(command.query);
        statement.offset += static_cast<std::size_t>(query.data() - text.data());
        statement.size = query.size();
        text = query;
        tokens_.read(query, situation.lexing);
    }
    const std::string_view why = why_untold(command, situation);
    if (!why.empty()) {
        const bool nobodys = touches_no_table(situation) ||
                             context_.meaning_of(tokens_, structure_) == Meaning::session;
        statement.coverage = nobodys ? Coverage::none : Coverage::opaque;
        statement.reason = nobodys ? std::string_view{} : why;
        return true;
    }
    Situation of_query = situation;
    of_query.in_text = false;  // its format is its own
    if (!ask(text, of_query, statement)) {
        return false;
    }
    if (statement.rewritten && statement.plan->reply == sql::ReplyChange::strip) {
        statement.copies = std::make_shared<const CopyFormat>(*command.format);
    } else if (statement.rewritten) {
        statement.plan = nullptr;  // a write without RETURNING, which COPY refuses
        statement.rewritten = false;
        statement.coverage = Coverage::opaque;
        statement.reason = "copy";
    }
    return true;
}

/// The server looks the names in a COPY up each time that it runs, so that what was planned when it
/// got a name may be wrong by then.
std::string_view StatementPlanner::why_untold(const CopyCommand& command,
                                              const Situation& situation) {
    switch (command.way) {
        case CopyCommand::Way::in: return "copy from";
        case CopyCommand::Way::to_server: return "copy to a file";
        case CopyCommand::Way::unknown: return "copy";
        case CopyCommand::Way::to_client: break;
    }
    if (!command.format) {
        return "copy options";
    }
    if (!situation.encoding.client_utf8) {
        return "encoding";
    }
    return situation.kept ? "prepared copy" : std::string_view{};
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
    return !situation.encoding.client_utf8 && !is_ascii(text) ? "encoding" : std::string_view{};
}

bool StatementPlanner::touches_no_table(const Situation& situation) {
    sql::parse(tokens_, situation.lexing, structure_);
    return structure_.sure() && structure_.relations.empty();
}

/// A statement that names something of this session. True when that decides it.
bool StatementPlanner::within_session(const Situation& situation, PlannedStatement& statement) {
    using Meaning = SessionTables::Meaning;
    sql::parse(tokens_, situation.lexing, structure_);
    switch (context_.meaning_of(tokens_, structure_)) {
        case Meaning::shared: return false;
        case Meaning::unsure: statement.reason = context_.why_unsure(); return true;
        case Meaning::session: break;
        case Meaning::own:
            statement.only_in = context_.transaction();
            if (writes(structure_) && tokens_[0].keyword != Keyword::truncate &&
                tokens_[0].keyword != Keyword::copy) {
                sql::PlannerOptions options;
                options.postgres_version = version_of(context_.context().server_version);
                use(std::make_shared<sql::Plan>(sql::make_plan_for_own_table(
                        tokens_, structure_, situation.lexing, options)),
                    statement);
                return true;
            }
            break;
    }
    statement.coverage = Coverage::none;  // no other transaction can have a part in it
    return true;
}

bool StatementPlanner::ask(std::string_view text, const Situation& situation,
                           PlannedStatement& statement) {
    statement.coverage = Coverage::opaque;
    statement.reason = obstacle(text, situation);
    if (!statement.reason.empty()) {
        if (situation.stopped.empty() && touches_no_table(situation)) {
            statement.coverage = Coverage::full;
            statement.reason = {};
        }
        return true;
    }
    if (context_.mentions_own(tokens_) && within_session(situation, statement)) {
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
    // What is declared or prepared here may be fetched or executed in binary form.
    const bool kept = !(statement.declares.empty() && statement.prepares.empty());
    if (situation.in_text && !kept && plan->in_text) {
        plan = plan->in_text;
    }
    use(std::move(plan), statement);
    statement.looked_up = context();
    return true;
}

bool StatementPlanner::means_others(const PlannedStatement& statement) {
    if (!statement.looked_up || !statement.plan || statement.plan->tables.empty()) {
        return false;
    }
    return !context_.names_known() || *statement.looked_up != context() ||
           std::any_of(
               statement.plan->tables.begin(), statement.plan->tables.end(),
               [this](const sql::CapturedTable& table) { return context_.hides(table.identity); });
}

void StatementPlanner::use(std::shared_ptr<const sql::Plan> plan, PlannedStatement& statement) {
    statement.coverage = plan->coverage;
    statement.reason = plan->reason;
    statement.rewritten = plan->rewrites();
    statement.plan = std::move(plan);
}

sql::ContextId StatementPlanner::context() {
    if (context_generation_ != context_.generation()) {
        context_generation_ = context_.generation();
        context_id_ = plans_.context(context_.context());
    }
    return context_id_;
}

}  // namespace isotap::postgres::instrument
