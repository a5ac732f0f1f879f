#include "protocol/sql/structure.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/sql/dialects.hpp"

namespace isotap::sql {
namespace {

struct Parsed {
    TokenList tokens;
    Structure structure;

    Parsed(std::string_view text, const LexerState& state) {
        tokens.read(text, state);
        parse(tokens, state, structure);
    }
    [[nodiscard]] std::string_view text(Clause clause, BlockId block = 0) const {
        return tokens.text(structure.blocks[block][clause]);
    }
    /// `schema.name alias` of every relation, in the order in which they end.
    [[nodiscard]] std::string relations() const {
        std::string list;
        for (const Relation& relation : structure.relations) {
            list += list.empty() ? "" : ", ";
            if (relation.kind != RelationKind::table) {
                list += relation.kind == RelationKind::derived ? "(query)" : "function";
            } else {
                list += relation.schema == no_token
                            ? ""
                            : std::string(tokens.text(relation.schema)) + ".";
                list += tokens.text(relation.name);
            }
            list +=
                relation.alias == no_token ? "" : " " + std::string(tokens.text(relation.alias));
        }
        return list;
    }
};

TEST(Structure, FindsTheClausesOfASelect) {
    const Parsed p(
        "select distinct a, count(*) filter (where x) from t as u join s using (i) "
        "where extract(year from d) = 1 and a is distinct from b group by a having count(*) > 1 "
        "window w as (order by c) order by a limit 3 offset 4 for no key update of u skip locked",
        postgres_state());
    ASSERT_EQ(p.structure.doubt, "");
    EXPECT_EQ(p.structure.kind, StatementKind::select);
    EXPECT_EQ(p.text(Clause::distinct), "distinct");
    EXPECT_EQ(p.text(Clause::items), "a, count(*) filter (where x)");
    EXPECT_EQ(p.text(Clause::from), "from t as u join s using (i)");
    EXPECT_EQ(p.text(Clause::where), "where extract(year from d) = 1 and a is distinct from b");
    EXPECT_EQ(p.text(Clause::group_by), "group by a");
    EXPECT_EQ(p.text(Clause::having), "having count(*) > 1");
    EXPECT_EQ(p.text(Clause::window), "window w as (order by c)");
    const Query& query = p.structure.queries[0];
    EXPECT_EQ(p.tokens.text(query.order_by), "order by a");
    EXPECT_EQ(p.tokens.text(query.limit), "limit 3 offset 4");
    EXPECT_EQ(p.tokens.text(query.locking), "for no key update of u skip locked");
    EXPECT_EQ(p.relations(), "t u, s");
    EXPECT_TRUE(p.structure.blocks[0].joins_by_name);
    EXPECT_EQ(p.structure.items.size(), 2U);
}

TEST(Structure, TellsStarsApart) {
    const Parsed p("select *, t.*, s.t.*, (r).*, a * b, count(*) from t", postgres_state());
    ASSERT_EQ(p.structure.doubt, "");
    const Star wanted[] = {Star::all,       Star::qualified, Star::qualified,
                           Star::composite, Star::none,      Star::none};
    ASSERT_EQ(p.structure.items.size(), std::size(wanted));
    for (std::size_t i = 0; i < std::size(wanted); ++i) {
        EXPECT_EQ(p.structure.items[i].star, wanted[i]) << i;
    }
}

TEST(Structure, NestsQueries) {
    const Parsed p(
        "with recursive c(n) as (select 1 union all select n + 1 from c) "
        "select (select max(x) from a), d.y from (select y from b) d, lateral f(d.y) "
        "where exists (select 1 from e where e.i = d.y) and z in ((select 2) union (select 3))",
        postgres_state());
    ASSERT_EQ(p.structure.doubt, "");
    EXPECT_EQ(p.relations(), "c, a, b, (query) d, function, e");
    ASSERT_EQ(p.structure.ctes.size(), 1U);
    EXPECT_TRUE(p.structure.queries[p.structure.top].recursive);
    EXPECT_EQ(p.structure.queries[p.structure.ctes[0].query].operation, SetOperation::union_all);
    std::size_t in_expressions = 0;
    for (const Query& query : p.structure.queries) {
        in_expressions += query.role == QueryRole::expression ? 1 : 0;
    }
    EXPECT_EQ(in_expressions, 3U);
}

TEST(Structure, ReadsSetOperations) {
    const Parsed all("select 1 union all select 2 union all select 3 order by 1", postgres_state());
    EXPECT_EQ(all.structure.queries[0].operation, SetOperation::union_all);
    EXPECT_EQ(all.structure.single_block(), nullptr);
    const Parsed mixed("select 1 union all select 2 except select 3", postgres_state());
    EXPECT_EQ(mixed.structure.queries[0].operation, SetOperation::other);
    const Parsed parens("(select 1 limit 1) union (select 2)", mysql_state());
    EXPECT_EQ(parens.structure.doubt, "");
    EXPECT_EQ(parens.structure.blocks[0].kind, BlockKind::nested);
}

TEST(Structure, ReadsTheWritesOfPostgres) {
    const Parsed insert(
        "insert into s.t as u (a, b) values (1, $1), (2, default) "
        "on conflict (a) where a > 0 do update set b = excluded.b where u.c returning *, u.a",
        postgres_state());
    ASSERT_EQ(insert.structure.doubt, "");
    EXPECT_EQ(insert.structure.kind, StatementKind::insert);
    EXPECT_EQ(insert.text(Clause::target), "s.t as u");
    EXPECT_EQ(insert.text(Clause::columns), "(a, b)");
    EXPECT_EQ(insert.text(Clause::source), "values (1, $1), (2, default)");
    EXPECT_EQ(insert.text(Clause::conflict),
              "on conflict (a) where a > 0 do update set b = excluded.b where u.c");
    EXPECT_EQ(insert.text(Clause::items), "*, u.a");

    const Parsed from_select("insert into t select * from s on conflict do nothing",
                             postgres_state());
    ASSERT_EQ(from_select.structure.doubt, "");
    EXPECT_EQ(from_select.text(Clause::conflict), "on conflict do nothing");

    const Parsed update("update only t set a = 1, (b, c) = (select 1, 2) from s where t.i = s.i",
                        postgres_state());
    ASSERT_EQ(update.structure.doubt, "");
    EXPECT_EQ(update.text(Clause::target), "only t");
    EXPECT_EQ(update.text(Clause::set), "set a = 1, (b, c) = (select 1, 2)");
    EXPECT_EQ(update.text(Clause::from), "from s");
    EXPECT_EQ(update.text(Clause::where), "where t.i = s.i");

    const Parsed cursor("delete from t where current of c", postgres_state());
    EXPECT_TRUE(cursor.structure.blocks[0].current_of);

    const Parsed merge(
        "merge into t using s join r on s.i = r.i on t.i = s.i when matched then delete",
        postgres_state());
    ASSERT_EQ(merge.structure.doubt, "");
    EXPECT_EQ(merge.structure.kind, StatementKind::merge);
    EXPECT_EQ(merge.text(Clause::from), "using s join r on s.i = r.i");
}

TEST(Structure, ReadsTheWritesOfMysql) {
    const LexerState state = mariadb_state();
    const Parsed insert(
        "insert ignore into d.t (a) values (1),(2) on duplicate key update a = values(a) + 1 "
        "returning a",
        state);
    ASSERT_EQ(insert.structure.doubt, "");
    EXPECT_EQ(insert.text(Clause::conflict), "on duplicate key update a = values(a) + 1");
    EXPECT_EQ(insert.text(Clause::items), "a");

    const Parsed set("replace t set a = 1, b = 2", state);
    ASSERT_EQ(set.structure.doubt, "");
    EXPECT_EQ(set.structure.kind, StatementKind::replace);
    EXPECT_EQ(set.text(Clause::source), "set a = 1, b = 2");

    const Parsed update("update low_priority t u set a = 1 where b = ? order by c limit 1", state);
    ASSERT_EQ(update.structure.doubt, "");
    EXPECT_EQ(update.text(Clause::set), "set a = 1");
    EXPECT_EQ(update.tokens.text(update.structure.queries[0].limit), "limit 1");
    EXPECT_FALSE(update.structure.blocks[0].multi_table);

    const Parsed joined("update a join b on a.i = b.i set a.x = b.x where b.y", state);
    ASSERT_EQ(joined.structure.doubt, "");
    EXPECT_TRUE(joined.structure.blocks[0].multi_table);
    EXPECT_EQ(joined.text(Clause::target), "a join b on a.i = b.i");

    const Parsed remove("delete from t where a = 1 order by b limit 2 returning a", state);
    ASSERT_EQ(remove.structure.doubt, "");
    EXPECT_EQ(remove.text(Clause::where), "where a = 1");
    EXPECT_EQ(remove.text(Clause::items), "a");

    for (const char* text : {"delete a, b.* from a join b on a.i = b.i where a.x",
                             "delete from a using a join b on a.i = b.i where a.x"}) {
        const Parsed several(text, state);
        EXPECT_EQ(several.structure.doubt, "") << text;
        EXPECT_TRUE(several.structure.blocks[0].multi_table) << text;
    }
}

TEST(Structure, ReadsWhatALoadNames) {
    const Parsed load(
        "load data local infile 'x' replace into table d.t partition (p) character set utf8 "
        "columns terminated by ',' optionally enclosed by '\"' lines starting by '>' ignore 2 rows "
        "(a, @b) set b = upper(@b), c = (select max(d) from u)",
        mariadb_state());
    ASSERT_EQ(load.structure.doubt, "");
    EXPECT_EQ(load.structure.kind, StatementKind::load);
    EXPECT_EQ(load.structure.blocks[0].kind, BlockKind::replace);
    EXPECT_EQ(load.text(Clause::target), "d.t partition (p)");
    EXPECT_EQ(load.text(Clause::columns), "(a, @b)");
    EXPECT_EQ(load.text(Clause::set), "set b = upper(@b), c = (select max(d) from u)");
    EXPECT_EQ(load.relations(), "d.t, u");
    EXPECT_EQ(Parsed("load index into cache t", mariadb_state()).structure.kind,
              StatementKind::other);
    EXPECT_EQ(Parsed("load 'library'", postgres_state()).structure.kind, StatementKind::other);
}

TEST(Structure, ReadsWhatOnlyMysqlHas) {
    const LexerState state = mariadb_state();
    const Parsed p(
        "select straight_join sql_no_cache a from t force index for join (i) straight_join "
        "(u, v) left join w on left(a, 1) = b where c = values(d) group by a with rollup "
        "limit 2, 3 lock in share mode",
        state);
    ASSERT_EQ(p.structure.doubt, "");
    EXPECT_EQ(p.relations(), "t, u, v, w");
    EXPECT_EQ(p.text(Clause::group_by), "group by a with rollup");
    EXPECT_EQ(p.tokens.text(p.structure.queries[0].locking), "lock in share mode");

    const Parsed into("select a into @x from dual", state);
    ASSERT_EQ(into.structure.doubt, "");
    EXPECT_EQ(into.text(Clause::into), "into @x");
    const Parsed late("select a from t where b into @x", state);
    EXPECT_EQ(late.text(Clause::into), "into @x");
}

TEST(Structure, NotesCalls) {
    const Parsed p("select sum(a) over (partition by b), pg_catalog.count(*), c.f(x) from t",
                   postgres_state());
    ASSERT_EQ(p.structure.calls.size(), 3U);
    EXPECT_TRUE(p.structure.calls[0].window);
    EXPECT_FALSE(p.structure.calls[1].window);
    EXPECT_EQ(p.tokens.text(p.structure.calls[1].name), "count");
}

TEST(Structure, NamesTheTablesThatDdlTouches) {
    EXPECT_EQ(Parsed("create temporary table if not exists s.t (a int)", mysql_state()).relations(),
              "s.t");
    EXPECT_EQ(Parsed("drop table if exists a, b cascade", postgres_state()).relations(), "a, b");
    EXPECT_EQ(Parsed("truncate only a, b", postgres_state()).relations(), "a, b");
    EXPECT_EQ(Parsed("alter table only a add b int", postgres_state()).structure.kind,
              StatementKind::ddl);
    EXPECT_EQ(Parsed("copy t (a) from stdin", postgres_state()).relations(), "t");
}

TEST(Structure, SaysWhatItIsNotSureOf) {
    for (const char* text :
         {"select from", "select * from (a join b on true) j", "select 1)", "(select 1",
          "select (1", "select a[1 from t", "insert into t", "select * from where",
          "with x select 1", "select 'open", "update t where a"}) {
        const Parsed p(text, postgres_state());
        EXPECT_NE(p.structure.doubt, "") << text;
    }
    EXPECT_NE(Parsed("select * from { oj a left join b on x }", mysql_state()).structure.doubt, "");
    LexerState lost = postgres_state();
    lost.certain = false;
    EXPECT_EQ(Parsed("select 1", lost).structure.doubt, "lexer");
    EXPECT_EQ(Parsed("select 1", lost).structure.kind, StatementKind::select);
}

TEST(Structure, BoundsItsDepth) {
    const std::string deep = std::string(5000, '(') + "select 1" + std::string(5000, ')');
    EXPECT_NE(Parsed(deep, postgres_state()).structure.doubt, "");
    EXPECT_NE(Parsed("select " + deep, mysql_state()).structure.doubt, "");
}

}  // namespace
}  // namespace isotap::sql
