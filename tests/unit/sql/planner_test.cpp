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
              "group_concat(concat(ifnull(inv.`isotap_rowid`,''),'=',inv.`isotap_wlist`) "
              "separator ';')"
              "  from inv");
    EXPECT_EQ(rewritten("select count(*) from inv", mysql_state()),
              "select /*+ SET_VAR(group_concat_max_len=1073741824) */  count(*), "
              "group_concat(concat(ifnull(inv.`isotap_rowid`,''),'=',inv.`isotap_wlist`) "
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

// Each version of a row without a key has a place of its own: an update ends one, begins another.
TEST_F(Planner, NamesRowsWithoutAKeyByTheirPlace) {
    const std::string place =
        "pg_catalog.pg_relation_filenode(loose.tableoid)::text as isotap_1, loose.ctid::text as "
        "isotap_2, loose.xmin::text as isotap_3";
    EXPECT_EQ(postgres("select x from loose"), "select x, " + place + "  from loose");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_NE(postgres("select distinct x from loose")
                  .find("encode(convert_to(loose.ctid::text,'UTF8'),'hex')||'='||loose.xmin"),
              std::string::npos);
    postgres("delete from loose where x = 1");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    postgres("update loose set x = 2");
    EXPECT_EQ(plan_.reason, "overwritten version");
    ASSERT_EQ(plan_.tables.size(), 1U);
    EXPECT_EQ(plan_.tables[0].kind, history::AccessKind::insert);
    options_.postgres_version = 180000;
    EXPECT_EQ(postgres("update loose set x = 2"),
              "update loose set x = 2 returning "
              "pg_catalog.pg_relation_filenode(old.tableoid)::text, old.ctid::text, "
              "old.xmin::text, pg_catalog.pg_relation_filenode(new.tableoid)::text, "
              "new.ctid::text, new.xmin::text, pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    ASSERT_EQ(plan_.tables.size(), 2U);
    EXPECT_EQ(plan_.tables[0].kind, history::AccessKind::remove);
    EXPECT_EQ(plan_.tables[1].kind, history::AccessKind::insert);
    EXPECT_EQ(
        plan("insert into loose values (1) on conflict (x) do update set x = 2", postgres_state())
            .reason,
        "overwritten version");
}

/// The row that is left behind had the version that is overwritten, not the one that is called so
/// afterwards.
TEST_F(Planner, NamesNoOverwrittenVersionOfARowWithAnotherKey) {
    for (const std::uint32_t version : {150000U, 180000U}) {
        options_.postgres_version = version;
        for (const std::string_view text : {
                 "update pair set v = 1, b = 2 where a = 1",
                 "update pair as p set (v, a) = (1, 2)",
                 "update pair set v = (select max(v), 2), \"a\" = default",
                 "insert into pair values (1, 2, 3) on conflict (a, b) do update set a = 9",
             }) {
            EXPECT_EQ(postgres(text).find("old."), std::string::npos) << text;
            EXPECT_EQ(plan_.reason, "changed key") << text;
            EXPECT_EQ(plan_.coverage, Coverage::partial) << text;
            for (const AddedColumn& column : plan_.added) {
                EXPECT_NE(column.role, ColumnRole::seen) << text;
            }
        }
        for (const std::string_view text : {
                 "update pair set v = (select 1), v = a where b = 3 returning b",
                 "update pair set v = case when a = 1 then b end, v[1] = f(a, b)",
             }) {
            EXPECT_NE(plan(text, postgres_state()).reason, "changed key") << text;
        }
    }
    expect_opaque("merge into acc using kin on true when matched then update set bal = 1, id = 2",
                  postgres_state(), "changed key");
    EXPECT_NE(plan("merge into acc using kin on true when matched then update set bal = 1 when not "
                   "matched then insert (id, bal) values (1, 2) returning bal, acc.id",
                   postgres_state())
                  .coverage,
              Coverage::opaque);
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
        {"copy acc to stdout", "copy"},
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

TEST_F(Planner, NamesWhatItCannotTellOfOnTheMysqlFamily) {
    constexpr std::pair<std::string_view, std::string_view> opaque[] = {
        {"truncate table inv", "truncate"},
        {"alter table inv truncate partition p0", "truncate"},
        {"load data local infile 'x' into table inv", "load data"},
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

TEST_F(Planner, ReturnsWhatADeleteRemoved) {
    EXPECT_EQ(postgres("delete from acc where id = 1"),
              "delete from acc where id = 1 returning acc.\"id\"::text, acc.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.reply, ReplyChange::swallow);
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.added.back().role, ColumnRole::transaction);
    EXPECT_EQ(postgres("delete from acc a returning bal"),
              "delete from acc a returning bal, a.\"id\"::text, a.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.reply, ReplyChange::strip);
    postgres("delete from acc using kin where kin.id = acc.id");
    EXPECT_EQ(plan_.reason, "joined rows");
    EXPECT_EQ(plan_.tables.size(), 2U);
}

TEST_F(Planner, LocksInFromToLearnTheOverwrittenVersion) {
    EXPECT_EQ(postgres("update acc as a set bal = $1 where id = $2 returning *"),
              "update acc as a set bal = $1 from (select a.\"id\" as isotap_key0, a.xmin as "
              "isotap_seen from acc as a  where id = $2 for no key update) as isotap_locked where "
              "isotap_locked.isotap_key0 = a.\"id\"  returning a.*, a.\"id\"::text, "
              "isotap_locked.isotap_seen::text, a.xmin::text, pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.added[1].role, ColumnRole::seen);
    EXPECT_EQ(plan_.added[2].role, ColumnRole::made);

    postgres("update acc set bal = 1 from kin where kin.id = acc.id");
    EXPECT_EQ(plan_.coverage, Coverage::partial);
    EXPECT_EQ(plan_.reason, "overwritten version");

    options_.postgres_version = 180000;
    EXPECT_EQ(postgres("update acc set bal = 1"),
              "update acc set bal = 1 returning acc.\"id\"::text, old.xmin::text, new.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

TEST_F(Planner, ReturnsWhatAnInsertMade) {
    EXPECT_EQ(postgres("insert into acc values (1, 2)"),
              "insert into acc values (1, 2) returning acc.\"id\"::text, acc.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(postgres("insert into part values (1)"),
              "insert into part values (1) returning part.\"id\"::text, "
              "pg_current_xact_id()::text ")
        << "a partitioned parent gives no system columns";
    postgres("insert into acc values (1) on conflict (id) do update set bal = 3");
    EXPECT_EQ(plan_.reason, "overwritten version");
    EXPECT_EQ(plan_.full_when_known, 1U);
    EXPECT_EQ(plan_.added[2].role, ColumnRole::seen) << "if it is what the snapshot shows";
    postgres("insert into loose values (1) on conflict (x) do update set x = 3");
    EXPECT_EQ(plan_.added[3].role, ColumnRole::updated) << "its place says nothing of the row";
    postgres("insert into acc values (1) on conflict do nothing");
    EXPECT_EQ(plan_.reason, "ON CONFLICT DO NOTHING");
    EXPECT_EQ(plan_.full_when_known, 1U);
    postgres("insert into acc values (1, f(2, 3)), ((2), 4) on conflict (id) do nothing");
    EXPECT_EQ(plan_.full_when_known, 2U);
    for (const char* unknown :
         {"insert into acc select 1 on conflict do nothing", "insert into acc values (1, 2)",
          "insert into acc values (1, 2) limit 1 on conflict do nothing",
          "insert into acc values ((select id from kin), 2) on conflict do nothing"}) {
        postgres(unknown);
        EXPECT_EQ(plan_.full_when_known, 0U) << unknown;
    }
    postgres("insert into acc select * from kin");
    EXPECT_EQ(plan_.reason, "insert from select");
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
    plan_ = plan("truncate num", mariadb_state());
    EXPECT_FALSE(plan_.empties) << "a transaction of its own there";
}

TEST_F(Planner, AppendsTheWriterOnPostgres) {
    options_.wlist_entries = 0;
    EXPECT_EQ(
        postgres("update aux set v = 1 where id = 2"),
        "update aux set v = 1, \"isotap_wlist\" = aux.\"isotap_wlist\"||','||'T5.1'  where id "
        "= 2 returning aux.\"isotap_rowid\"::text, aux.\"isotap_wlist\" ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(postgres("insert into aux values (1, 2) on conflict (id) do update set v = 3 where "
                       "aux.v = 4"),
              "insert into aux values (1, 2) on conflict (id) do update set v = 3, "
              "\"isotap_wlist\" = aux.\"isotap_wlist\"||','||'T5.1'  where aux.v = 4 returning "
              "aux.\"isotap_rowid\"::text, aux.\"isotap_wlist\", (aux.xmax<>0)::text ");
    options_.wlist_entries = 16;
    EXPECT_NE(postgres("update aux set v = 1").find(">=15 then"), std::string::npos);
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
    expect_opaque("replace into inv values (1, 2)", mariadb_state(), "rows that REPLACE removes");
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
    expect_opaque("insert into num values (1, 2), (3, 4)", mariadb_state(),
                  "insert id of several rows");
    expect_opaque("insert into inv (v) values (last_insert_id(7))", mariadb_state(),
                  "LAST_INSERT_ID");
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
    EXPECT_EQ(
        text.substr(0, text.find(" i.v =")),
        "update inv i set i.`isotap_wlist`=concat(i.`isotap_wlist`,convert(left(@isotap_old:=" +
            image + ",0) using ascii)), ");
    EXPECT_NE(text.find(", id = 3, i.`isotap_wlist`=if(binary @isotap_old<=>binary " + image),
              std::string::npos);
    EXPECT_NE(text.find(",',','T5.1'))  where id = 4"), std::string::npos);
    EXPECT_EQ(plan_.reply, ReplyChange::none);
    EXPECT_NE(plan_.afterwards.find("select concat_ws("), std::string::npos);
    expect_opaque("update ignore inv set v = 1", mariadb_state(), "UPDATE IGNORE");
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
