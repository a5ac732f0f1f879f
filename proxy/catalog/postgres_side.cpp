#include "proxy/catalog/postgres_side.hpp"

#include <boost/json.hpp>
#include <libpq-fe.h>

#include "protocol/sql/name.hpp"
#include "proxy/catalog/postgres_answer.hpp"
#include "proxy/catalog/postgres_login.hpp"
#include "proxy/catalog/postgres_queries.hpp"
#include "proxy/catalog/postgres_table_facts.hpp"
#include "proxy/catalog/search_path.hpp"

namespace isotap::proxy {
namespace {

namespace json = boost::json;
namespace queries = postgres_queries;

/// A lock that a client holds is not waited for; nor does a slow catalog keep the next job.
constexpr const char* own_settings =
    "set lock_timeout = '10ms'; set statement_timeout = '1s'; "
    "set client_min_messages = 'error'; set client_encoding = 'UTF8'";

constexpr const char* safe_path = "pg_catalog";

std::string words(const char* text) {
    std::string kept = text == nullptr ? "" : text;
    while (!kept.empty() && kept.back() == '\n') {
        kept.pop_back();
    }
    return kept;
}

std::string spelled(const TableName& name) {
    const std::string table = sql::quoted(name.second, sql::Dialect::postgres);
    return name.first.empty() ? table
                              : sql::quoted(name.first, sql::Dialect::postgres) + "." + table;
}

}  // namespace

void FreeConnection::operator()(pg_conn* connection) const noexcept {
    PQfinish(connection);
}
void FreeResult::operator()(pg_result* result) const noexcept {
    PQclear(result);
}

Asked<std::unique_ptr<SideConnection>> PostgresSide::connect(const Upstream& upstream,
                                                             const std::string& database) {
    if (upstream.user.empty()) {
        return Trouble{PlanOutcome::no_connection, "no login for a side connection",
                       "the upstream URL names no user"};
    }
    Connection made(connect_to_postgres(upstream, database));
    if (PQstatus(made.get()) != CONNECTION_OK) {
        return Trouble{PlanOutcome::no_connection, "no side connection",
                       words(PQerrorMessage(made.get()))};
    }
    std::unique_ptr<PostgresSide> side(new PostgresSide(std::move(made)));
    const Result set(PQexec(side->connection_.get(), own_settings));
    const auto spoken = side->speak_as(Voice::ourselves);
    const auto path = side->ask(queries::own_search_path);
    if (PQresultStatus(set.get()) != PGRES_COMMAND_OK || !spoken || !path) {
        return Trouble{PlanOutcome::no_connection, "no side connection",
                       words(PQerrorMessage(side->connection_.get()))};
    }
    const std::string_view source = PQgetvalue(path->get(), 0, 1);
    if (source != "user" && source != "database user") {
        side->own_search_path_ = PQgetvalue(path->get(), 0, 0);
    }
    return std::unique_ptr<SideConnection>(std::move(side));
}

std::uint32_t PostgresSide::postgres_version() const {
    return static_cast<std::uint32_t>(PQserverVersion(connection_.get()));
}

Trouble PostgresSide::trouble(const pg_result* result, PlanOutcome outcome,
                              std::string_view reason) const {
    Trouble found{outcome, reason, words(PQresultErrorMessage(result))};
    const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string_view state = field == nullptr ? "" : field;
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
        found.outcome = PlanOutcome::no_connection;
        found.reason = "no side connection";
        found.detail = words(PQerrorMessage(connection_.get()));
    } else if (state == "55P03" || state == "57014" || state == "40P01") {
        found.outcome = PlanOutcome::locked;
        found.reason = "table is locked";
    }
    return found;
}

Asked<PostgresSide::Result> PostgresSide::ask(const char* text,
                                              const std::vector<std::string>& values) {
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values) {
        pointers.push_back(value.c_str());
    }
    Result result(PQexecParams(connection_.get(), text, static_cast<int>(pointers.size()), nullptr,
                               pointers.data(), nullptr, nullptr, 0));
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
        return trouble(result.get(), PlanOutcome::not_prepared, "catalog question refused");
    }
    return result;
}

Asked<std::string> PostgresSide::default_search_path(const std::string& user) {
    auto found = ask(queries::search_path_of_user, {user});
    if (!found) {
        return found.error();
    }
    if (PQntuples(found->get()) == 1) {
        return std::string(PQgetvalue(found->get(), 0, 0));
    }
    return own_search_path_;
}

Asked<void> PostgresSide::speak_as(Voice voice) {
    if (voice_ == voice) {
        return {};
    }
    voice_.reset();
    const bool ours = voice == Voice::ourselves;
    // Whoever spoke last may not be allowed to call what lets another one speak.
    const Result free(PQexec(connection_.get(), "set role none"));
    if (PQresultStatus(free.get()) != PGRES_COMMAND_OK) {
        return trouble(free.get(), PlanOutcome::not_prepared, "catalog question refused");
    }
    const bool safe = voice != Voice::client;
    const auto done = ask(queries::enter, {ours ? "none" : role_, safe ? safe_path : search_path_,
                                           safe || plain_strings_ ? "on" : "off"});
    if (!done) {
        return done.error();
    }
    voice_ = voice;
    return {};
}

