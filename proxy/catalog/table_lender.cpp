#include "proxy/catalog/table_lender.hpp"

#include <exception>

#include <fmt/format.h>

#include "proxy/catalog/mysql_schema_session.hpp"
#include "proxy/catalog/servers_own.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;

/// A table that somebody uses may be free the next time.
constexpr int tries_max = 5;

bool has_columns(const AuxiliaryState& table) {
    return table.stage == Stage::begun || table.stage == Stage::ready;
}

}  // namespace

Upstream TableLender::at(const std::string& database) const {
    Upstream upstream = upstream_;
    upstream.database = database;
    return upstream;
}

void TableLender::follow(Listener& listener) {
    listener.schema_calls.before_plans = [this](const std::string& database) { lend(database); };
    listener.schema_calls.table_made = [this](const std::string& database,
                                              const std::string& table) {
        table_made(database, table);
    };
}

void TableLender::table_made(const std::string& database, const std::string& table) noexcept try {
    const std::lock_guard lock(made_mutex_);
    if (made_.size() < most_made) {
        made_.emplace_back(database, table);
    }
} catch (const std::exception& error) {
    log_.line(LogLevel::warning, "a table was lent no columns", error.what());
}

/// The databases that hold tables which were made meanwhile.
std::set<std::string> TableLender::take_notice() {
    std::set<std::string> where;
    const std::lock_guard lock(made_mutex_);
    for (Table& table : made_) {
        where.insert(table.first);
        databases_[table.first].made.insert(std::move(table));
    }
    made_.clear();
    return where;
}

void TableLender::lend(const std::string& database) noexcept try {
    const std::lock_guard lock(mutex_);
    std::set<std::string> all = take_notice();
    all.insert(database);
    for (const std::string& one : all) {
        lend_in(one, TableWait::none);
    }
} catch (const std::exception& error) {
    log_.line(LogLevel::warning, "tables were lent no columns", error.what());
}

void TableLender::lend_to_what_is_there(const std::string& database) noexcept {
    const std::lock_guard lock(mutex_);
    lend_in(database, TableWait::seconds);
}

void TableLender::lend_in(const std::string& database, TableWait wait) noexcept try {
    if (over_ || database.empty() || is_servers_own(database)) {
        return;
    }
    Database& state = databases_[database];
    const auto columns = auxiliary_columns(at(database), wait);
    for (const AuxiliaryState& table : columns->at_a_glance()) {
        if (has_columns(table) && !state.known) {
            state.had.insert({table.schema, table.table});
        }
        if (wants(state, table)) {
            lend_to(state, *columns, table);
        }
    }
    state.known = true;
    // What is not there any more is not waited for.
    std::erase_if(state.made, [&](const Table& name) { return !state.refused.contains(name); });
} catch (const std::exception& error) {
    log_.line(LogLevel::warning, "tables were lent no columns", database + ": " + error.what());
}

/// One that has begun lacks something: a client may have altered, renamed or copied it.
bool TableLender::wants(const Database& state, const AuxiliaryState& table) const {
    const Table name{table.schema, table.table};
    const auto refused = state.refused.find(name);
    if (refused != state.refused.end() && refused->second >= tries_max) {
        return false;
    }
    return table.stage == Stage::begun ||
           (table.stage == Stage::absent && (which_ == Which::every || state.made.contains(name)));
}

void TableLender::lend_to(Database& state, AuxiliaryColumns& columns, const AuxiliaryState& table) {
    const Table name{table.schema, table.table};
    try {
        ++state.lent;  // a part of it may be done when the rest fails
        columns.add(table, [](std::uint64_t) {});
        state.made.erase(name);
        state.refused.erase(name);
    } catch (const std::exception& error) {
        if (++state.refused[name] == 1) {
            log_.line(LogLevel::warning, "a table was lent no columns",
                      fmt::format("{}.{}: {}", table.schema, table.table, error.what()));
        }
    }
}

bool TableLender::take_back() noexcept {
    const std::lock_guard lock(mutex_);
    over_ = true;
    bool all = true;
    for (auto& [name, state] : databases_) {
        if (state.lent == 0) {
            continue;
        }
        try {
            if (!is_there(name) || take_back_from(state, name)) {
                state.lent = 0;
            } else {
                all = false;
            }
        } catch (const std::exception& error) {
            all = false;
            log_.line(LogLevel::error, "lent columns had to stay", name + ": " + error.what());
        }
    }
    return all;
}

/// Clients may have dropped it.
bool TableLender::is_there(const std::string& database) const {
    MysqlSchemaSession server(at({}), TableWait::seconds);
    const std::string name = server.literal(database);
    return !server.ask("select 1 from information_schema.schemata where schema_name = " + name)
                .empty();
}

/// Copies of tables have the columns as well: whatever has them and had not goes back. False when
/// one of the tables keeps them.
bool TableLender::take_back_from(const Database& state, const std::string& name) {
    const auto columns = auxiliary_columns(at(name));
    bool all = true;
    for (const AuxiliaryState& table : columns->at_a_glance()) {
        if (has_columns(table) && !state.had.contains({table.schema, table.table})) {
            all = take_back(*columns, table) && all;
        }
    }
    return all;
}

bool TableLender::take_back(AuxiliaryColumns& columns, const AuxiliaryState& table) try {
    columns.drop(table);
    return true;
} catch (const TableRefused& refusal) {
    log_.line(LogLevel::error, "lent columns had to stay",
              fmt::format("{}.{}: {}", table.schema, table.table, refusal.words()));
    return false;
}

}  // namespace isotap::proxy
