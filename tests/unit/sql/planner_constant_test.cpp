// Rows of the MySQL family that a result does not show, told by a column that is the same in all of
// its rows.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::Coverage;
using testing::HasSubstr;

class PlannerConstant : public Planner {
  protected:
    PlannerConstant() {
        catalog_.add("bill", VersionSource::columns, {"id", "v", "w"}).indexed.emplace();
        catalog_.add("line", VersionSource::columns, {"bill", "nr", "v"}, {"bill", "nr"})
            .indexed = {"v"};
    }

    /// The statement with the column, whose subquery has `besides` in its inner list and ends so.
    static std::string with_column(std::string_view head, std::string_view besides,
                                   std::string_view result_max, std::string_view source,
                                   std::string_view tail) {
        const std::string packed = "group_concat(ifnull(isotap_c0,''),'=',isotap_c1 separator ';')";
        return std::string(head) + ", (select if(" + std::string(result_max) + "*length(" + packed +
               ")>65535,'!'," + packed +
               ") from (select bill.`isotap_rowid` as isotap_c0,bill.`isotap_wlist` as isotap_c1" +
               std::string(besides) + " " + std::string(source) + ") as isotap_r) as isotap_1 " +
               std::string(tail);
    }

    void expect_untold(std::string_view text) {
        for (const LexerState& state : {mysql_state(), mariadb_state()}) {
            const Plan made = plan(text, state);
            EXPECT_EQ(made.otherwise, nullptr) << text;
            EXPECT_NE(made.coverage, Coverage::full) << text;
        }
    }
};

constexpr std::string_view hint = "/*+ SET_VAR(group_concat_max_len=1073741824) */ ";

TEST_F(PlannerConstant, TellsWhatAResultWasMadeOf) {
    EXPECT_EQ(mysql("select distinct v from bill where w < 3 order by v"),
              with_column("select " + std::string(hint) + " distinct v", ",v as isotap_g",
                          "count(*)>1000 or (count(distinct isotap_g)+1)",
                          "from bill where w < 3 limit 1001", " from bill where w < 3 order by v"));
    EXPECT_EQ(mysql("select v, w, count(*) from bill group by v, w having count(*) > 1"),
              with_column("select " + std::string(hint) + " v, w, count(*)", "",
                          "count(*)>1000 or count(*)", "from bill limit 1001",
                          " from bill group by v, w having count(*) > 1"));
    EXPECT_TRUE(plan_.silent_when_empty);
    EXPECT_EQ(mysql("select count(*) from (select distinct w x from bill) d"),
              with_column("select " + std::string(hint) + " count(*)", ",w as isotap_g",
                          "count(*)>1000 or (count(distinct isotap_g)+1)", "from bill limit 1001",
                          " from (select distinct w x from bill) d"));
    EXPECT_FALSE(plan_.silent_when_empty);
    EXPECT_THAT(mariadb("select max(v) from bill group by w"),
                testing::StartsWith("set statement group_concat_max_len=1073741824 for select"));
}

TEST_F(PlannerConstant, IsSureWhenTheResultHasCome) {
    mysql("select distinct v from bill");
    EXPECT_EQ(plan_.coverage, Coverage::opaque);
    EXPECT_EQ(plan_.reason, "DISTINCT");
    EXPECT_TRUE(plan_.reread.of_result && plan_.reread.spare && plan_.reread.completes);
    EXPECT_EQ(plan_.reply, ReplyChange::strip);
    ASSERT_EQ(plan_.added.size(), 1U);
    EXPECT_EQ(plan_.added[0].role, ColumnRole::packed_if_short);
    EXPECT_EQ(plan_.tables[plan_.added[0].table].identity, "public.bill");
    EXPECT_FALSE(plan_.silent_when_empty);
    ASSERT_NE(plan_.otherwise, nullptr);
    EXPECT_FALSE(plan_.otherwise->rewrites());
    EXPECT_TRUE(plan_.otherwise->reread.of_result);
    EXPECT_FALSE(plan_.otherwise->reread.spare);
}

TEST_F(PlannerConstant, TellsEachTableOfAJoinOnce) {
    const std::string text =
        mariadb("select distinct x.v y from bill x left join line on line.bill = x.id");
    EXPECT_EQ(plan_.added.size(), 2U);
    EXPECT_THAT(text, HasSubstr("select x.`isotap_rowid` as isotap_c0"));
    EXPECT_THAT(text, HasSubstr("select line.`isotap_rowid` as isotap_c0"));
    EXPECT_THAT(text, HasSubstr(",x.v as isotap_g from bill x left join line"));
    EXPECT_THAT(text, HasSubstr("group_concat(distinct ifnull("));
    EXPECT_THAT(text, HasSubstr(" as isotap_2  from bill x"));
}

