// INSERT, UPDATE, DELETE and MERGE of PostgreSQL.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;
using PlannerPostgresWrite = Planner;

// Each version of a row without a key has a place of its own: an update ends one, begins another.
TEST_F(PlannerPostgresWrite, NamesRowsWithoutAKeyByTheirPlace) {
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
TEST_F(PlannerPostgresWrite, NamesNoOverwrittenVersionOfARowWithAnotherKey) {
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

TEST_F(PlannerPostgresWrite, CastsNothingWhereTheResultIsTextAnyway) {
    const auto in_text = [this](std::string_view text) {
        postgres(text);
        std::string out;
        apply(plan_.in_text ? *plan_.in_text : plan_, tokens_, "", out);
        return out;
    };
    EXPECT_EQ(in_text("delete from acc where id = 1"),
              "delete from acc where id = 1 returning acc.\"id\", acc.xmin, "
              "pg_current_xact_id() ");
    EXPECT_EQ(plan_.in_text->added.size(), plan_.added.size());
    EXPECT_EQ(in_text("select bal from acc where id = 1"),
              "select bal, acc.\"id\" as isotap_1, acc.xmin as isotap_2  from acc where id = 1");
    EXPECT_EQ(in_text("select v from pair"),
              "select v, pair.\"a\"::text as isotap_1, pair.\"b\"::text as isotap_2, "
              "pair.xmin as isotap_3  from pair")
        << "of other types the text may be another one";
    const std::string united = in_text("select bal from acc union all select v from pair");
    EXPECT_EQ(plan_.in_text, nullptr) << "arms must agree in their types: " << united;
    EXPECT_EQ(in_text("select d.x from (select bal as x from acc) d").find('\x1f'),
              std::string::npos);
}

TEST_F(PlannerPostgresWrite, ReturnsWhatADeleteRemoved) {
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

TEST_F(PlannerPostgresWrite, NotesTheOverwrittenVersionInTheCondition) {
    EXPECT_EQ(postgres("update acc as a set bal = $1 where id = $2 or id = 3 returning *"),
              "update acc as a set bal = $1 where ( id = $2 or id = 3) and pg_catalog.set_config("
              "'isotap.seen', a.xmin::text, true) is not null  returning *, a.\"id\"::text, "
              "nullif(pg_catalog.current_setting('isotap.seen', true), ''), a.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.added[1].role, ColumnRole::seen);
    EXPECT_EQ(plan_.added[2].role, ColumnRole::made);
    EXPECT_EQ(postgres("update acc set bal = 1"),
              "update acc set bal = 1 where pg_catalog.set_config('isotap.seen', acc.xmin::text, "
              "true) is not null  returning acc.\"id\"::text, "
              "nullif(pg_catalog.current_setting('isotap.seen', true), ''), acc.xmin::text, "
              "pg_current_xact_id()::text ");
    postgres("update part set bal = 1 where bal = 2");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

TEST_F(PlannerPostgresWrite, LocksInFromWhereRowsMayBeTestedAheadOfTheirTurn) {
    EXPECT_EQ(postgres("update acc a set bal = $1 where id in (select id from kin) returning *"),
              "update acc a set bal = $1 from (select a.\"id\" as isotap_key0, a.xmin as "
              "isotap_seen from acc a  where id in (select id from kin) for no key update) as "
              "isotap_locked where "
              "isotap_locked.isotap_key0 = a.\"id\"  returning a.*, a.\"id\"::text, "
              "isotap_locked.isotap_seen::text, a.xmin::text, pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.reason, "subquery");
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

TEST_F(PlannerPostgresWrite, ReturnsWhatAnInsertMade) {
    EXPECT_EQ(postgres("insert into acc values (1, 2)"),
              "insert into acc values (1, 2) returning acc.\"id\"::text, acc.xmin::text, "
              "pg_current_xact_id()::text ");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(postgres("insert into part values (1)"),
              "insert into part values (1) returning part.\"id\"::text, "
              "pg_current_xact_id()::text ")
        << "a partitioned parent gives no system columns";
    postgres("insert into acc values (1) on conflict (id) do update set bal = 3");
    EXPECT_EQ(plan_.coverage, Coverage::full);
    EXPECT_EQ(plan_.added[2].role, ColumnRole::seen) << "noted in the condition of the SET";
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

TEST_F(PlannerPostgresWrite, AppendsTheWriterOnPostgres) {
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

}  // namespace
}  // namespace isotap::sql
