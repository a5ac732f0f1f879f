#include "protocol/sql/shape.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

Fingerprint shape(std::string_view text, const LexerState& state = postgres_state(),
                  std::uint64_t key = 1) {
    TokenList tokens;
    tokens.read(text, state);
    return fingerprint(tokens, state, key);
}

TEST(Shape, MasksLiteralsCommentsAndSpace) {
    EXPECT_EQ(shape("select a from t where b = 1 and c = 'x'"),
              shape("select a\nfrom t /* y */ where b=22 and c=$$long$$ -- z"));
}

TEST(Shape, TellsEverythingElseApart) {
    const std::set<Fingerprint> shapes{shape("select 1"),
                                       shape("select 'a'"),
                                       shape("select 1.5"),
                                       shape("select $1"),
                                       shape("select $2"),
                                       shape("select a"),
                                       shape("select A"),
                                       shape("select \"a\""),
                                       shape("select a, b"),
                                       shape("select ab"),
                                       shape("select a b"),
                                       shape(""),
                                       shape("select 1, 1"),
                                       shape("select 1", mysql_state()),
                                       shape("select 1", postgres_state(), 2)};
    EXPECT_EQ(shapes.size(), 15U);
}

TEST(Shape, BothHalvesSpread) {
    std::set<std::uint64_t> high;
    std::set<std::uint64_t> low;
    for (int i = 0; i < 20000; ++i) {
        const Fingerprint print = shape("select c" + std::to_string(i) + " from t");
        high.insert(print.high);
        low.insert(print.low);
    }
    EXPECT_EQ(high.size(), 20000U);
    EXPECT_EQ(low.size(), 20000U);
}

}  // namespace
}  // namespace isotap::sql
