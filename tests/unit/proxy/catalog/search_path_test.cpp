#include "proxy/catalog/search_path.hpp"

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

TEST(SearchPath, SpellsNamesAsTheSettingDoes) {
    EXPECT_EQ(search_path_value("shop, Public"), R"("shop", "public")");
    EXPECT_EQ(search_path_value(R"("$user", "Mixed""One")"), R"("$user", "Mixed""One")");
    EXPECT_EQ(search_path_value("'a, b', c"), R"("a, b", "c")");
    EXPECT_EQ(search_path_value("'it''s'"), R"("it's")");
    EXPECT_EQ(search_path_value("pg_catalog, public"), R"("pg_catalog", "public")");
    EXPECT_EQ(search_path_value(""), "");
}

TEST(SearchPath, TakesNothingElse) {
    for (const char* list : {"a;", "a; drop table t", "a b", "a,", ",a", "a,,b", "$1", "f(x)",
                             "'open", "E'\\x61'", "a, pg_catalog", "1"}) {
        EXPECT_EQ(search_path_value(list), std::nullopt) << list;
    }
}

}  // namespace
}  // namespace isotap::proxy