/// A result of one column has as many rows as that has values; what is made of it is not asked.
TEST_F(PlannerConstant, CountsTheRowsOfTheResult) {
    for (const char* text :
         {"select distinct bill.v as x from bill", "select v, max(w) from bill group by bill.v",
          "select w + 1 from bill group by v"}) {
        EXPECT_THAT(mysql(text), HasSubstr("v as isotap_g")) << text;
    }
    for (const char* text :
         {"select distinct v, w from bill", "select distinct v + 1 from bill",
          "select v x from bill group by x", "select v from bill group by v, w",
          "select v from bill group by 1", "select max(v) from bill group by v div 2"}) {
        EXPECT_THAT(mysql(text), HasSubstr(" count(*)*length(")) << text;
    }
    EXPECT_THAT(mysql("select distinct `v` from bill"), HasSubstr(",`v` as isotap_g"));
}

TEST_F(PlannerConstant, LeavesAloneWhatMightShowIt) {
    for (const char* text : {
             "select distinct v from bill where v = (select max(v) from line)",
             "select distinct (select max(v) from line) from bill",
             "select distinct v from bill limit 3",
             "select distinct v from bill for update",
             "select distinct v from bill where rand() < 0.5",
             "select distinct v from bill where v = ?",
             "select distinct v into @v from bill",
             "select distinct @v := v from bill",
             "select distinct v from bill where w < @v",
             "select distinct v, row_number() over (order by v) from bill",
             "select v, count(*) from bill group by v with rollup",
             "select v, group_concat(w) from bill group by v",
             "select v from bill having v > 1",
             "select max(v) from bill having max(v) > 1",
             "with c as (select v from bill) select distinct v from c",
             "select v from bill union select v from line",
             "select count(*) from (select v from bill union select v from line) d",
             "(select distinct v from bill)",
             "select distinct id from bill",
             "select distinct max(v) from bill group by w",
             "select distinct line.v as x, nr from line where v > 3 order by 1 desc",
             "select distinct v from inv",
             "table bill union table bill",
         }) {
        expect_untold(text);
    }
    for (const char* text : {"select distinct v, 1 from line", "select v from line group by v",
                             "select distinct line.v from line join bill on w = nr",
                             "select count(*) from (select distinct v from line) d"}) {
        EXPECT_NE(plan(text, mariadb_state()).otherwise, nullptr) << text;
    }
    EXPECT_EQ(plan("select distinct bal from acc", postgres_state()).otherwise, nullptr);
}

TEST_F(PlannerConstant, TellsWhatAnOffsetSkips) {
    for (const std::string limit : {"limit 3 offset 4", "limit 4, 3"}) {
        std::string expected = with_column(
            "select " + std::string(hint) + " v, bill.`isotap_rowid`, bill.`isotap_wlist` ", "",
            "4>1000 or least(3,65535)",
            "from bill where (w < 2 or w > 9) and 4<=1000 order by id limit 4",
            " from bill where w < 2 or w > 9 order by id " + limit);
        expected.replace(expected.find("isotap_1"), 8, "isotap_3");
        EXPECT_EQ(mysql("select v from bill where w < 2 or w > 9 order by id " + limit), expected);
    }
    EXPECT_EQ(plan_.coverage, Coverage::partial) << "until the result has come";
    EXPECT_EQ(plan_.reason, "OFFSET hides rows");
    EXPECT_TRUE(plan_.reread.spare && plan_.reread.completes && plan_.silent_when_empty);
    EXPECT_FALSE(plan_.reread.wanted());
    ASSERT_NE(plan_.otherwise, nullptr);
    EXPECT_EQ(plan_.otherwise->added.size(), 2U);
    EXPECT_FALSE(plan_.otherwise->reread.spare);
}

/// Which rows come first must be certain.
TEST_F(PlannerConstant, NeedsATotalOrderOfWhatAnOffsetSkips) {
    for (const char* text : {"select * from bill order by v desc, bill.id asc limit 1 offset 1",
                             "select line.*, v from line order by nr, `bill` limit 1, 2"}) {
        EXPECT_NE(plan(text, mariadb_state()).otherwise, nullptr) << text;
    }
    for (const char* text : {
             "select v from bill order by v limit 1 offset 1",
             "select v from bill order by id + 1 limit 1 offset 1",
             "select v from bill order by id collate latin1_bin limit 1 offset 1",
             "select v from bill order by 1 limit 1 offset 1",
             "select v as id from bill order by id limit 1 offset 1",
             "select id + 1 from bill order by id limit 1 offset 1",
             "select v from line order by nr limit 1 offset 1",
             "select v from bill order by id limit ? offset ?",
             "select v from bill order by id limit 1 offset 1 for update",
             "select v from bill where rand() > 1 order by id limit 1 offset 1",
             "select distinct v from bill order by id limit 1 offset 1",
             "select max(v) from bill order by id limit 1 offset 1",
             "select v from bill where v in (select v from line) order by id limit 1 offset 1",
             "select bill.v from bill join line on line.v = bill.v order by id limit 1 offset 1",
             "select v from (select v, id from bill) d order by id limit 1 offset 1",
         }) {
        expect_untold(text);
    }
}

}  // namespace
}  // namespace isotap::sql
