#include "proxy/catalog/table_lender.hpp"

#include <exception>

#include <fmt/format.h>

#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/catalog/servers_own.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;

bool has_columns(const AuxiliaryState& table) {
    return table.stage == Stage::begun || table.stage == Stage::ready;
}

}  // namespace

Upstream TableLender::at(const std::string& database) const {
    Upstream upstream = upstream_;
    upstream.database = database;
    return upstream;
}

void TableLender::lend(const std::string& database) noexcept try {
    if (database.empty() || is_servers_own(database)) {
        return;
    }
    const std::lock_guard lock(mutex_);
    if (over_) {
        return;
    }
    lend_in(databases_[database], database);
} catch (const std::exception& error) {
    log_.line(LogLevel::warning, "tables were lent no columns", database + ": " + error.what());
}

void TableLender::lend_in(Database& state, const std::string& name) {
    const auto columns = auxiliary_columns(at(name));
    for (const AuxiliaryState& table : columns->at_a_glance()) {
        const Table known{table.schema, table.table};
        if (has_columns(table) && !state.known) {
            state.had.insert(known);
        }
        if (table.stage != Stage::absent || state.left.contains(known)) {
            continue;
        }
        try {
            ++state.lent;  // a part of it may be done when the rest fails
            columns->add(table, [](std::uint64_t) {});
        } catch (const std::exception& error) {
            state.left.insert(known);
            log_.line(LogLevel::warning, "a table was lent no columns",
                      fmt::format("{}.{}: {}", table.schema, table.table, error.what()));
        }
    }
    state.known = true;
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
            take_back_from(state, name);
            state.lent = 0;
        } catch (const std::exception& error) {
            all = false;
            log_.line(LogLevel::error, "lent columns had to stay", name + ": " + error.what());
        }
    }
    return all;
}

/// Copies of tables have the columns as well: whatever has them and had not goes back.
void TableLender::take_back_from(const Database& state, const std::string& name) {
    const auto columns = auxiliary_columns(at(name));
    for (const AuxiliaryState& table : columns->at_a_glance()) {
        if (has_columns(table) && !state.had.contains({table.schema, table.table})) {
            columns->drop(table);
        }
    }
}

}  // namespace isotap::proxy
