#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"
#include "proxy/ops/upstream_url.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;
using Tables = std::vector<AuxiliaryState>;

struct SchemaLine {
    std::string action;
    std::string url;
    std::vector<std::string> tables;
};

std::unique_ptr<CLI::App> make_app(SchemaLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Adds the columns isotap_rowid and isotap_wlist to the tables of a database (on Oracle's "
        "MySQL also\ntriggers), says which tables have them, and takes them away again without a "
        "trace.",
        "isotap schema");
    app->add_option("ACTION", line.action, "add, drop or status")
        ->required()
        ->check(CLI::IsMember({"add", "drop", "status"}));
    app->add_option("URL", line.url, "postgres://user@host/database or mysql://user@host/database")
        ->required();
    app->add_option("--tables", line.tables, "These only: table or schema.table, with commas")
        ->type_name("NAMES")
        ->delimiter(',');
    return app;
}

std::string name_of(const AuxiliaryState& table) {
    return table.schema + "." + table.table;
}

bool is_named(const AuxiliaryState& table, const std::vector<std::string>& names) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return name == table.table || name == name_of(table);
           });
}

/// The tables that are meant. One that was named and is not there, or cannot have the columns, is
/// a mistake; without names such tables are only told of.
Tables meant(Tables all, const SchemaLine& line) {
    for (const std::string& name : line.tables) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const AuxiliaryState& table) {
            return is_named(table, {name});
        });
        if (found == all.end()) {
            refuse(fmt::format("there is no table {}: 'isotap schema status' lists them", name));
        }
        if (found->stage == Stage::refused && line.action == "add") {
            refuse(fmt::format("{} cannot have the columns ({}): leave it out", name_of(*found),
                               found->why));
        }
    }
    all.erase(
        std::remove_if(all.begin(), all.end(),
                       [&](const AuxiliaryState& table) { return !is_named(table, line.tables); }),
        all.end());
    return all;
}

std::string said(const AuxiliaryState& table) {
    switch (table.stage) {
        case Stage::absent: return "absent";
        case Stage::begun: return "begun, not all is in place: add again";
        case Stage::ready: return "ready";
        case Stage::unread: return "not known, its rows cannot be looked at: " + table.why;
        case Stage::refused: break;
    }
    return "never: " + table.why;
}

/// One table after the other has its turn. One that the server refuses keeps no other from its
/// own, and is told of once more when all had theirs.
class Round {
  public:
    void turn(const AuxiliaryState& table, const std::function<void()>& work) {
        try {
            work();
            passed();
        } catch (const TableRefused& refusal) {
            fmt::print("{}: refused: {}\n", name_of(table), refusal.words());
            refused(table, refusal.words());
        } catch (const StartupError& error) {
            std::fflush(stdout);
            throw StartupError(StartupError::Kind::failure, name_of(table) + ": " + error.what());
        }
    }

    void passed() { ++passed_; }
    void refused(const AuxiliaryState& table, const std::string& words) {
        refused_.push_back(fmt::format("\n  {}: {}", name_of(table), words));
    }

    /// `others` is what can be said of those that were not refused.
    void end(std::string_view others) const {
        if (!refused_.empty()) {
            std::fflush(stdout);
            throw StartupError(
                StartupError::Kind::failure,
                fmt::format("{} of {} tables {}, the server refused the rest: put that right and "
                            "start again{}",
                            passed_, passed_ + refused_.size(), others, fmt::join(refused_, "")));
        }
    }

  private:
    std::size_t passed_ = 0;
    std::vector<std::string> refused_;
};

void add_to(AuxiliaryColumns& columns, const AuxiliaryState& table) {
    if (table.stage != Stage::ready) {
        columns.add(table, [&](std::uint64_t rows) {
            fmt::print("{}: {} rows named\n", name_of(table), rows);
            std::fflush(stdout);
        });
    }
    fmt::print("{}: ready\n", name_of(table));
}

void add_to(AuxiliaryColumns& columns, const Tables& tables) {
    Round round;
    for (const AuxiliaryState& table : tables) {
        if (table.stage == Stage::refused) {
            fmt::print("{}: {}\n", name_of(table), said(table));
        } else {
            round.turn(table, [&] { add_to(columns, table); });
        }
    }
    round.end("have the columns");
}

void drop_from(AuxiliaryColumns& columns, const Tables& tables) {
    Round round;
    for (const AuxiliaryState& table : tables) {
        if (table.stage == Stage::begun || table.stage == Stage::ready) {
            round.turn(table, [&] {
                columns.drop(table);
                fmt::print("{}: dropped\n", name_of(table));
            });
        }
    }
    round.end("have lost the columns");
}

void tell_of(const Tables& tables) {
    Round round;
    for (const AuxiliaryState& table : tables) {
        fmt::print("{}: {}\n", name_of(table), said(table));
        if (table.stage == Stage::unread) {
            round.refused(table, table.why);
        } else {
            round.passed();
        }
    }
    round.end("could be looked at");
}

}  // namespace

int run_schema(const std::vector<std::string>& arguments) {
    SchemaLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    Upstream upstream = parse_upstream_url(line.url);
    if (const char* password = std::getenv("ISOTAP_UPSTREAM_PASSWORD")) {
        upstream.password = password;
    }
    if (upstream.user.empty() || upstream.database.empty()) {
        refuse(fmt::format("the URL names no user or no database: write {}://user@host/database",
                           upstream.dialect == history::Dialect::mysql ? "mysql" : "postgres"));
    }
    const auto columns = auxiliary_columns(upstream);
    // Whether every row has its name does not matter where they lose it.
    const bool drops = line.action == "drop";
    const Tables tables = meant(drops ? columns->at_a_glance() : columns->tables(), line);
    if (line.action == "add" && upstream.dialect == history::Dialect::postgres) {
        fmt::print(stderr,
                   "isotap: PostgreSQL is watched without these columns: '--mode instrument' does "
                   "not use them\n");
    }
    if (line.action == "add") {
        add_to(*columns, tables);
    } else if (drops) {
        drop_from(*columns, tables);
    } else {
        tell_of(tables);
    }
    return 0;
}

std::string help_for_schema() {
    SchemaLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
