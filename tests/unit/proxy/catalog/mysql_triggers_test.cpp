#include "proxy/catalog/mysql_triggers.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using testing::HasSubstr;

const std::vector<MysqlColumn> columns{{"id", "int"}, {"a`b", "varchar"}};

const MysqlTrigger somebodys{"audit", "BEFORE", "UPDATE", "set new.id = old.id"};

class MysqlTriggers : public testing::Test {
  protected:
    const std::vector<MysqlTrigger> wanted_ = wanted_triggers("shop.account", columns);
    std::vector<MysqlTrigger> found_ = wanted_;
};

TEST_F(MysqlTriggers, AreInForceAsTheyAreWanted) {
    EXPECT_TRUE(are_in_force(found_, wanted_));
    std::reverse(found_.begin(), found_.end());
    EXPECT_TRUE(are_in_force(found_, wanted_));
}

TEST_F(MysqlTriggers, AreNotInForceWhereOneIsMissing) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
        std::vector<MysqlTrigger> found = wanted_;
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(are_in_force(found, wanted_)) << wanted_[i].name;
    }
    EXPECT_FALSE(are_in_force({}, wanted_));
}

TEST_F(MysqlTriggers, AreNotInForceOnAnotherTableThanTheirText) {
    EXPECT_FALSE(are_in_force(wanted_triggers("shop.renamed", columns), wanted_));
    EXPECT_FALSE(are_in_force(wanted_triggers("shop.account", {columns.front()}), wanted_))
        << "a column has been added";
    EXPECT_FALSE(are_in_force(
        wanted_triggers("shop.account", {{"id", "float"}, {"a`b", "varchar"}}), wanted_))
        << "a column has another type";
}

/// What comes behind ours may change what was compared.
TEST_F(MysqlTriggers, SeeARowLastBeforeItIsUpdated) {
    found_.insert(found_.begin(), somebodys);
    EXPECT_TRUE(are_in_force(found_, wanted_));
    found_.push_back(somebodys);
    EXPECT_FALSE(are_in_force(found_, wanted_));
}

TEST_F(MysqlTriggers, DoNotTellTwice) {
    found_.push_back(found_.back());
    EXPECT_FALSE(are_in_force(found_, wanted_));
}

TEST_F(MysqlTriggers, CompareAsTheServerDoes) {
    const auto body = [](const std::string& type) {
        for (const MysqlTrigger& one : wanted_triggers("s.t", {{"c", type}})) {
            if (one.name == "isotap_bu") return one.body;
        }
        return std::string();
    };
    EXPECT_THAT(body("int"), HasSubstr("not (old.`c`<=>new.`c`)"));
    EXPECT_THAT(body("varchar"), HasSubstr("cast(old.`c` as binary)<=>cast(new.`c` as binary)"));
    EXPECT_THAT(body("enum"), HasSubstr("old.`c`+0<=>new.`c`+0"));
    EXPECT_THAT(body("double"), HasSubstr("cast(old.`c` as char)<=>cast(new.`c` as char)"));
    EXPECT_THAT(body("timestamp"), HasSubstr("unix_timestamp(old.`c`)<=>unix_timestamp(new.`c`)"));
    EXPECT_THAT(wanted_[2].body, HasSubstr("old.`a``b`"));
}

}  // namespace
}  // namespace isotap::proxy
