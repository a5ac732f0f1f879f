#include "protocol/mysql/instrument/told_write.hpp"

#include <gtest/gtest.h>

namespace isotap::mysql::instrument {
namespace {

TEST(ToldWrite, IsReadEntryByEntry) {
    std::string_view text = "Ushop.account r1=T0,T5.1;Ishop.a%3b%20b r2=T5.2;!;Dshop.account =T0;";
    ToldRow row;
    ASSERT_TRUE(take_told_row(text, row));
    EXPECT_EQ(row.kind, ToldKind::updated);
    EXPECT_EQ(row.table, "shop.account");
    EXPECT_EQ(row.row, "r1");
    EXPECT_EQ(row.writers, "T0,T5.1");
    ASSERT_TRUE(take_told_row(text, row));
    EXPECT_EQ(row.kind, ToldKind::inserted);
    EXPECT_EQ(identity_of(row.table), "shop.a; b");
    ASSERT_TRUE(take_told_row(text, row));
    EXPECT_EQ(row.kind, ToldKind::omitted);
    ASSERT_TRUE(take_told_row(text, row));
    EXPECT_EQ(row.kind, ToldKind::removed);
    EXPECT_EQ(row.row, "");
    EXPECT_TRUE(text.empty());
}

TEST(ToldWrite, RefusesWhatItIsNot) {
    for (std::string_view text : {"Ushop.account r1=T0", "Xshop.account r1=T0;", ";", "U;", "Ua;",
                                  "Ua=b;", "Ua=b c;", "!x;", "=;"}) {
        ToldRow row;
        EXPECT_FALSE(take_told_row(text, row)) << text;
    }
}

TEST(ToldWrite, NamesTablesInAscii) {
    for (const std::string_view name : {"shop.account", "a b.c;d=e", "\xc3\xa9.%41", "%.%4"}) {
        const std::string told = told_name(name);
        EXPECT_EQ(identity_of(told), name);
        EXPECT_EQ(told.find_first_of(" ;='\\"), std::string::npos) << told;
    }
    EXPECT_EQ(identity_of("a%"), "a%");
    EXPECT_EQ(identity_of("a%zz"), "a%zz");
}

}  // namespace
}  // namespace isotap::mysql::instrument
