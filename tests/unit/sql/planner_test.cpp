#include "protocol/sql/planner.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;

TEST_F(Planner, AppendsKeyAndVersionToASelect) {
    EXPECT_EQ(postgres("SELECT bal FROM acc WHERE id = 3;"),
              "SELECT bal, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2  FROM acc "
              "WHERE id = 3;");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.reply, ReplyChange::strip);
    ASSERT_EQ(plan_.added.size(), 2U);
    EXPECT_EQ(plan_.added[0].role, ColumnRole::key);
    EXPECT_EQ(plan_.added[1].role, ColumnRole::seen);
    ASSERT_EQ(plan_.tables.size(), 1U);
    EXPECT_EQ(plan_.tables[0].identity, "public.acc");
    EXPECT_EQ(plan_.tables[0].kind, AccessKind::read);

    EXPECT_EQ(mariadb("select * from inv as i"),
              "select *, i.`isotap_rowid`, i.`isotap_wlist`  from inv as i");
    EXPECT_EQ(plan_.added[1].role, ColumnRole::writers);
}

// What is added must have no name that the statement could mean.
TEST_F(Planner, LeavesTheMeaningOfOrderByAlone) {
    EXPECT_EQ(postgres("select bal from acc order by id"),
              "select bal, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2  from acc "
              "order by id");
}

TEST_F(Planner, PutsAnAdditionBeforeTheCommentThatFollows) {
    EXPECT_EQ(
        postgres("select bal -- all\nfrom acc"),
        "select bal, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2  -- all\nfrom acc");
    EXPECT_EQ(postgres("select 1from acc"),
              "select 1, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2 from acc");
}

TEST_F(Planner, KnowsLockingReads) {
    postgres("select * from acc a, kin k for update of a");
    EXPECT_EQ(plan_.tables[0].kind, AccessKind::locking_read);
    EXPECT_EQ(plan_.tables[1].kind, AccessKind::read);
    mariadb("select * from inv lock in share mode");
    EXPECT_EQ(plan_.tables[0].kind, AccessKind::locking_read);
}

TEST_F(Planner, IdentifiesRowsByWholeKeys) {
    EXPECT_EQ(postgres("select v from s.pair"),
              "select v, s.pair.\"a\"::text as isotap_1, s.pair.\"b\"::text as isotap_2, "
              "s.pair.xmin::text as isotap_3  from s.pair");
    EXPECT_EQ(postgres("select id from kin k"),
              "select id, k.tableoid::text as isotap_1, k.\"id\"::text as isotap_2, k.xmin::text "
              "as isotap_3  from kin k");
}

TEST_F(Planner, PacksTheRowsBehindAnAggregate) {
    EXPECT_EQ(postgres("select sum(bal) from acc"),
              "select sum(bal), string_agg(acc.\"id\"::text||'='||acc.xmin::text,';') as isotap_1  "
              "from acc");
    EXPECT_EQ(plan_.added[0].role, ColumnRole::packed);
    EXPECT_EQ(postgres("select v, count(*) from pair group by v"),
              "select v, count(*), string_agg(encode(convert_to(pair.\"a\"::text,'UTF8'),'hex')||"
              "','||encode(convert_to(pair.\"b\"::text,'UTF8'),'hex')||'='||pair.xmin::text,';') "
              "as isotap_1"
              "  from pair group by v");
    EXPECT_EQ(plan_.added[0].role, ColumnRole::packed_hex);
    EXPECT_EQ(postgres("select my_sum(bal) from acc").find("string_agg"), 20U)
        << "an aggregate that users made";
    EXPECT_EQ(postgres("select sum(bal) over () from acc").find("string_agg"), std::string::npos)
        << "a window function leaves the rows alone";
    EXPECT_EQ(mariadb("select count(*) from inv"),
              "set statement group_concat_max_len=1073741824 for select count(*), "
              "group_concat(ifnull(inv.`isotap_rowid`,''),'=',inv.`isotap_wlist` "
              "separator ';')"
              "  from inv");
    EXPECT_EQ(rewritten("select count(*) from inv", mysql_state()),
              "select /*+ SET_VAR(group_concat_max_len=1073741824) */  count(*), "
              "group_concat(ifnull(inv.`isotap_rowid`,''),'=',inv.`isotap_wlist` "
              "separator ';')  from inv");
    EXPECT_TRUE(plan_.hints);
    EXPECT_EQ(rewritten("with c as (select id from inv) select max(id) from c", mysql_state())
                  .find("select /*+ SET_VAR"),
              rewritten("with c as (select id from inv) select max(id) from c", mysql_state())
                  .rfind("select "))
        << "in the outermost block";
    expect_opaque("select v, count(*) from inv group by v", mariadb_state(), "GROUP BY");
    expect_opaque("select v from inv having v > 1", mariadb_state(), "HAVING");
    expect_opaque("select group_concat(v) from inv", mariadb_state(), "GROUP_CONCAT");
}

