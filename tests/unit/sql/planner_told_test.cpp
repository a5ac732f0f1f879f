#include <string_view>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;

class PlannerTold : public Planner {
  protected:
    Plan told(std::string_view text) {
        Plan made = plan(text, mysql_state());
        EXPECT_TRUE(made.told_by_triggers) << text << ": " << made.reason;
        EXPECT_FALSE(made.rewrites()) << text;
        EXPECT_TRUE(made.added.empty()) << text;
        EXPECT_FALSE(made.afterwards.empty()) << text;
        return made;
    }
};

TEST_F(PlannerTold, WritesGoAsTheyCame) {
    const std::string_view all[] = {
        "update trig set v = 1 where id = 2",
        "delete from trig order by id limit 1",
        "delete trig from trig where id = 1",
        "insert into trig values (1, 2), (3, 4)",
        "insert into trig set v = 1",
        "insert into trig (id) values (1) on duplicate key update v = v + 1",
        "replace into trig values (1, 2)",
    };
    for (const std::string_view text : all) {
        const Plan made = told(text);
        EXPECT_EQ(made.coverage, Coverage::full) << text << ": " << made.reason;
        EXPECT_EQ(made.tables.size(), 1U) << text;
        EXPECT_EQ(made.tables[0].identity, "public.trig") << text;
    }
    EXPECT_EQ(told("replace into trig values (1, 2)").tables[0].kind, AccessKind::insert);
    EXPECT_EQ(told("update trig set v = 1").tables[0].kind, AccessKind::update);
    EXPECT_EQ(told("delete from trig").tables[0].kind, AccessKind::remove);
}

TEST_F(PlannerTold, SaysWhichReadsNoTriggerTells) {
    struct Case {
        std::string_view text;
        std::string_view reason;
        std::size_t tables;
    };
    const Case all[] = {
        {"update trig t join trug u on t.id = u.id set t.v = u.v", "joined rows", 2},
        {"delete t from trig t join inv on t.id = inv.id", "joined rows", 1},
        {"delete from trig using trig join acc on trig.id = acc.id", "joined rows", 1},
        {"insert into trig select id, v from trug", "insert from select", 1},
        {"update trig set v = (select max(v) from trug)", "subquery", 1},
        {"update ignore trig set id = 1", "rows that IGNORE skips", 1},
        {"insert ignore into trig values (1, 2)", "rows that IGNORE skips", 1},
        {"delete from parent", "rows that foreign keys change", 1},
        {"replace into parent values (1)", "rows that foreign keys change", 1},
    };
    for (const Case& one : all) {
        const Plan made = told(one.text);
        EXPECT_EQ(made.coverage, Coverage::partial) << one.text;
        EXPECT_EQ(made.reason, one.reason) << one.text;
        EXPECT_EQ(made.tables.size(), one.tables) << one.text;
    }
    EXPECT_EQ(told("insert into parent values (1)").coverage, Coverage::full);
    EXPECT_EQ(told("update parent set id = 1").coverage, Coverage::full) << "ON DELETE alone";
}

TEST_F(PlannerTold, NeedsATriggerOnEveryTableThatMayBeWritten) {
    expect_opaque("update inv set v = 1", mysql_state(), "write without a trigger");
    expect_opaque("update trig join inv on trig.id = inv.id set trig.v = 1", mysql_state(),
                  "write without a trigger");
    expect_opaque("delete trig, inv from trig join inv on trig.id = inv.id", mysql_state(),
                  "write without a trigger");
    expect_opaque("update looks set id = 1", mysql_state(), "view");
    expect_opaque("update nowhere set id = 1", mysql_state(), "unknown table");
    EXPECT_FALSE(plan("update trig set v = 1", mariadb_state()).told_by_triggers);
}

}  // namespace
}  // namespace isotap::sql
