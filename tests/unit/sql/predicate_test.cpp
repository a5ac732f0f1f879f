#include "protocol/sql/predicate.hpp"

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

class PredicateOf : public ::testing::Test {
  protected:
    PredicateDoubt read(std::string_view text, const LexerState& state = postgres_state()) {
        tokens_.read(text, state);
        parse(tokens_, state, structure_);
        predicate_ = {};
        return predicate_of(tokens_, structure_, state, predicate_);
    }

    TokenList tokens_;
    Structure structure_;
    Predicate predicate_;
};

TEST_F(PredicateOf, IsTheConditionUnderTheNameOfTheTable) {
    ASSERT_EQ(read("select * from s.acc as a where a.v > 10 or n like 'x%' order by 1"),
              PredicateDoubt::none);
    EXPECT_EQ(predicate_.condition, "a.v > 10 or n like 'x%'");
    EXPECT_EQ(predicate_.name, "a");
    EXPECT_FALSE(predicate_.has_parameters);
    ASSERT_EQ(read("update acc set v = 1 where id = $1"), PredicateDoubt::none);
    EXPECT_EQ(predicate_.condition, "id = $1");
    EXPECT_EQ(predicate_.name, "acc");
    EXPECT_TRUE(predicate_.has_parameters);
    ASSERT_EQ(read("delete from acc", mariadb_state()), PredicateDoubt::none);
    EXPECT_EQ(predicate_.condition, "") << "all rows";
}

TEST_F(PredicateOf, SaysWhyThereIsNone) {
    EXPECT_EQ(read("select * from a, b where x"), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("select 1"), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("select 1 from f(x)"), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("select 1 from a union select 2 from a"), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("insert into a values (1)"), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("update a, b set x = 1", mariadb_state()), PredicateDoubt::not_one_table);
    EXPECT_EQ(read("select * from a where x in (select 1)"), PredicateDoubt::subquery);
    EXPECT_EQ(read("select * from a where xmin = '5'"), PredicateDoubt::system_column);
    EXPECT_EQ(read("delete from a where current of c"), PredicateDoubt::cursor);
    EXPECT_EQ(read("select * from a where ("), PredicateDoubt::unsure);
}

}  // namespace
}  // namespace isotap::sql