TEST_F(Planner, SaysWhatItMisses) {
    struct Case {
        std::string_view text;
        std::string_view reason;
    };
    const Case partial[] = {
        {"select * from acc, looks", "view"},
        {"select * from acc, heap", "no primary key"},
        {"select * from acc, elsewhere", "unknown table"},
        {"select * from acc, generate_series(1, 2) g", "function in FROM"},
        {"select bal, count(*) from acc where f(id) group by bal having count(*) > 1",
         "HAVING hides groups"},
        {"select * from acc order by bal limit 1 offset 2", "OFFSET hides rows"},
        {"select * from kin, acc, other.acc", "two tables of one name"},
        {"with w as (delete from kin) select * from acc", "write in a common table expression"},
    };
    for (const Case& c : partial) {
        const Plan made = plan(c.text, postgres_state());
        EXPECT_EQ(made.coverage, Coverage::partial) << c.text;
        EXPECT_EQ(made.reason, c.reason) << c.text;
        EXPECT_FALSE(made.added.empty()) << c.text;
    }
    const Case opaque[] = {
        {"select distinct bal from acc where f(id)", "function in a condition"},
        {"select 1 from acc union select 2 from heap", "no primary key"},
        {"select * into x from acc", "INTO"},
        {"select from acc", "empty select list"},
        {"select * from looks", "view"},
        {"select * from acc a (x, y)", "renamed columns"},
        {"merge into acc using kin on true when matched then delete", "MERGE before PostgreSQL 18"},
        {"copy acc from stdin", "copy from"},
        {"copy looks to stdout", "view"},
        {"copy part to stdout", "partitioned table"},
        {"copy (select 1) to stdout", "copy"},
        {"explain select 1", "explain"},
        {"call f()", "call"},
        {"insert into part values (1) on conflict (id) do update set id = 1",
         "upsert of a partitioned table"},
        {"select (1 from acc", "unexpected token"},
    };
    for (const Case& c : opaque) {
        expect_opaque(c.text, postgres_state(), c.reason);
    }
    for (const char* text : {"select 1", "values (1)"}) {
        EXPECT_EQ(plan(text, postgres_state()).coverage, Coverage::full) << "nothing is read";
    }
    for (const char* text : {"begin", "set x = 1", "create table t (a int)", ""}) {
        EXPECT_EQ(plan(text, postgres_state()).coverage, Coverage::none) << text;
    }
}

