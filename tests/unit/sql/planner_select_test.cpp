// SELECT: what rides along through UNION ALL, derived tables and common table expressions, and what
// is read again beside the statement.
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;

const std::string acc_packed = R"(string_agg(acc."id"::text||'='||acc.xmin::text,';') as isotap_0)";

TEST_F(Planner, GivesEveryArmOfUnionAllTheColumnsOfAll) {
    EXPECT_EQ(
        postgres("select bal from acc union all select 1 from kin k order by 1"),
        R"(select bal, acc."id"::text as isotap_1, acc.xmin::text as isotap_2, null::text as )"
        R"(isotap_3, null::text as isotap_4, null::text as isotap_5  from acc union all )"
        R"(select 1, null::text as isotap_1, null::text as isotap_2, k.tableoid::text as )"
        R"(isotap_3, k."id"::text as isotap_4, k.xmin::text as isotap_5  from kin k order )"
        R"(by 1)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.added.size(), 5U);
    EXPECT_EQ(mariadb("(select v from inv limit 1) union all select 3"),
              "(select v, inv.`isotap_rowid`, inv.`isotap_wlist`  from inv limit 1) union all "
              "select 3, null, null ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    mariadb("(select v from inv order by v limit 2, 1) union all select 3");
    EXPECT_EQ(plan_.reason, "OFFSET hides rows");
    mariadb("(select v from inv order by v limit 1) union all select 3");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

TEST_F(Planner, HasNothingToCaptureInTheServersOwnTables) {
    for (const char* text : {"select * from pg_class", "select (select count(*) from pg_class)",
                             "with c as (select oid from pg_class) select * from c, pg_class",
                             "select * from pg_class c, unnest(c.relacl) with ordinality u",
                             "select (select 1 from unnest(oid)) from pg_class"}) {
        const Plan made = plan(text, postgres_state());
        EXPECT_EQ(made.coverage, Coverage::none) << text;
        EXPECT_FALSE(made.rewrites()) << text;
    }
    EXPECT_EQ(plan("select * from pg_class, acc", postgres_state()).coverage, Coverage::partial);
    EXPECT_EQ(plan("select * from pg_class, f()", postgres_state()).coverage, Coverage::opaque);
}

TEST_F(Planner, CarriesColumnsOutOfDerivedTables) {
    EXPECT_EQ(
        postgres("select d.bal from (select bal from acc) d where d.bal > 1"),
        R"(select d.bal, d.isotap_in1 as isotap_1, d.isotap_in2 as isotap_2  from (select bal, )"
        R"(acc."id"::text as isotap_in1, acc.xmin::text as isotap_in2  from acc) d where d.bal )"
        R"(> 1)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(postgres("select sum(d.n) from (select bal, count(*) n from acc group by bal) d"),
              R"(select sum(d.n), string_agg(d.isotap_in1,';') as isotap_1  from (select bal, )"
              R"(count(*) n, string_agg(acc."id"::text||'='||acc.xmin::text,';') as isotap_in1  )"
              R"(from acc group by bal) d)");
    EXPECT_EQ(plan_.added[0].role, ColumnRole::packed);
    EXPECT_EQ(mariadb("select d.v from (select v from inv) d"),
              "select d.v, d.isotap_in1, d.isotap_in2  from (select v, inv.`isotap_rowid` as "
              "isotap_in1, inv.`isotap_wlist` as isotap_in2  from inv) d");
    postgres("select * from acc, (select 1) d");
    EXPECT_EQ(plan_.coverage, Coverage::full) << "nothing is read in there";
    postgres("with c as (select 1) select * from c");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_FALSE(plan_.rewrites());
}

TEST_F(Planner, CarriesColumnsOutOfCommonTableExpressions) {
    EXPECT_EQ(postgres("with c as (select bal from acc) select c.bal from c"),
              R"(with c as (select bal, acc."id"::text as isotap_in1, acc.xmin::text as )"
              R"(isotap_in2  from acc) select c.bal, c.isotap_in1 as isotap_1, c.isotap_in2 as )"
              R"(isotap_2  from c)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

// A star that shows the columns already puts them behind the client's, and no others.
TEST_F(Planner, LetsAStarShowWhatIsCarried) {
    EXPECT_EQ(postgres("select 1, d.* from (select bal from acc) d"),
              R"(select 1, d.* from (select bal, acc."id"::text as isotap_in1, acc.xmin::text as )"
              R"(isotap_in2  from acc) d)");
    EXPECT_EQ(plan_.added.size(), 2U);
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

TEST_F(Planner, CarriesNothingThatWouldShow) {
    struct Case {
        std::string_view text;
        std::string_view reason;
    };
    const Case cases[] = {
        {"select d.*, 1 from (select bal from acc) d, kin", "* over a derived table"},
        {"select d.*, 1 from kin, (select bal from acc) d", "* over a derived table"},
        {"select d, kin.id from (select bal from acc) d, kin", "row of a derived table"},
        {"select row_to_json(d.*), kin.id from (select bal from acc) d, kin",
         "row of a derived table"},
        {"select d.bal, kin.id from (select distinct bal from acc) d, kin", "DISTINCT"},
        {"select d.bal, kin.id from (select bal from acc union select 2) d, kin", "set operation"},
        {"with c as (select bal from acc) select a.bal, kin.id from c a, c b, kin",
         "common table expression used twice"},
        {"with recursive c as (select id from acc union all select 1 from c) select c.id, kin.id "
         "from c, kin",
         "recursive common table expression"},
        {"with c as (delete from acc returning id) select c.id, kin.id from c, kin",
         "write in a common table expression"},
        {"select d.r, kin.id from (select rank() over (order by bal) r from acc) d, kin where "
         "d.r = 1",
         "window over hidden rows"},
    };
    for (const Case& c : cases) {
        const Plan made = plan(c.text, postgres_state());
        EXPECT_EQ(made.coverage, Coverage::partial) << c.text;
        EXPECT_EQ(made.reason, c.reason) << c.text;
        EXPECT_FALSE(made.added.empty()) << c.text;
    }
}

TEST_F(Planner, ReadsAgainWhatASetOperationDrops) {
    const std::string text = "select bal from acc where bal > 5 union select id from acc";
    EXPECT_EQ(postgres(text + ";"),
              "select isotap_o.*, case when row_number() over () = 1 then isotap_b0.isotap_0 end "
              "as isotap_1, case when row_number() over () = 1 then isotap_b1.isotap_0 end as "
              "isotap_2 from (" +
                  text + ") as isotap_o cross join (select " + acc_packed +
                  " from acc where bal > 5 ) as isotap_b0 cross join (select " + acc_packed +
                  " from acc ) as isotap_b1;");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_FALSE(plan_.silent_when_empty);
    for (const char* full :
         {"select distinct bal from acc where id in (1, $1)", "table acc",
          "select distinct on (bal) bal, id from acc order by bal, id",
          "select bal from acc group by bal having count(*) > 1",
          "select id from acc except select id from kin where kin.id is not null",
          "select id from acc union all (select 1 union select id from kin)",
          "select id from acc union select id from kin limit 3",
          "select distinct bal from acc where exists (select 1 from kin limit 1)"}) {
        postgres(full);
        EXPECT_EQ(plan_.coverage, Coverage::full) << full;
    }
    postgres("select id from acc except select id from kin");
    EXPECT_TRUE(plan_.silent_when_empty);
}

TEST_F(Planner, RepeatsOnlyWhatGivesTheSameAnswerAndCannotFail) {
    const std::string_view reasons[][2] = {
        {"select distinct bal from acc where bal + 1 > id", "operator in a condition"},
        {"select distinct bal from acc where bal::int8 > 1", "operator in a condition"},
        {"select distinct bal from acc where random() > 1", "function in a condition"},
        {"select distinct bal from acc limit 3", "LIMIT hides rows"},
        {"select distinct bal from acc tablesample system (3)", "TABLESAMPLE"},
        {"with c as (select 1) select distinct bal from acc", "common table expression"},
        {"select distinct bal from (select bal from acc) d", "derived table"},
    };
    for (const auto& [text, reason] : reasons) {
        expect_opaque(text, postgres_state(), reason);
    }
    expect_opaque("select distinct v from inv", mariadb_state(), "DISTINCT");
    expect_opaque("select v from inv union select 1", mariadb_state(), "set operation");
}

TEST_F(Planner, ReadsUncorrelatedSubqueriesBeside) {
    const std::string out = postgres("select bal from acc where id in (select id from kin)");
    EXPECT_EQ(out.find("select isotap_o.*, case when"), 0U) << out;
    EXPECT_NE(out.find("cross join (select string_agg("), std::string::npos);
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_TRUE(plan_.silent_when_empty);
    ASSERT_EQ(plan_.tables.size(), 2U);
    EXPECT_EQ(plan_.tables[1].identity, "public.kin");

    postgres("select exists (select from acc where bal > 3)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(mariadb("select exists (select 1 from inv where v > 3)"),
              "set statement group_concat_max_len=1073741824 for select exists (select 1 from inv "
              "where v > 3), (select group_concat(ifnull(inv.`isotap_rowid`,''),'=',"
              "inv.`isotap_wlist` separator ';') from inv where v > 3 ) ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

// All rows would say the same: a variable remembers that this statement has told it.
TEST_F(Planner, TellsUncorrelatedSubqueriesOnceOnMariadb) {
    EXPECT_EQ(mariadb("select v from inv where id in (select id from num where id > 5)"),
              "set statement group_concat_max_len=1073741824 for select v, inv.`isotap_rowid`, "
              "inv.`isotap_wlist` , if(0,convert(@isotap_told2:='' using ascii),if(binary "
              "@isotap_told2<=>binary "
              "'T5.1',null,concat(convert(left("
              "@isotap_told2:='T5.1',0) using ascii),(select "
              "group_concat(ifnull(num.`isotap_rowid`,''),"
              "'=',num.`isotap_wlist` separator ';') from num where id > 5 ))))  from inv where id "
              "in (select id from num where id > 5)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_TRUE(plan_.silent_when_empty);
}

// An assignment would warn there, and a window would change the metadata.
TEST_F(Planner, TellsUncorrelatedSubqueriesInEachRowOnMysqlUnlessTheyAreLong) {
    const std::string packed =
        "group_concat(ifnull(num.`isotap_rowid`,''),'=',num.`isotap_wlist` separator ';')";
    EXPECT_EQ(mysql("select v from inv where id in (select id from num where id > 5) order by v"),
              "select /*+ SET_VAR(group_concat_max_len=1073741824) */  v, inv.`isotap_rowid`, "
              "inv.`isotap_wlist` , (select if(length(" +
                  packed + ")>255,'!'," + packed +
                  ") from num where id > 5 )  from inv where id in (select id from num where id > "
                  "5) order by v");
    EXPECT_EQ(plan_.coverage, Coverage::partial) << "until the result has come";
    EXPECT_TRUE(plan_.reread.spare && plan_.reread.completes);
    EXPECT_EQ(plan_.added.back().role, ColumnRole::packed_if_short);
}

// MariaDB makes a derived table of what is in parentheses.
TEST_F(Planner, NamesWhatIsAddedToAQueryInParentheses) {
    EXPECT_EQ(
        mariadb("(select * from inv join num on inv.id = num.id) order by 1"),
        "(select *, inv.`isotap_rowid` as isotap_1, inv.`isotap_wlist` as isotap_2, "
        "num.`isotap_rowid` as isotap_3, num.`isotap_wlist` as isotap_4  from inv join num on "
        "inv.id = num.id) order by 1");
}

TEST_F(Planner, LeavesAnEmptyListOfColumnsWithValuesAlone) {
    EXPECT_EQ(mariadb("insert into inv () values (1, 2)"), "insert into inv () values (1, 2)");
    EXPECT_NE(plan_.coverage, Coverage::full);
}

TEST_F(Planner, ReadsCorrelatedSubqueriesAgainForEachRow) {
    EXPECT_EQ(
        postgres("select bal from acc where exists (select from kin where kin.id = acc.id)"),
        R"(select bal, acc."id"::text as isotap_1, acc.xmin::text as isotap_2 , (select )"
        R"(string_agg(kin.tableoid::text||','||kin."id"::text||'='||kin.xmin::text,';') from kin )"
        R"(where kin.id = acc.id ) as isotap_3  from acc where exists (select from kin where )"
        R"(kin.id = acc.id))");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_FALSE(plan_.silent_when_empty);
    EXPECT_NE(mariadb("select v from inv where id in (select num.id from num where num.v = inv.v)")
                  .find("from num where num.v = inv.v )  from inv"),
              std::string::npos);
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

// Behind EXISTS, LIMIT changes nothing but when it is 0; and 0 has the same shape.
TEST_F(Planner, ReadsBeyondTheLimitOfExists) {
    EXPECT_EQ(
        postgres("select bal from acc where exists (select 1 from kin where kin.id = acc.id or "
                 "kin.id = 2 limit 1)"),
        R"(select bal, acc."id"::text as isotap_1, acc.xmin::text as isotap_2 , (select )"
        R"(string_agg(kin.tableoid::text||','||kin."id"::text||'='||kin.xmin::text,';') from kin )"
        R"(where (kin.id = acc.id or kin.id = 2) and 1 > 0 ) as isotap_3  from acc where exists )"
        R"((select 1 from kin where kin.id = acc.id or kin.id = 2 limit 1))");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_NE(postgres("select bal from acc where exists (select from kin limit 4)")
                  .find("from kin where 4 > 0 "),
              std::string::npos);
    for (const char* hiding :
         {"select bal from acc where exists (select from kin limit $1)",
          "select bal from acc where exists (select from kin limit 1 offset 2)",
          "select bal from acc where id = (select id from kin limit 1)"}) {
        postgres(hiding);
        EXPECT_EQ(plan_.reason, "LIMIT hides rows") << hiding;
    }
}

// The rows that keep others away are found from those that EXISTS decides about, and from no
// others.
TEST_F(Planner, ReadsWhatDecidesAboutOthers) {
    EXPECT_EQ(
        postgres("select bal from acc where id > 3 and not (exists (select 1 from kin where kin.id "
                 "= acc.id limit 1))"),
        R"(select isotap_o.*, case when row_number() over () = 1 then isotap_b1.isotap_0 end )"
        R"(as isotap_3 from (select bal, acc."id"::text as isotap_1, acc.xmin::text as isotap)"
        R"(_2  from acc where id > 3 and not (exists (select 1 from kin where kin.id = acc.id)"
        R"( limit 1))) as isotap_o cross join (select string_agg(isotap_d.isotap_c0||','||iso)"
        R"(tap_d.isotap_c1||'='||isotap_d.isotap_c2,';') as isotap_0 from (select distinct is)"
        R"(otap_l1.isotap_c0, isotap_l1.isotap_c1, isotap_l1.isotap_c2 from acc, lateral (sel)"
        R"(ect kin.tableoid::text as isotap_c0, kin."id"::text as isotap_c1, kin.xmin::text a)"
        R"(s isotap_c2 from kin where (kin.id = acc.id) and 1 > 0 ) as isotap_l1 where true a)"
        R"(nd id > 3) as isotap_d) as isotap_b1)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_TRUE(plan_.silent_when_empty);
    EXPECT_NE(postgres("select count(*) from acc where bal between 1 and 2 and (id = 4 or exists "
                       "(select from kin where kin.id = acc.id))")
                  .find("where true and bal between 1 and 2 and (((id = 4 or true )) is true) is "
                        "distinct from (((id = 4 or false )) is true)) as isotap_d"),
              std::string::npos);
    for (const char* told :
         {"select distinct bal from acc where not exists (select from kin where kin.id = acc.id)",
          "select id from acc a where not exists (select from kin where kin.id = a.id) union "
          "select id from kin",
          "select count(*) from acc where exists (select from kin k where k.id = acc.id)"}) {
        postgres(told);
        EXPECT_EQ(plan_.coverage, Coverage::full) << told << ": " << plan_.reason;
    }
}

TEST_F(Planner, ReadsDerivedTablesAgainWhoseRowsCarryNothing) {
    EXPECT_EQ(
        postgres("select count(*) from (select distinct bal from acc where id > 2) d"),
        R"(select isotap_o.*, case when row_number() over () = 1 then isotap_b1.isotap_0 end )"
        R"(as isotap_1 from (select count(*) from (select distinct bal from acc where id > )"
        R"(2) d) as isotap_o cross join (select string_agg(acc."id"::text||'='||)"
        R"(acc.xmin::text,';') as isotap_0 from acc where id > 2 ) as isotap_b1)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    postgres("select count(*) from (select id from acc except select id from kin) d");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    const std::string_view reasons[][2] = {
        {"select * from (select distinct bal from acc) d where bal > 1", "DISTINCT"},
        {"select * from (select distinct bal from acc) d limit 1", "DISTINCT"},
        {"select count(*) from (select distinct bal from acc) d, kin", "DISTINCT"},
        {"select count(*) from (select distinct bal from acc limit 2) d", "DISTINCT"},
    };
    for (const auto& [text, reason] : reasons) {
        const Plan made = plan(text, postgres_state());
        EXPECT_NE(made.coverage, Coverage::full) << text;
        EXPECT_EQ(made.reason, reason) << text;
    }
}

TEST_F(Planner, SaysWhichSubqueriesItMisses) {
    const std::string_view reasons[][2] = {
        {"select 1 from acc where not exists (select from kin where kin.id = acc.id) limit 2",
         "LIMIT hides rows"},
        {"select 1 from acc where f(bal) and not exists (select from kin where kin.id = acc.id)",
         "function in a condition"},
        {"select 1 from acc where bal > (select id from kin where kin.id = acc.id)",
         "rows that a subquery rejects"},
        {"select 1 from acc where bal > 1 or exists (select from kin)",
         "subquery that may be skipped"},
        {"select coalesce(bal, (select id from kin)) from acc", "subquery that may be skipped"},
        {"select case when bal > 1 then (select id from kin) end from acc",
         "subquery that may be skipped"},
        {"select 1 from acc where id in (select id from kin limit 1)", "LIMIT hides rows"},
        {"select 1 from acc where id in (select id from kin) for update", "lock"},
        {"select bal from acc where exists (select from kin where kin.id = acc.id) for update",
         "lock"},
        {"select 1 from acc where id in (select f(id) from kin where f(id))",
         "function in a condition"},
        {"with c as (select id from kin) select 1 from acc where id in (select id from c)",
         "common table expression"},
    };
    for (const auto& [text, reason] : reasons) {
        const Plan made = plan(text, postgres_state());
        EXPECT_EQ(made.coverage, Coverage::partial) << text;
        EXPECT_EQ(made.reason, reason) << text;
    }
    EXPECT_EQ(
        plan("select 1 from inv where id in (select id from num) limit 1", mariadb_state()).reason,
        "LIMIT hides rows");
    EXPECT_EQ(plan("select 1 from inv where id in (select id from num)", mysql_state()).reason,
              "subquery");
    EXPECT_EQ(plan("select 1 from inv where id in (select num.id from num where num.v = inv.v "
                   "and num.id > ?)",
                   mariadb_state())
                  .reason,
              "parameter in a condition");
}

// The literals that are repeated are those of the statement at hand, not of the first of its shape.
TEST_F(Planner, RepeatsTheLiteralsOfEachStatement) {
    plan_ = plan("select distinct bal from acc where id = 3", postgres_state());
    const std::string_view other = "select distinct bal from acc where id = 12345";
    tokens_.read(other, postgres_state());
    std::string out;
    apply(plan_, tokens_, "", out);
    EXPECT_NE(out.find(" from acc where id = 12345 ) as isotap_b0"), std::string::npos) << out;
    EXPECT_EQ(out.find("= 3"), std::string::npos);
    std::size_t last = 0;
    for (std::size_t i = 0; i <= out.size() + 3; ++i) {
        const std::size_t original = original_offset(plan_, tokens_, "", i);
        EXPECT_LE(last, original);
        EXPECT_LE(original, other.size());
        last = original;
    }
    EXPECT_EQ(original_offset(plan_, tokens_, "", out.find("bal from acc")), other.find("bal"));
}

TEST_F(Planner, MergesTellWhatTheyDid) {
    options_.postgres_version = 180000;
    const std::string text = "merge into acc a using kin k on k.id = a.id when matched then delete";
    EXPECT_EQ(postgres(text),
              text + R"( returning merge_action(), coalesce(old."id"::text, new."id"::text), )"
                     R"(old.xmin::text, new.xmin::text, pg_current_xact_id()::text, )"
                     R"(k.tableoid::text, k."id"::text, k.xmin::text )");
    EXPECT_EQ(plan_.added[0].role, ColumnRole::action);
    EXPECT_EQ(plan_.reason, "joined rows");
    expect_opaque("merge into part using kin k on true when matched then delete", postgres_state(),
                  "MERGE");
}

}  // namespace
}  // namespace isotap::sql