Asked<void> PostgresSide::enter(const sql::PlanContext& context, const sql::LexerState& lexing) {
    const char* version = PQparameterStatus(connection_.get(), "server_version");
    if (!context.server_version.empty() && context.server_version != (version ? version : "")) {
        return Trouble{PlanOutcome::no_connection, "another server version",
                       "a session says " + context.server_version};
    }
    if (const auto spoken = speak_as(Voice::ourselves); !spoken) {
        return spoken.error();
    }
    std::string list = context.search_path;
    if (list.empty()) {
        auto found = default_search_path(context.user);
        if (!found) {
            return found.error();
        }
        list = std::move(*found);
    }
    const auto path = search_path_value(list);
    if (!path || path->empty()) {
        return Trouble{PlanOutcome::not_prepared, "search path unknown", list};
    }
    search_path_ = *path;
    role_ = context.role.empty() ? context.user : context.role;
    if (role_ == PQuser(connection_.get())) {
        role_ = "none";
    }
    plain_strings_ = lexing.standard_conforming_strings;
    auto spoken = speak_as(Voice::client);
    if (!spoken && spoken.error().outcome == PlanOutcome::not_prepared) {
        return Trouble{PlanOutcome::not_as_user, "no side connection as this user",
                       spoken.error().detail};
    }
    return spoken;
}

Asked<std::vector<std::string>> PostgresSide::resolve(const std::vector<TableName>& names) {
    if (const auto spoken = speak_as(Voice::client); !spoken) {
        return spoken.error();
    }
    std::vector<std::string> oids;
    for (const TableName& name : names) {
        const auto found = ask(queries::resolve, {spelled(name)});
        if (!found) {
            return found.error();
        }
        const bool there = PQgetisnull(found->get(), 0, 0) == 0;
        oids.emplace_back(there ? PQgetvalue(found->get(), 0, 0) : "0");
    }
    return oids;
}

Asked<NamesKnown> PostgresSide::look_up(const NamesAsked& names) {
    const auto oids = resolve(names.tables);
    if (!oids) {
        return oids.error();
    }
    if (const auto spoken = speak_as(Voice::client_safely); !spoken) {
        return spoken.error();
    }
    json::array tables;
    for (const std::string& oid : *oids) {
        tables.emplace_back(oid);
    }
    const std::string listed = json::serialize(tables);
    const auto rows = ask(queries::tables, {listed});
    if (!rows) {
        return rows.error();
    }
    NamesKnown known;
    for (int i = 0; i < PQntuples(rows->get()); ++i) {
        const auto number = std::stoul(PQgetvalue(rows->get(), i, 0));
        const json::value row = json::parse(PQgetvalue(rows->get(), i, 1));
        known.tables.emplace_back(names.tables.at(number - 1),
                                  postgres_table_facts(row.as_object()));
    }
    if (names.referencing) {
        const auto asked = look_up_referencing(names, listed, known);
        if (!asked) {
            return asked.error();
        }
    }
    if (names.calls.empty()) {
        return known;
    }
    json::array calls;
    for (const std::string& call : names.calls) {
        calls.emplace_back(call);
    }
    const auto aggregates = ask(queries::aggregates, {json::serialize(calls)});
    if (!aggregates) {
        return aggregates.error();
    }
    for (int i = 0; i < PQntuples(aggregates->get()); ++i) {
        known.aggregates.emplace_back(PQgetvalue(aggregates->get(), i, 0));
    }
    return known;
}

Asked<void> PostgresSide::look_up_referencing(const NamesAsked& names, const std::string& oids,
                                              NamesKnown& known) {
    const auto rows = ask(queries::referencing, {oids});
    if (!rows) {
        return rows.error();
    }
    for (int i = 0; i < PQntuples(rows->get()); ++i) {
        const TableName& name = names.tables.at(std::stoul(PQgetvalue(rows->get(), i, 0)) - 1);
        for (auto& [table, facts] : known.tables) {
            if (table == name) {
                facts.referenced_by.emplace_back(PQgetvalue(rows->get(), i, 1));
            }
        }
    }
    return {};
}

Asked<PostgresSide::Result> PostgresSide::describe(const std::string& text,
                                                   const std::vector<std::uint32_t>& types) {
    const Result prepared(PQprepare(connection_.get(), "", text.c_str(),
                                    static_cast<int>(types.size()), types.data()));
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
        return trouble(prepared.get(), PlanOutcome::not_prepared, "not prepared by itself");
    }
    Result described(PQdescribePrepared(connection_.get(), ""));
    if (PQresultStatus(described.get()) != PGRES_COMMAND_OK) {
        return trouble(described.get(), PlanOutcome::not_prepared, "not prepared by itself");
    }
    return described;
}

Asked<void> PostgresSide::prove(const Proof& proof) {
    if (const auto spoken = speak_as(Voice::client); !spoken) {
        return spoken.error();
    }
    const auto original = describe(proof.original, proof.parameter_types);
    if (!original) {
        return original.error();
    }
    const auto rewritten = describe(proof.rewritten, proof.parameter_types);
    if (!rewritten) {
        Trouble why = rewritten.error();
        if (why.outcome == PlanOutcome::not_prepared) {
            why.outcome = PlanOutcome::refuted;
            why.reason = "rewritten text refused";
        }
        return why;
    }
    if (proof.plan.calls_set_config) {
        // To prepare a call does not ask who may make it.
        const auto allowed = ask(queries::may_call_set_config);
        if (!allowed) {
            return allowed.error();
        }
        if (PQgetvalue(allowed->get(), 0, 0) != std::string_view("t")) {
            return Trouble{PlanOutcome::refuted, "set_config not allowed", proof.rewritten};
        }
    }
    if (!same_to_the_client(original->get(), rewritten->get(), proof.plan)) {
        return Trouble{PlanOutcome::refuted, "rewritten text shows", proof.rewritten};
    }
    return {};
}

Asked<std::string> PostgresSide::signature() {
    if (const auto spoken = speak_as(Voice::ourselves); !spoken) {
        return spoken.error();
    }
    const auto found = ask(queries::signature);
    if (!found) {
        return found.error();
    }
    return std::string(PQgetvalue(found->get(), 0, 0));
}

}  // namespace isotap::proxy