// Other errors than those of COPY itself must not come, nor other columns.
TEST_F(Planner, MakesACopyOfATableOneOfAQuery) {
    const std::string in_one_process =
        " where case when false then pg_catalog.txid_current() is null else true end";
    EXPECT_EQ(postgres("copy acc to stdout (format csv, header)"),
              "copy (select *, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2 from only "
              "acc" +
                  in_one_process + ") to stdout (format csv, header)");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.reply, ReplyChange::strip);
    EXPECT_EQ(plan_.shown_by.original, "select * from only acc");
    EXPECT_EQ(postgres("copy s.acc (BAL, \"id\") to stdout"),
              "copy (select s.acc.\"bal\", s.acc.\"id\", s.acc.\"id\"::text as isotap_1, "
              "s.acc.xmin::text as isotap_2 from only s.acc" +
                  in_one_process + ") to stdout");
    EXPECT_EQ(plan_.shown_by.original, "select s.acc.\"bal\", s.acc.\"id\" from only s.acc");
    catalog_.add("comp", VersionSource::system, {"id", "a", "twice"}).generated = {"twice"};
    EXPECT_NE(postgres("copy comp (id, a) to stdout").find("comp.\"a\", comp.\"id\"::text"),
              std::string::npos);
    expect_opaque("copy comp to stdout", postgres_state(), "generated columns");
    for (const char* text :
         {"copy comp (twice) to stdout", "copy acc (bal, bal) to stdout",
          "copy acc (xmin) to stdout", "copy acc (nothing) to stdout", "copy acc () to stdout",
          "copy acc (bal + 1) to stdout", "copy binary acc", "copy acc, kin to stdout"}) {
        expect_opaque(text, postgres_state(), "copy");
    }
}

TEST_F(Planner, NamesWhatItCannotTellOfOnTheMysqlFamily) {
    constexpr std::pair<std::string_view, std::string_view> opaque[] = {
        {"alter table inv truncate partition p0", "truncate"},
        {"load xml infile 'x' into table inv", "load xml"},
        {"create or replace table made (id int) as select * from inv", "create from a query"},
        {"execute immediate 'delete from inv'", "execute"},
        {"handler inv read first", "handler"},
        {"do (select count(*) from inv)", "do"},
        {"explain analyze select * from inv", "explain"},
        {"analyze format=json select * from inv", "explain"},
        {"set @a = (select max(id) from inv)", "set from a query"},
        {"set statement sort_buffer_size = 1 for delete from inv", "set statement"},
    };
    for (const auto& [text, reason] : opaque) {
        expect_opaque(text, mariadb_state(), reason);
    }
    for (const char* text :
         {"explain select * from inv", "describe inv", "analyze table inv", "handler inv open",
          "load index into cache inv", "create view v as select * from inv", "set @a = 1",
          "create table made like inv", "alter table inv add column n int", "begin",
          "show tables"}) {
        EXPECT_EQ(plan(text, mariadb_state()).coverage, Coverage::none) << text;
    }
}

TEST_F(Planner, KnowsWhatTruncateEmpties) {
    const auto emptied = [this](std::string_view text) {
        EXPECT_EQ(postgres(text), text);
        std::string names;
        for (const CapturedTable& table : plan_.tables) {
            names += (names.empty() ? "" : " ") + table.identity;
        }
        return plan_.empties ? names : "nothing";
    };
    EXPECT_EQ(emptied("truncate acc"), "public.acc");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(emptied("truncate table only acc, loose * restart identity"),
              "public.acc public.loose");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    catalog_.add("invoice", VersionSource::system, {"id"}).referenced_by = {"public.line"};
    catalog_.add("line", VersionSource::system, {"id"});
    EXPECT_EQ(emptied("truncate invoice cascade"), "public.invoice public.line");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(emptied("truncate line, invoice cascade"), "public.line public.invoice");
    EXPECT_EQ(emptied("truncate invoice"), "public.invoice") << "refused if that is not all";
    EXPECT_EQ(emptied("truncate acc, nowhere"), "public.acc");
    EXPECT_EQ(plan_.reason, "unknown table");
    catalog_.add("slice", VersionSource::system, {"id"}).is_part = true;
    EXPECT_EQ(emptied("truncate slice"), "nothing");
    EXPECT_EQ(plan_.coverage, Coverage::opaque);
    EXPECT_EQ(plan_.reason, "partition");
    for (const LexerState& state : {mariadb_state(), mysql_state()}) {
        plan_ = plan("truncate table num", state);
        EXPECT_TRUE(plan_.empties);
        EXPECT_EQ(plan_.tables.front().identity, "public.num");
        EXPECT_EQ(plan_.coverage, Coverage::full);
        EXPECT_FALSE(plan_.rewrites());
        EXPECT_EQ(plan("truncate looks", state).reason, "view");
    }
}

