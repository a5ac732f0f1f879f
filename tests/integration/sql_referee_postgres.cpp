// PostgreSQL's own grammar (libpg_query) judges our parser: over every statement of the files named
// on the command line, both must find the same tables, aliases, select items, clauses and
// aggregates, or our parser says 'not sure'. A wrong answer fails; so does being unsure too often.
// And what our plans make of a statement must still be PostgreSQL's grammar.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <pg_query.h>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/statement_splitter.hpp"
#include "tests/integration/sql_facts.hpp"

namespace {

using isotap::sql::Facts;

constexpr double most_unsure_percent = 3.0;

/// A psql script without what psql keeps for itself: backslash commands and data of COPY.
std::string sql_of(const std::string& path) {
    std::ifstream file(path);
    static const std::regex command(R"(\s*\\(;|g|gset|gexec|gdesc|gx|crosstabview|bind)\b.*$)");
    static const std::regex copy_in(R"(copy\s.*from\s+stdin.*;\s*$)", std::regex::icase);
    std::string sql;
    bool data = false;
    for (std::string line; std::getline(file, line);) {
        if (data) {
            data = line != "\\.";
        } else if (line.empty() || line[0] != '\\') {
            data = std::regex_search(line, copy_in);
            sql += std::regex_replace(line, command, ";") + "\n";
        }
    }
    return sql;
}

/// Every name is a table with versions.
class EveryTable : public isotap::sql::Catalog {
  public:
    explicit EveryTable(isotap::sql::VersionSource source) {
        table_.identity = "any";
        table_.source = source;
        table_.shows_auxiliary = source == isotap::sql::VersionSource::columns;
        table_.key = {"id", "part"};
        table_.columns = {"id", "part", "a name"};
    }
    [[nodiscard]] const isotap::sql::Table* find(std::string_view /*schema*/,
                                                 std::string_view /*name*/) const override {
        return &table_;
    }
    [[nodiscard]] bool is_user_aggregate(std::string_view /*name*/) const override { return false; }

  private:
    isotap::sql::Table table_;
};

bool is_grammar(const std::string& text) {
    const PgQueryParseResult parsed = pg_query_parse(text.c_str());
    const bool readable = parsed.error == nullptr;
    pg_query_free_parse_result(parsed);
    return readable;
}

struct Tally {
    std::size_t seen = 0;
    std::size_t unsure = 0;
    std::size_t wrong = 0;
    std::size_t rewritten = 0;
    std::map<std::string, std::size_t> doubts;
    std::map<std::string, std::size_t> plans;  ///< by coverage and reason
};

/// How much a statement tells, and why not all.
std::string coverage_of(const isotap::sql::Plan& plan) {
    using isotap::history::Coverage;
    switch (plan.coverage) {
        case Coverage::full: return plan.tables.empty() ? "full: no table" : "full";
        case Coverage::partial: return "partly: " + std::string(plan.reason);
        case Coverage::opaque: return "not: " + std::string(plan.reason);
        case Coverage::none: break;
    }
    return "nothing to tell";
}

void print_plans(const Tally& tally) {
    std::vector<std::pair<std::size_t, std::string>> sorted;
    for (const auto& [reason, count] : tally.plans) {
        sorted.emplace_back(count, reason);
    }
    std::sort(sorted.rbegin(), sorted.rend());
    for (const auto& [count, reason] : sorted) {
        std::printf("%6zu (%.1f %%) planned %s\n", count,
                    100.0 * static_cast<double>(count) / static_cast<double>(tally.seen),
                    reason.c_str());
    }
}

/// What a plan makes of the statement, for either source of versions.
void judge_rewriting(const std::string& text, Tally& tally) {
    using isotap::sql::VersionSource;
    isotap::sql::LexerState state;
    state.dialect = isotap::sql::Dialect::postgres;
    isotap::sql::TokenList tokens;
    tokens.read(text, state);
    isotap::sql::Structure structure;
    isotap::sql::parse(tokens, state, structure);
    for (const VersionSource source : {VersionSource::system, VersionSource::columns}) {
        const EveryTable catalog(source);
        const auto plan = isotap::sql::make_plan(tokens, structure, state, catalog, {});
        std::string rewritten;
        isotap::sql::apply(plan, tokens, "'T5.1'", rewritten);
        tally.rewritten += plan.rewrites() ? 1 : 0;
        if (source == VersionSource::system) {
            ++tally.plans[coverage_of(plan)];
        }
        if (!is_grammar(rewritten)) {
            ++tally.wrong;
            std::printf("WRONG: %s\n    as: %s\n", text.c_str(), rewritten.c_str());
        }
    }
}

void judge(std::string_view statement, Tally& tally) {
    const std::string text(statement);
    const PgQueryParseResult parsed = pg_query_parse(text.c_str());
    const bool readable = parsed.error == nullptr;
    const std::string tree = readable ? parsed.parse_tree : "";
    pg_query_free_parse_result(parsed);
    if (!readable) {
        return;
    }
    const Facts theirs = isotap::sql::facts_of_postgres(tree);
    if (!theirs.touches_rows) {
        return;
    }
    ++tally.seen;
    std::string doubt;
    const Facts ours = isotap::sql::facts_of_ours(text, doubt);
    if (!doubt.empty()) {
        ++tally.unsure;
        ++tally.doubts[doubt];
        ++tally.plans["not: " + doubt];
        if (std::getenv("ISOTAP_SHOW_UNSURE") != nullptr) {
            std::printf("NOT SURE (%s): %s\n", doubt.c_str(), text.c_str());
        }
        return;
    }
    const std::string difference = isotap::sql::difference(ours, theirs);
    if (!difference.empty()) {
        ++tally.wrong;
        std::printf("WRONG: %s\n%s", text.c_str(), difference.c_str());
    }
    judge_rewriting(text, tally);
}

}  // namespace

int main(int argc, char** argv) {
    isotap::sql::LexerState state;
    state.dialect = isotap::sql::Dialect::postgres;
    Tally tally;
    for (int i = 1; i < argc; ++i) {
        const std::string sql = sql_of(argv[i]);
        isotap::sql::StatementSplitter splitter(sql, state);
        isotap::sql::StatementSpan statement;
        while (splitter.next(statement)) {
            judge(statement.text, tally);
        }
    }
    for (const auto& [doubt, count] : tally.doubts) {
        std::printf("%6zu not sure: %s\n", count, doubt.c_str());
    }
    print_plans(tally);
    const double percent = tally.seen == 0 ? 100.0
                                           : 100.0 * static_cast<double>(tally.unsure) /
                                                 static_cast<double>(tally.seen);
    std::printf(
        "%zu statements that touch rows, %zu wrong, %zu not sure (%.2f %%), %zu rewritings\n",
        tally.seen, tally.wrong, tally.unsure, percent, tally.rewritten);
    return tally.wrong == 0 && percent <= most_unsure_percent ? 0 : 1;
}
