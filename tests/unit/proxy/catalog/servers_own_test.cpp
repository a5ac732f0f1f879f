#include "proxy/catalog/servers_own.hpp"

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

TEST(ServersOwn, AreFourDatabases) {
    for (const char* name :
         {"mysql", "sys", "information_schema", "INFORMATION_SCHEMA", "Performance_Schema"}) {
        EXPECT_TRUE(is_servers_own(name)) << name;
    }
    // Where letters count, these are somebody's.
    for (const char* name : {"", "shop", "MySQL", "SYS", "mysql2"}) {
        EXPECT_FALSE(is_servers_own(name)) << name;
    }
}

}  // namespace
}  // namespace isotap::proxy