TEST_F(Planner, HidesAuxiliaryColumnsOnPostgres) {
    EXPECT_EQ(postgres("select * from aux"),
              "select aux.\"id\", aux.\"v\", aux.\"isotap_rowid\"::text as isotap_1, "
              "aux.\"isotap_wlist\" as isotap_2  "
              "from aux");
    EXPECT_EQ(postgres("select distinct x.*, acc.* from aux x, acc where f(v)"),
              "select distinct x.\"id\", x.\"v\", acc.* from aux x, acc where f(v)")
        << "also where nothing is captured";
    EXPECT_EQ(plan_.coverage, Coverage::opaque);
    EXPECT_FALSE(plan_.leaks);
    EXPECT_NE(postgres("select count(*) from (select * from aux, acc) d")
                  .find("from (select aux.\"id\", aux.\"v\", acc.*, aux.\"isotap_rowid\""),
              std::string::npos);
    EXPECT_NE(postgres("table aux").find("(select aux.\"id\", aux.\"v\" from  aux) as isotap_o"),
              std::string::npos);
    EXPECT_EQ(postgres("copy aux from stdin"), "copy aux (\"id\", \"v\")  from stdin");
    EXPECT_EQ(postgres("insert into acc select * from aux").substr(0, 50),
              "insert into acc select aux.\"id\", aux.\"v\" from aux ");
    EXPECT_EQ(postgres("insert into aux values (1, 2) returning *"),
              "insert into aux values (1, 2) returning aux.\"id\", aux.\"v\", "
              "aux.\"isotap_rowid\"::text, aux.\"isotap_wlist\" ");
    for (const char* text : {"select row_to_json(aux) from aux", "select x from aux x",
                             "select * from aux join acc "
                             "using (id)",
                             "select 1 from aux natural join acc", "select (f(v)).* from aux"}) {
        EXPECT_TRUE(plan(text, postgres_state()).leaks) << text;
    }
    EXPECT_FALSE(
        plan("select v from aux v, acc where v.v = 1 for update of v", postgres_state()).leaks);
}

TEST_F(Planner, ReturnsOnMariadb) {
    EXPECT_EQ(mariadb("delete from inv where id = 1 limit 1"),
              "delete from inv where id = 1 limit 1 returning `isotap_rowid`, `isotap_wlist` ");
    EXPECT_EQ(plan_.reply, ReplyChange::rebuild);
    EXPECT_EQ(mariadb("insert into num (v) values (1)"),
              "insert into num (v, `isotap_wlist`) values (1, 'T5.1') returning `isotap_rowid`, "
              "`isotap_wlist`, `id` ");
    EXPECT_EQ(plan_.added.back().role, ColumnRole::insert_id);
    EXPECT_FALSE(plan_.counts_records);
    mariadb("replace into inv values (1, 2) returning id");
    EXPECT_EQ(plan_.reply, ReplyChange::strip);
    EXPECT_EQ(plan_.reason, "rows that REPLACE removes");
    mariadb("insert ignore into inv values (1, 2), (3, 4)");
    EXPECT_EQ(plan_.reason, "rows that IGNORE skips");
    EXPECT_EQ(plan_.full_when_known, 2U);
    EXPECT_EQ(plan_.records, 2U);
    expect_opaque("insert ignore into inv select 1, 2", mariadb_state(), "rows that IGNORE skips");
    mariadb("insert ignore into inv values (1, 2)");
    EXPECT_EQ(plan_.reason, "rows that IGNORE skips");
    EXPECT_EQ(plan_.full_when_known, 1U);
    mariadb("insert ignore into inv set id = 1, v = (select max(v) from num)");
    EXPECT_EQ(plan_.full_when_known, 0U);
    EXPECT_TRUE(mariadb("insert into inv (id) values (1), (2) on duplicate key update v = 3")
                    .starts_with("insert into inv (id, `isotap_wlist`, `isotap_rowid`) values (1, "
                                 "'T5.1', left(right(convert(@isotap_rows:="));
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_EQ(plan_.tables.front().kind, history::AccessKind::update);
    EXPECT_EQ(plan_.reason, "");
    EXPECT_FALSE(plan_.afterwards.empty());
    for (const char* text : {"insert into inv select 1, 2 on duplicate key update v = 1",
                             "insert ignore into inv values (1, 2) on duplicate key update v = 1",
                             "insert into inv values (1, 2) on duplicate key update v = 1 "
                             "returning id"}) {
        expect_opaque(text, mariadb_state(), "ON DUPLICATE KEY UPDATE");
    }
    expect_opaque("delete inv from inv join num on true", mariadb_state(), "several tables");
    expect_opaque("delete from inv", mysql_state(), "write without a trigger");
    expect_opaque("select (select max(inv.v)) from inv", mariadb_state(),
                  "aggregate in a subquery");
    LexerState old = mariadb_state();
    old.server_version = 100400;
    expect_opaque("delete from inv", old, "no RETURNING");
}

