#include "protocol/postgres/instrument/session_context.hpp"

#include <utility>

#include "protocol/postgres/startup_options.hpp"
#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using Kind = StatementEffect::Kind;

void SessionContext::on_start(const frontend::Startup& startup) {
    initial_.user = startup.user;
    initial_.database = startup.database.empty() ? startup.user : startup.database;
    initial_.role = startup.role.empty() ? setting_in_options(startup.options, "role")
                                         : std::string(startup.role);
    initial_.search_path = startup.search_path.empty()
                               ? setting_in_options(startup.options, "search_path")
                               : std::string(startup.search_path);
    now_.context = initial_;
    session_ = now_;
    before_ = now_;
}

void SessionContext::set_search_path(const StatementEffect& effect) {
    now_.context.search_path = effect.value.empty() ? initial_.search_path : effect.value;
    now_.known = true;
    if (!effect.local) {
        session_.context.search_path = now_.context.search_path;
        session_.known = true;
    }
}

void SessionContext::set_role(const StatementEffect& effect) {
    now_.context.role = effect.value;
    if (!effect.local) {
        session_.context.role = effect.value;
    }
}

void SessionContext::on_effect(const StatementEffect& effect) {
    switch (effect.kind) {
        case Kind::search_path:
            set_search_path(effect);
            tables_.on_names_moved();
            break;
        case Kind::role: set_role(effect); break;
        case Kind::reset_all:
            now_.context.search_path = session_.context.search_path = initial_.search_path;
            now_.known = session_.known = true;
            tables_.on_names_moved();
            break;
        case Kind::discard_all:
            now_.context = session_.context = initial_;
            now_.known = session_.known = true;
            tables_.on_names_moved();
            break;
        case Kind::discard_temp: break;
        case Kind::unclear:
            now_.known = session_.known = false;
            tables_.on_names_moved();
            break;
        case Kind::savepoint: save(effect.value); return;
        case Kind::release: release(effect.value); return;
        case Kind::rollback_to: return_to(effect.value); return;
        case Kind::schema:
        case Kind::created:
        case Kind::commit_prepared: schema_changed_ = true; break;
        case Kind::temporary: break;
        case Kind::none:
        case Kind::deallocate_all:
        case Kind::reading:
        case Kind::commit:
        case Kind::rollback: return;
    }
    tables_.on_effect(effect);
    changed_ = true;
    ++generation_;
}

void SessionContext::save(const std::string& name) {
    if (saved_.size() == savepoints_max) {
        forgot_saved_ = true;
    } else {
        saved_.push_back({name, now_, session_, changed_, schema_changed_, tables_});
    }
}

void SessionContext::release(const std::string& name) {
    for (std::size_t i = saved_.size(); i-- > 0;) {
        if (saved_[i].name == name) {
            saved_.resize(i);
            return;
        }
    }
}

/// What was set since the savepoint is undone; what was set before it is not.
void SessionContext::return_to(const std::string& name) {
    for (std::size_t i = saved_.size(); i-- > 0 && !forgot_saved_;) {
        if (saved_[i].name == name) {
            saved_.resize(i + 1);
            const Saved& saved = saved_[i];
            generation_ += saved.now == now_ ? 0 : 1;
            now_ = saved.now;
            session_ = saved.session;
            changed_ = saved.changed;
            schema_changed_ = saved.schema_changed;
            tables_ = saved.tables;
            return;
        }
    }
    if (changed_) {
        now_.known = session_.known = false;
        ++generation_;
    }
}

void SessionContext::on_parameter(std::string_view name, std::string_view value) {
    if (name == "server_version") {
        for (State* state : {&now_, &session_, &before_}) {
            state->context.server_version = value;
        }
        initial_.server_version = value;
        ++generation_;
        return;
    }
    if (name != "search_path" || now_.context.search_path == value) {
        path_reported_ = path_reported_ || name == "search_path";
        return;
    }
    if (!path_reported_) {
        initial_.search_path = value;
        session_.context.search_path = value;
        before_.context.search_path = value;
    }
    path_reported_ = true;
    now_.context.search_path = value;
    tables_.on_names_moved();
    ++generation_;
}

bool SessionContext::on_transaction_end(bool committed) {
    const bool schema_changed = std::exchange(schema_changed_, false);
    ++transaction_;
    saved_.clear();
    forgot_saved_ = false;
    if (changed_) {
        session_ = committed ? session_ : before_;
        now_ = session_;
        changed_ = false;
        ++generation_;
        committed ? tables_.on_committed() : void(tables_ = tables_before_);
        tables_before_ = tables_;
    }
    before_ = session_;
    return schema_changed && committed;
}

std::string_view SessionContext::obstacle() const noexcept {
    if (!now_.known) {
        return "session context";
    }
    return tables_.obstacle();
}

SessionTables::Meaning SessionContext::meaning_of(const sql::TokenList& tokens,
                                                  const sql::Structure& structure) const {
    const SessionTables::Meaning meaning = tables_.meaning_of(tokens, structure);
    const bool temporary_first = now_.context.search_path.find("pg_temp") == std::string::npos;
    return meaning == SessionTables::Meaning::shared || temporary_first
               ? meaning
               : SessionTables::Meaning::unsure;
}

}  // namespace isotap::postgres::instrument
