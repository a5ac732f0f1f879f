// The relay path allocates nothing: its own program, because it counts every allocation.
#include <string>

#include <gtest/gtest.h>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/shape.hpp"
#include "protocol/sql/statement_splitter.hpp"
#include "protocol/sql/transaction_control.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/unit/sql/dialects.hpp"
#include "tests/unit/sql/literal_catalog.hpp"

namespace isotap::sql {
namespace {

TEST(Allocation, ReadingTransactionControlTakesNone) {
    const LexerState states[] = {postgres_state(), mysql_state()};
    const std::size_t before = counted_allocations();
    bool found = false;
    for (const LexerState& state : states) {
        StatementSplitter splitter(
            "begin isolation level serializable; select 'x' from t; savepoint a; "
            "set session transaction isolation level read committed; rollback to a; commit",
            state);
        StatementSpan statement;
        while (splitter.next(statement)) {
            const auto control = read_transaction_control(statement.text, state);
            found = found || control.verb == TransactionVerb::commit;
        }
    }
    EXPECT_EQ(counted_allocations(), before);
    EXPECT_TRUE(found);
}

TEST(Allocation, ApplyingAPlanTakesNoneOnceTheBuffersHaveGrown) {
    const LexerState state = postgres_state();
    LiteralCatalog catalog;
    catalog.add("acc", VersionSource::system, {"id", "bal"});
    TokenList tokens;
    Structure structure;
    const std::string text = "update acc set bal = bal + 1 where id = 7 returning *";
    tokens.read(text, state);
    parse(tokens, state, structure);
    const Plan plan = make_plan(tokens, structure, state, catalog, {});
    ASSERT_TRUE(plan.rewrites());
    std::string out;
    apply(plan, tokens, "'T5.1'", out);

    const std::size_t before = counted_allocations();
    Fingerprint print;
    for (int i = 0; i < 100; ++i) {
        tokens.read(text, state);
        print = fingerprint(tokens, state, 1);
        apply(plan, tokens, "'T5.1'", out);
    }
    EXPECT_EQ(counted_allocations(), before);
    EXPECT_NE(print, Fingerprint{});
}

}  // namespace
}  // namespace isotap::sql