/// The server makes some an UPDATE of joined tables, whose assignments all see the row as it was.
TEST_F(Planner, LeavesUpdatesAloneWhoseAssignmentsMayNotSeeOneAnother) {
    for (const char* text : {"update inv set v = (select max(v) from inv i)",
                             "update inv set v = 1 where id in (select i.id from num n join inv i)",
                             "update inv set v = 1 where id < (select max(id) from a_view)"}) {
        expect_opaque(text, mariadb_state(), "several tables");
    }
    LexerState later = mariadb_state();
    later.server_version = 110809;
    for (const char* text :
         {"update inv set v = 1 where id in (select id from num)",
          "update inv set v = 1 where not id not in ((select id from num)) limit 2",
          "update inv set v = 1 where id = any (select id from num) order by id"}) {
        expect_opaque(text, later, "several tables");
        EXPECT_TRUE(plan(text, mariadb_state()).rewrites()) << text;
    }
    for (const char* text : {"update inv set v = 1 where id in (1, 2)",
                             "update inv set v = id in (select id from num)",
                             "update inv set v = 1 where id < (select max(id) from num)"}) {
        EXPECT_TRUE(plan(text, later).rewrites()) << text;
    }
}

/// Its own count says whether a row was in the way of those that it made.
TEST_F(Planner, CollectsWhatReplaceMakesOnMariadb) {
    EXPECT_TRUE(mariadb("replace into inv (id) values (1), (2)")
                    .starts_with("replace into inv (id, `isotap_wlist`, `isotap_rowid`) values (1, "
                                 "'T5.1', left(right(convert(@isotap_rows:="));
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_EQ(plan_.tables.front().kind, history::AccessKind::insert);
    EXPECT_FALSE(plan_.afterwards.empty());
    EXPECT_EQ(plan_.coverage, Coverage::partial);
    EXPECT_EQ(plan_.reason, "rows that REPLACE removes");
    EXPECT_EQ(plan_.full_when_known, 2U);
    mariadb("replace inv set id = 1, v = (select max(v) from num)");
    EXPECT_EQ(plan_.full_when_known, 0U);
    EXPECT_TRUE(mariadb("replace into inv select id, v from num where id > 1")
                    .starts_with("replace into inv (`id`, `v`, `isotap_wlist`, `isotap_rowid`)  "
                                 "select id, v, 'T5.1', left(right(convert(@isotap_rows:="));
    EXPECT_EQ(plan_.reason, "rows that REPLACE removes");
    EXPECT_EQ(plan_.full_when_known, 0U);
    expect_opaque("replace into inv select distinct id, v from num", mariadb_state(),
                  "rows that REPLACE removes");
    catalog_.add("fires", VersionSource::columns, {"id", "v"}).has_triggers = true;
    mariadb("replace into fires values (1, 2)");
    EXPECT_EQ(plan_.full_when_known, 0U) << "nothing tells what triggers write";
    mariadb("insert ignore into fires values (1, 2)");
    EXPECT_EQ(plan_.full_when_known, 0U);
}

