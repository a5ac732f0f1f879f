// What instrumentation costs per statement, beside PostgreSQL's own scanner and parser in the same
// run: statements of pgbench and sysbench.
//   cached: lex, fingerprint, find the plan, apply it. Promise: at most 2 us, no allocation.
//   first:  lex, parse, plan. Promise: at most 50 us.
#include <array>
#include <pg_query.h>
#include <string>
#include <string_view>
#include <unordered_map>

#include <benchmark/benchmark.h>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/shape.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/unit/sql/dialects.hpp"
#include "tests/unit/sql/literal_catalog.hpp"

namespace {

namespace sql = isotap::sql;

constexpr std::array<std::string_view, 11> statements{
    "UPDATE pgbench_accounts SET abalance = abalance + -1500 WHERE aid = 4711;",
    "SELECT abalance FROM pgbench_accounts WHERE aid = 4711;",
    "UPDATE pgbench_tellers SET tbalance = tbalance + 20 WHERE tid = 7;",
    "UPDATE pgbench_branches SET bbalance = bbalance + 20 WHERE bid = 1;",
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (7, 1, 4711, 20, "
    "CURRENT_TIMESTAMP);",
    "SELECT c FROM sbtest1 WHERE id=5023",
    "SELECT c FROM sbtest1 WHERE id BETWEEN 4983 AND 5082",
    "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 4983 AND 5082",
    "UPDATE sbtest1 SET k=k+1 WHERE id=5019",
    "DELETE FROM sbtest1 WHERE id=5023",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (5023, 4991, "
    "'83868641912-28773972837-60736120486-75162659906-27563526494', '67847967377-48000963322')"};

class Bench {
  public:
    Bench() {
        for (const char* name : {"pgbench_accounts", "pgbench_tellers", "pgbench_branches",
                                 "pgbench_history", "sbtest1"}) {
            catalog_.add(name, sql::VersionSource::system, {"id"});
        }
    }

    const sql::Plan& first(std::string_view text) {
        tokens_.read(text, state_);
        sql::parse(tokens_, state_, structure_);
        plan_ = sql::make_plan(tokens_, structure_, state_, catalog_, {});
        return plan_;
    }

    void remember(std::string_view text) {
        first(text);
        plans_.emplace(sql::fingerprint(tokens_, state_, key), plan_);
    }

    std::string_view cached(std::string_view text) {
        tokens_.read(text, state_);
        const auto found = plans_.find(sql::fingerprint(tokens_, state_, key));
        sql::apply(found->second, tokens_, {}, out_);
        return out_;
    }

  private:
    static constexpr std::uint64_t key = 0x1234567890ABCDEFULL;

    sql::LexerState state_ = sql::postgres_state();
    sql::LiteralCatalog catalog_;
    sql::TokenList tokens_;
    sql::Structure structure_;
    sql::Plan plan_;
    std::unordered_map<sql::Fingerprint, sql::Plan> plans_;
    std::string out_;
};

std::string_view statement(const benchmark::State& state) {
    return statements[static_cast<std::size_t>(state.range(0))];
}

void label(benchmark::State& state) {
    state.SetLabel(std::string(statement(state).substr(0, 40)));
}

void cached_plan(benchmark::State& state) {
    Bench bench;
    for (const std::string_view text : statements) {
        bench.remember(text);
    }
    bench.cached(statement(state));
    const std::size_t before = isotap::counted_allocations();
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(bench.cached(statement(state)));
    }
    state.counters["allocations"] = static_cast<double>(isotap::counted_allocations() - before);
    label(state);
}

void first_plan(benchmark::State& state) {
    Bench bench;
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(bench.first(statement(state)));
    }
    label(state);
}

void referee_scan(benchmark::State& state) {
    const std::string text(statement(state));
    for ([[maybe_unused]] auto _ : state) {
        const PgQueryScanResult result = pg_query_scan(text.c_str());
        pg_query_free_scan_result(result);
    }
    label(state);
}

void referee_parse(benchmark::State& state) {
    const std::string text(statement(state));
    for ([[maybe_unused]] auto _ : state) {
        const PgQueryParseResult result = pg_query_parse(text.c_str());
        pg_query_free_parse_result(result);
    }
    label(state);
}

constexpr auto last = static_cast<std::int64_t>(statements.size()) - 1;
BENCHMARK(cached_plan)->DenseRange(0, last);
BENCHMARK(first_plan)->DenseRange(0, last);
BENCHMARK(referee_scan)->DenseRange(0, last);
BENCHMARK(referee_parse)->DenseRange(0, last);

}  // namespace

BENCHMARK_MAIN();
