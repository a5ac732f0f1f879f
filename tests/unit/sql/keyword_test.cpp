#include "protocol/sql/keyword.hpp"

#include <string>

#include <gtest/gtest.h>

namespace isotap::sql {
namespace {

TEST(Keyword, IsFoundInAnyCaseByItsSpelling) {
    for (std::uint16_t i = 1; i <= static_cast<std::uint16_t>(Keyword::zone); ++i) {
        const auto keyword = static_cast<Keyword>(i);
        std::string word(spelling(keyword));
        EXPECT_EQ(keyword_of(word), keyword) << word;
        for (char& letter : word) {
            letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
        }
        EXPECT_EQ(keyword_of(word), keyword) << word;
    }
}

TEST(Keyword, OtherWordsAreNone) {
    for (const char* word : {"", "x", "selec", "selects", "accounts", "pgbench_accounts",
                             "a_name_that_is_longer_than_every_keyword_there_is"}) {
        EXPECT_EQ(keyword_of(word), Keyword::none) << word;
    }
}

TEST(Keyword, EnumeratorsStandInTheOrderOfTheTable) {
    EXPECT_EQ(spelling(Keyword::abort), "abort");
    EXPECT_EQ(spelling(Keyword::select), "select");
    EXPECT_EQ(spelling(Keyword::union_), "union");
    EXPECT_EQ(spelling(Keyword::zone), "zone");
}

TEST(Keyword, KnowsWhoReservesIt) {
    EXPECT_EQ(reserved_by_postgres(Keyword::offset), Reserved::yes);
    EXPECT_EQ(reserved_by_postgres(Keyword::set), Reserved::no) << "a legal alias in PostgreSQL";
    EXPECT_EQ(reserved_by_mysql(Keyword::set), Reserved::yes);
    EXPECT_EQ(reserved_by_mysql(Keyword::rank), Reserved::in_some) << "MySQL 8 only";
}

}  // namespace
}  // namespace isotap::sql
