// From the client to the server: requests, rewritten as their plans want it.
#include <utility>

#include "protocol/postgres/frontend/bind.hpp"
#include "protocol/postgres/frontend/close.hpp"
#include "protocol/postgres/frontend/execute.hpp"
#include "protocol/postgres/frontend/parse.hpp"
#include "protocol/postgres/frontend/query.hpp"
#include "protocol/postgres/instrument/instrument.hpp"
#include "protocol/postgres/instrument/message_space.hpp"
#include "protocol/postgres/instrument/result_formats.hpp"

namespace isotap::postgres::instrument {

using history::Coverage;

namespace {

/// The types behind their count; empty when no one is said, or when they are not what they say.
std::string_view types_in(Bytes counted) noexcept {
    ByteReader reader(counted);
    const std::size_t size = reader.be16() * sizeof(std::uint32_t);
    return reader.rest().size() == size ? as_text(reader.rest()) : std::string_view{};
}

PlannedStatement opaque(std::string_view reason) {
    PlannedStatement statement;
    statement.coverage = Coverage::opaque;
    statement.reason = reason;
    return statement;
}

}  // namespace

bool Instrument::takes(std::uint8_t type) noexcept {
    switch (static_cast<FrontendType>(type)) {
        case FrontendType::query:
        case FrontendType::parse:
        case FrontendType::bind:
        case FrontendType::describe:
        case FrontendType::execute:
        case FrontendType::close: return true;
        default: return false;
    }
}

bool Instrument::takes(Reply request) noexcept {
    switch (request) {
        case Reply::query:
        case Reply::parse:
        case Reply::bind:
        case Reply::describe:
        case Reply::execute:
        case Reply::close: return true;
        case Reply::sync:
        case Reply::function_call:
        case Reply::copy_end: break;
    }
    return false;
}

std::optional<Bytes> Instrument::prepare(std::uint8_t type, Bytes body, bool insist, bool& wait,
                                         protocol::Actions& actions) {
    next_.clear();
    next_.lexing = observation_.lexing();
    switch (static_cast<FrontendType>(type)) {
        case FrontendType::query: return prepare_query(body, insist, wait, actions);
        case FrontendType::parse: return prepare_parse(body, insist, wait, actions);
        case FrontendType::bind: return prepare_bind(body, actions);
        case FrontendType::describe: prepare_describe(body); break;
        case FrontendType::execute: return prepare_execute(body, actions);
        case FrontendType::close: prepare_close(body); break;
        default: break;
    }
    return std::nullopt;
}

void Instrument::prepare_too_long(std::uint8_t type, Bytes body) {
    next_.clear();
    next_.lexing = observation_.lexing();
    switch (static_cast<FrontendType>(type)) {
        case FrontendType::query:
            next_.request = Reply::query;
            next_.statements.push_back(opaque("statement too long"));
            break;
        case FrontendType::parse:
            next_.request = Reply::parse;
            give_meaning(Asked::Names::statements, ByteReader(body).c_string(),
                         opaque("statement too long"), {});
            break;
        // Of these only a name can be long, and no statement of ours has such a name.
        case FrontendType::describe: next_.request = Reply::describe; break;
        case FrontendType::execute: next_.request = Reply::execute; break;
        default: next_.request = Reply::close; break;
    }
}

bool Instrument::plan(std::string_view text, std::string_view parameter_types, bool kept,
                      bool insist) {
    const bool in_text = next_.request == Reply::query;
    const bool behind =
        changes_in_flight_ > 0 || (ends_in_flight_ > 0 && context_.changed_in_transaction());
    const std::string_view stopped = fused_ ? "fuse" : ready_ ? "" : "before login";
    return planner_.plan(text,
                         {stopped, behind, insist, true, false, in_text, kept, parameter_types,
                          next_.lexing, encoding_},
                         next_.statements, out_);
}

std::optional<Bytes> Instrument::prepare_query(Bytes body, bool insist, bool& wait,
                                               protocol::Actions& actions) {
    next_.request = Reply::query;
    const auto query = frontend::Query::decode(body);
    if (!query) {
        return std::nullopt;
    }
    wait = !plan(query->text, {}, false, insist);
    if (wait) {
        return std::nullopt;
    }
    if (next_.statements.size() == 1) {
        const PlannedStatement& statement = next_.statements.front();
        if (statement.runs) {
            name_by_sql(statement.naming(), statement.runs);
        } else {
            const std::string_view text = planner_.changed() ? query->text : "";
            name_by_sql(statement,
                        statement.declares.empty() ? nullptr : meaning_of(statement, text));
        }
    }
    if (!planner_.changed()) {
        return std::nullopt;
    }
    MessageSpace message(actions, static_cast<std::uint8_t>(FrontendType::query), out_.size() + 1);
    message.bytes(as_bytes(out_));
    message.u8(0);
    return message.whole();
}

std::optional<Bytes> Instrument::prepare_parse(Bytes body, bool insist, bool& wait,
                                               protocol::Actions& actions) {
    next_.request = Reply::parse;
    const auto parse = frontend::Parse::decode(body);
    if (!parse) {
        return std::nullopt;
    }
    if (!statements_.has_room_for(parse->statement)) {
        // Whoever uses the name later must know what it stands for, or leave it alone.
        give_meaning(Asked::Names::statements, parse->statement, opaque("statement names"), {});
        return std::nullopt;
    }
    wait = !plan(parse->text, types_in(parse->parameter_types), !parse->statement.empty(), insist);
    if (wait) {
        return std::nullopt;
    }
    const bool one = next_.statements.size() == 1;
    PlannedStatement statement = one ? next_.statements.front() : PlannedStatement{};
    const bool changed = one && planner_.changed();
    if (!one) {
        next_.statements.clear();
    }
    give_meaning(Asked::Names::statements, parse->statement, std::move(statement),
                 changed ? parse->text : std::string_view{});
    if (!changed) {
        return std::nullopt;
    }
    MessageSpace message(
        actions, static_cast<std::uint8_t>(FrontendType::parse),
        parse->statement.size() + 1 + out_.size() + 1 + parse->parameter_types.size());
    message.bytes(as_bytes(parse->statement));
    message.u8(0);
    message.bytes(as_bytes(out_));
    message.u8(0);
    message.bytes(parse->parameter_types);
    return message.whole();
}

/// DECLARE and CLOSE do to the names of portals what Bind and Close do, PREPARE and DEALLOCATE to
/// those of statements what Parse and Close do.
void Instrument::name_by_sql(const PlannedStatement& statement,
                             std::shared_ptr<const Prepared> declared) {
    const auto name = [this](Asked::Names names, const std::string& called,
                             std::shared_ptr<const Prepared> meaning) {
        if (!called.empty()) {
            next_.names = names;
            next_.name = called;
            next_.named = std::move(meaning);
        }
    };
    name(Asked::Names::portals, statement.declares, std::move(declared));
    name(Asked::Names::portals, statement.closes, nullptr);
    name(Asked::Names::statements, statement.prepares, statement.prepared);
    name(Asked::Names::statements, statement.deallocates, nullptr);
}

/// What a name stands for now: the cursor that a FETCH was prepared for may be another one, and so
/// may the statement of an EXECUTE.
std::shared_ptr<const Prepared> Instrument::now_meant(
    std::shared_ptr<const Prepared> meaning) const {
    if (!meaning || (meaning->statement.fetches.empty() && meaning->statement.executes.empty())) {
        return meaning;
    }
    auto now = std::make_shared<Prepared>(*meaning);
    follow_names(now->statement, statements_, portals_);
    return now;
}

std::shared_ptr<const Prepared> Instrument::meaning_of(PlannedStatement statement,
                                                       std::string_view text) const {
    return std::make_shared<const Prepared>(
        Prepared{std::move(statement), std::string(text), next_.lexing});
}

void Instrument::give_meaning(Asked::Names names, std::string_view name, PlannedStatement statement,
                              std::string_view text) {
    next_.names = names;
    next_.name = name;
    next_.meaning = meaning_of(std::move(statement), text);
    next_.named = next_.meaning;
}

std::optional<Bytes> Instrument::prepare_bind(Bytes body, protocol::Actions& actions) {
    next_.request = Reply::bind;
    const auto bind = frontend::Bind::decode(body);
    if (!bind) {
        return std::nullopt;
    }
    next_.names = Asked::Names::portals;
    next_.name = bind->portal;
    next_.meaning = now_meant(statements_.find(bind->statement));
    next_.named = next_.meaning;
    if (!next_.meaning) {
        return std::nullopt;
    }
    switch (next_.meaning->statement.change()) {
        case sql::ReplyChange::strip:
            return with_formats_for(body, next_.meaning->statement.added(), actions);
        case sql::ReplyChange::swallow: return without_formats(body, actions);
        default: return std::nullopt;
    }
}

void Instrument::prepare_describe(Bytes body) {
    next_.request = Reply::describe;
    if (const auto object = frontend::Close::decode(body)) {  // the same fields
        const bool portal = object->kind == frontend::ObjectKind::portal;
        next_.meaning =
            portal ? portals_.find(object->object) : now_meant(statements_.find(object->object));
    }
}

std::optional<Bytes> Instrument::prepare_execute(Bytes body, protocol::Actions& actions) {
    next_.request = Reply::execute;
    const auto execute = frontend::Execute::decode(body);
    if (!execute) {
        return std::nullopt;
    }
    next_.meaning = portals_.find(execute->portal);
    if (next_.meaning) {
        const PlannedStatement& statement = next_.meaning->statement;
        name_by_sql(statement.naming(), statement.runs ? statement.runs : next_.meaning);
        if (execute->rows_max != 0) begin_in_pieces(execute->portal);
    }
    const bool swallows =
        next_.meaning && next_.meaning->statement.change() == sql::ReplyChange::swallow;
    if (!swallows || execute->rows_max == 0) {
        return std::nullopt;
    }
    // A command without a result runs to its end whatever limit there is.
    MessageSpace message(actions, static_cast<std::uint8_t>(FrontendType::execute),
                         execute->portal.size() + 1 + sizeof execute->rows_max);
    message.bytes(as_bytes(execute->portal));
    message.u8(0);
    message.be32(0);
    return message.whole();
}

/// What the portal shows when it is run again, its first Execute saw.
void Instrument::begin_in_pieces(std::string_view portal) {
    const PlannedStatement& statement = next_.meaning->statement;
    if (next_.names != Asked::Names::none || !statement.rewritten || statement.begun_by ||
        statement.copies) {
        return;
    }
    auto begun = std::make_shared<Prepared>(*next_.meaning);
    begun->statement.begun_by = std::make_shared<history::StatementRef>();
    next_.names = Asked::Names::portals;
    next_.name = portal;
    next_.meaning = std::move(begun);
    next_.named = next_.meaning;
}

void Instrument::prepare_close(Bytes body) {
    next_.request = Reply::close;
    if (const auto close = frontend::Close::decode(body)) {
        next_.names = close->kind == frontend::ObjectKind::portal ? Asked::Names::portals
                                                                  : Asked::Names::statements;
        next_.name = close->object;
    }
}

void Instrument::on_owed() {
    next_.unit = unit_;
    Asked& asked = asked_.push(next_);
    if (asked.names != Asked::Names::none) {
        asked.change = names_of(asked.names).change(asked.name, asked.named);
    }
    count_effects(asked, 1);
}

void Instrument::count_effects(const Asked& asked, int by) noexcept {
    const auto count = [this, by](const StatementEffect& effect) {
        changes_in_flight_ += effect.changes_planning() ? by : 0;
        ends_in_flight_ += effect.ends_transaction() ? by : 0;
    };
    if (asked.request == Reply::query) {
        for (const PlannedStatement& statement : asked.statements) {
            count(statement.effect);
        }
    } else if (asked.request == Reply::execute && asked.meaning) {
        count(asked.meaning->statement.effect);
    }
}

}  // namespace isotap::postgres::instrument