/// RETURNING would not tell which number the client is told of.
TEST_F(Planner, CollectsRowsThatBringTheirNumbersOnMariadb) {
    mariadb("insert into num (id, v) values (1, 2), (default, 3)");
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_FALSE(plan_.afterwards.empty());
    EXPECT_EQ(plan_.coverage, Coverage::full);
    mariadb("insert into num set v = last_insert_id(5)");
    EXPECT_FALSE(plan_.afterwards.empty());
    EXPECT_EQ(plan_.coverage, Coverage::full);
    mariadb("insert into num select * from inv");
    EXPECT_FALSE(plan_.afterwards.empty());
    EXPECT_EQ(plan_.coverage, Coverage::partial);
    EXPECT_EQ(plan_.reason, "insert from select");
    expect_opaque("insert into num select * from inv limit 3", mariadb_state(),
                  "insert id of several rows");
    expect_opaque("insert ignore into num values (1, 2), (3, 4)", mariadb_state(),
                  "rows that IGNORE skips");
}

TEST_F(Planner, StampsEveryInsertedRowOnMariadb) {
    const std::string returning = " returning `isotap_rowid`, `isotap_wlist` ";
    EXPECT_EQ(mariadb("insert into inv values (1, 2), (3, f(4))"),
              "insert into inv (`id`, `v`, `isotap_wlist`)  values (1, 2, 'T5.1'), (3, f(4), "
              "'T5.1')" +
                  returning);
    EXPECT_TRUE(plan_.counts_records);
    EXPECT_EQ(mariadb("insert into inv () values ()"),
              "insert into inv (`isotap_wlist`) values ('T5.1')" + returning);
    EXPECT_EQ(mariadb("insert into inv values ()"),
              "insert into inv (`isotap_wlist`)  values ('T5.1')" + returning);
    EXPECT_EQ(mariadb("insert into inv set v = 1"),
              "insert into inv set v = 1, `isotap_wlist`='T5.1'  returning `isotap_rowid`, "
              "`isotap_wlist` ");
    EXPECT_EQ(mariadb("insert into inv select id, v from looks where v > 1"),
              "insert into inv (`id`, `v`, `isotap_wlist`)  select id, v, 'T5.1'  from looks where "
              "v > 1" +
                  returning);
    EXPECT_TRUE(plan_.counts_records);
    EXPECT_EQ(plan_.reason, "insert from select");
    expect_opaque("insert into inv select 1, 2 union select 3, 4", mariadb_state(),
                  "insert from a set operation");
    mariadb("insert into inv (v) values (last_insert_id())");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

TEST_F(Planner, NotesTheRowsThatAnInsertReadsOnMariadb) {
    EXPECT_EQ(mariadb("insert into inv select n.id, n.v from num n"),
              "insert into inv (`id`, `v`, `isotap_wlist`)  select n.id, n.v, concat('T5.1',"
              "convert(left(if(0,convert(concat(@isotap_read0:='',@isotap_reader0:='') using "
              "ascii),convert(@isotap_read0:=concat_ws('',if(binary @isotap_reader0<=>binary "
              "'T5.1',convert(@isotap_read0 using ascii),convert(left(@isotap_reader0:='T5.1',0) "
              "using ascii)),concat(ifnull(n.`isotap_rowid`,''),'=',n.`isotap_wlist`,';')) using "
              "ascii)),0) using ascii))  from num n returning `isotap_rowid`, `isotap_wlist`, "
              "concat(if(0,convert(@isotap_read0:='' using ascii),convert(@isotap_read0 using "
              "ascii)),convert(left(@isotap_read0:='',0) using ascii)) ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    ASSERT_EQ(plan_.tables.size(), 2U);
    EXPECT_EQ(plan_.tables[1].kind, AccessKind::locking_read);
    EXPECT_TRUE(std::any_of(plan_.splices.begin(), plan_.splices.end(),
                            [](const Splice& splice) { return splice.has_stamp(); }));
    for (const char* text :
         {"insert into inv select id, v from num limit 1", "insert into inv select id, v from inv",
          "insert into inv select id, v from num order by id",
          "insert into inv select id, sum(v) over () from num",
          "insert into inv select distinct id, v from num"}) {
        mariadb(text);
        EXPECT_EQ(plan_.reason, "insert from select") << text;
    }
}

TEST_F(Planner, CollectsTheRowsOfAnUpdateOnMariadb) {
    options_.wlist_entries = 0;
    const std::string text =
        mariadb("update inv i set i.v = concat('a', 'b'), id = 3 where id = 4");
    const std::string image =
        "concat_ws(convert('|' using ascii),"
        "ifnull(convert(if(length(i.v)>64,concat('#',sha2(i.v,512)),hex(concat(i.v))) using ascii),"
        "convert('~' using ascii)),"
        "ifnull(convert(if(length(id)>64,concat('#',sha2(id,512)),hex(concat(id))) using ascii),"
        "convert('~' using ascii)))";
    EXPECT_TRUE(
        text.starts_with("update inv i set i.`isotap_wlist`=concat(i.`isotap_wlist`,"
                         "convert(left(@isotap_rows:="));
    EXPECT_TRUE(text.substr(0, text.find(" i.v ="))
                    .ends_with(",';',i.`isotap_rowid`,'=',i.`isotap_wlist`),0) using ascii),"
                               "convert(left(@isotap_old:=" +
                               image + ",0) using ascii)), "));
    EXPECT_NE(text.find(", id = 3, i.`isotap_wlist`=if(binary @isotap_old<=>binary " + image),
              std::string::npos);
    EXPECT_NE(text.find(",',','T5.1'))  where id = 4"), std::string::npos);
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_NE(plan_.afterwards.find("select concat_ws("), std::string::npos);
    expect_opaque("update ignore inv set v = 1", mariadb_state(), "UPDATE IGNORE");

    const std::string alone = mariadb("update inv set v = 'a'");
    EXPECT_EQ(alone.find("concat_ws(convert('|'"), std::string::npos);
    EXPECT_NE(alone.find("@isotap_old:=ifnull(convert(if(length(v)>64,"), std::string::npos);
}

TEST_F(Planner, ComparesShortValuesAsTheyAreOnMariadb) {
    catalog_.add("brief", VersionSource::columns, {"id", "v"}).short_values = {"V"};
    const std::string text = mariadb("update brief set v = 3");
    EXPECT_NE(text.find("@isotap_old:=ifnull(convert(hex(concat(v)) using ascii),"),
              std::string::npos);
}

TEST_F(Planner, APlanServesEveryStatementOfItsShape) {
    plan_ = plan("select bal from acc where id = 3", postgres_state());
    tokens_.read("select  bal\nfrom acc /* x */ where id=12345", postgres_state());
    std::string out;
    apply(plan_, tokens_, "", out);
    EXPECT_EQ(out,
              "select  bal, acc.\"id\"::text as isotap_1, acc.xmin::text as isotap_2 \nfrom acc /* "
              "x */ where id=12345");
}

TEST_F(Planner, MapsErrorPositionsBack) {
    const std::string_view text = "select * from aux where id = nothing";
    const std::string out = postgres(text);
    const auto back = [&](std::string_view word) {
        return original_offset(plan_, tokens_, "", out.find(word));
    };
    EXPECT_EQ(back("nothing"), text.find("nothing"));
    EXPECT_EQ(back("select"), 0U);
    EXPECT_EQ(back("from"), text.find("from"));
    EXPECT_EQ(back("aux.\"v\""), text.find('*'));
    EXPECT_EQ(back("isotap_wlist"), text.find('*') + 1);
    EXPECT_EQ(original_offset(plan_, tokens_, "", out.size() + 5), text.size());
}

}  // namespace
}  // namespace isotap::sql
