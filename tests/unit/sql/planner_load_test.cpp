#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;

class PlannerLoad : public Planner {
  protected:
    void expect(const Plan& made, std::string_view reason, bool full_when_none_skipped) {
        EXPECT_TRUE(made.loads);
        EXPECT_EQ(made.reason, reason);
        EXPECT_EQ(made.coverage, reason.empty() ? Coverage::full : Coverage::partial);
        EXPECT_EQ(made.full_when_none_skipped, full_when_none_skipped);
        EXPECT_EQ(made.tables.at(0).kind, AccessKind::insert);
        EXPECT_FALSE(made.afterwards.empty());
    }
};

TEST_F(PlannerLoad, NamesItsRowsOnMariadb) {
    EXPECT_TRUE(
        mariadb("load data infile 'x' into table inv character set utf8 fields terminated by ',' "
                "ignore 1 lines (id, @v)")
            .starts_with("load data infile 'x' into table inv character set utf8 fields terminated "
                         "by ',' ignore 1 lines (id, @v) set `isotap_wlist`='T5.1', "
                         "`isotap_rowid`=left(right(convert(@isotap_rows:="));
    expect(plan_, "", true);
    EXPECT_FALSE(plan_.asks_for_file);
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_TRUE(mariadb("load data concurrent local infile 'x' into table inv (id) set v = 1")
                    .starts_with("load data concurrent local infile 'x' into table inv (id) set v "
                                 "= 1, `isotap_wlist`='T5.1'"));
    expect(plan_, "rows that IGNORE skips", true);
    EXPECT_TRUE(plan_.asks_for_file);
    mariadb("load data low_priority local infile 'x' replace into table inv partition (p, q)");
    expect(plan_, "rows that REPLACE removes", true);
    mariadb("load data infile 'x' ignore into table inv set v = (select max(v) from num)");
    expect(plan_, "subquery", false);
    catalog_.add("fires", VersionSource::columns, {"id", "v"}).has_triggers = true;
    mariadb("load data infile 'x' ignore into table fires");
    EXPECT_FALSE(plan_.full_when_none_skipped) << "nothing tells what triggers write";
}

TEST_F(PlannerLoad, IsToldByTriggersOnMysql) {
    const Plan local = plan("load data local infile 'x' into table trig", mysql_state());
    EXPECT_TRUE(local.told_by_triggers);
    EXPECT_TRUE(local.asks_for_file);
    EXPECT_FALSE(local.rewrites());
    expect(local, "rows that IGNORE skips", true);
    expect(plan("load data infile 'x' replace into table trig", mysql_state()), "", true);
    expect(plan("load data infile 'x' replace into table parent", mysql_state()),
           "rows that foreign keys change", false);
}

TEST_F(PlannerLoad, LeavesAloneWhatItDoesNotKnow) {
    expect_opaque("load data infile 'x' into table inv fields terminated by ',' (id",
                  mariadb_state(), "parentheses");
    expect_opaque("load data infile 'x' into inv", mariadb_state(), "unexpected word");
    expect_opaque("load data infile 'x' into table nowhere", mariadb_state(), "unknown table");
}

}  // namespace
}  // namespace isotap::sql
