// COPY on real servers: the client gets the bytes that it would have got without, and what is told
// is what is there.
#include <set>

#include "tests/integration/postgres_capture.hpp"

namespace isotap::test {
namespace {

using ::testing::IsEmpty;

class PostgresCopy : public PostgresCapture {
  protected:
    void SetUp() override {
        PostgresCapture::SetUp();
        if (IsSkipped()) {
            return;
        }
        plans->catalog.add("odd", sql::VersionSource::system, {"k", "v"}, {"k"}).plain_key = false;
        sql::Table& made =
            plans->catalog.add("computed", sql::VersionSource::system, {"id", "twice", "more"});
        made.generated = {"twice"};
        for (const char* name : {"direct", "captured"}) {
            server->sql(R"(\connect )" + std::string(name) + R"(
create table odd(k text primary key, v text);
insert into odd values ('', 'nothing'), ('\.', '\.'), (E'a\tb\nc\\N', 'x'), ('a,"b";''', E'\r'),
    ('\N', null), ('N', ''), ('zwölf|', 'ä'), (E'\x01', '"');
create table computed(id int primary key, twice int generated always as (id * 2) stored, more text);
insert into computed (id, more) values (1, 'a'), (2, null);
create table big(id int primary key, filler text);
insert into big select g, repeat('x', g % 50) from generate_series(1, 30000) g;
analyze;
)");
        }
        plans->catalog.add("big", sql::VersionSource::system, {"id", "filler"});
        start();
    }

    void start(std::size_t slice = 0) {
        direct = std::make_unique<Direct>(at());
        direct->start(to("direct"));
        captured = std::make_unique<CapturedClient>(at(), *capture, slice);
        captured->start(to("captured"));
    }

    void accept(const history::Event& event) noexcept override {
        if (const auto* label = std::get_if<history::RowLabelled>(&event)) {
            labels[label->row] = std::string(label->label);
        } else if (const auto* access = std::get_if<history::Access>(&event)) {
            told.insert(labels[access->row] + " " + std::to_string(access->before.writer));
        }
        PostgresCapture::accept(event);
    }

    /// All messages, to the last byte.
    void exactly_both(const std::string& sql) {
        direct->send(query_message(sql));
        captured->send(query_message(sql));
        const std::vector<Frame> expected = direct->read_ready();
        const std::vector<Frame> found = captured->read_ready();
        EXPECT_TRUE(same(lines(expected), lines(found))) << sql;
        ASSERT_EQ(expected.size(), found.size()) << sql;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const bool of_copy =
                std::string_view("Hdc").find(expected[i].type) != std::string_view::npos;
            if (of_copy) {
                EXPECT_EQ(expected[i].body, found[i].body) << sql << ", message " << i;
            }
        }
    }

    std::multiset<std::string> there(const std::string& key, const std::string& table) {
        std::multiset<std::string> rows;
        std::string all = server->sql("\\connect captured\nselect " + key +
                                      " || ' ' || xmin from " + table + ";");
        std::istringstream in(all);
        for (std::string line; std::getline(in, line);) {
            rows.insert(line);
        }
        return rows;
    }

    std::map<history::RowKey, std::string> labels;
    std::multiset<std::string> told;  ///< key and version
};

const std::vector<std::string> options = {
    "",
    " (format csv)",
    " csv header",
    " (format csv, force_quote *)",
    " (format binary)",
    " with binary",
    " (format csv, quote '''', escape '\\', null 'null', header)",
    " (format csv, delimiter '.', escape '.')",
    " (format csv, delimiter 'a', quote 'b')",
    " with delimiter '|' null as E'\\\\N'",
    " (format text, header)",
    " (null '')",
    " (format csv, null '\\.')",
    " (format csv, escape '\\')",
    " (encoding 'LATIN1')",
    " (format csv, header match)",
    " (format nothing)",
    " (format csv, quote ',')",
    " csv csv"};

TEST_P(PostgresCopy, TheClientGetsTheBytesThatItWouldHaveGotWithout) {
    for (const std::size_t slice : {0U, 1U}) {
        start(slice);
        for (const std::string& option : options) {
            for (const char* copied :
                 {"odd",
                  "odd (v)",
                  "odd (k)",
                  "odd (v, k)",
                  "account",
                  "item (b, a)",
                  "bare",
                  "computed",
                  "computed (more, id)",
                  "computed (twice)",
                  "odd (v, v)",
                  "odd (xmin)",
                  "nowhere",
                  "odd (nothing)",
                  "(select v from odd order by k)",
                  "(select count(*) from account)",
                  "(select from bare)",
                  "(select v from odd, bare)",
                  "(select 1 / (id - 3) from account)",
                  "(select nothing from odd)",
                  "(select 1)",
                  "(update bare set x = x returning x)",
                  "(delete from bare where x = 7)",
                  "(with c as (select * from item) select v from c order by a, b)",
                  "(select k from odd where v in (select v from odd) order by k)",
                  "(select id into x from account)",
                  "(selec)"}) {
                exactly_both("copy " + std::string(copied) + " to stdout" + option);
            }
        }
        for (
            const char* text :
            {"begin; copy odd to stdout; copy (select 1) to stdout csv; update account set balance "
             "= 3; copy account to stdout; commit; copy item to stdout binary",
             "begin; copy (select 1 / (10 - id) from account order by id) to stdout; select 1",
             "rollback", "copy odd to stdout; selec", "copy odd to program 'cat > /dev/null'",
             "copy binary odd to stdout", "create temp table odd (other int); copy odd to stdout; ",
             "copy odd to stdout", "drop table odd", "copy odd to stdout"}) {
            exactly_both(text);
        }
        EXPECT_THAT(captured->notes, IsEmpty());
    }
    EXPECT_GT(coverage[static_cast<std::size_t>(history::Coverage::full)], 300U);
    for (const char* reason : {"copy options", "copy to a file", "generated columns"}) {
        EXPECT_GT(reasons[reason], 0U) << reason;
    }
}

TEST_P(PostgresCopy, InEveryWayThatAStatementCanBeSent) {
    for (const char* sql : {"copy odd to stdout",
                            "copy (select * from account order by id) to "
                            "stdout (format binary)",
                            "copy odd (v) to stdout csv header"}) {
        in_every_way(sql);
    }
    EXPECT_GT(reasons["prepared copy"], 0U);
    EXPECT_THAT(captured->notes, IsEmpty());
}

TEST_P(PostgresCopy, WhatIsToldIsWhatIsThere) {
    exactly_both("update account set balance = 1 where id < 4");
    for (const std::string option : {"", " (format csv, header)", " (format binary)"}) {
        for (const char* copied : {"account", "account (owner)", "(select owner from account)"}) {
            told.clear();
            exactly_both("copy " + std::string(copied) + " to stdout" + option);
            EXPECT_EQ(told, there("id", "account")) << copied << option;
            EXPECT_EQ(told.size(), 20U);
        }
    }
    told.clear();
    captured->query("copy item to stdout csv");
    EXPECT_EQ(told, there("a || ',' || b", "item"));
    told.clear();
    captured->query("copy odd to stdout");
    EXPECT_EQ(told.size(), 8U);
    EXPECT_EQ(reasons[""], coverage[static_cast<std::size_t>(history::Coverage::full)]);
}

/// COPY reads a table as it lies there, whatever it would cost less to do.
TEST_P(PostgresCopy, ATableComesInItsOwnOrder) {
    exactly_both(
        "set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set "
        "min_parallel_table_scan_size = 0; set enable_seqscan = off; set "
        "max_parallel_workers_per_gather = 4");
    for (const char* copied : {"big", "big (id)", "big (filler)"}) {
        exactly_both("copy " + std::string(copied) + " to stdout");
    }
    // More rows than are told of one statement.
    EXPECT_EQ(accesses, 3 * capture->limits.rows_per_statement);
    EXPECT_EQ(reasons["too many rows"], 3U);
    const std::string plan = server->sql(
        "\\connect captured\nset parallel_setup_cost = 0; set parallel_tuple_cost = 0; "
        "set min_parallel_table_scan_size = 0; explain select *, big.\"id\"::text from only big "
        "where case when false then pg_catalog.txid_current() is null else true end;");
    EXPECT_EQ(plan.find("Gather"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("Filter"), std::string::npos) << plan;
}

/// What COPY has read is an edge as what SELECT has read.
TEST_P(PostgresCopy, AWriteSkewIsFound) {
    {
        CapturedClient other(at(), *capture);
        other.start(to("captured"));
        for (CapturedClient* who : {captured.get(), &other}) {
            who->query("begin isolation level repeatable read");
            who->query("copy account to stdout");
        }
        captured->query("update account set balance = 0 where id = 1");
        other.query("update account set balance = 0 where id = 2");
        captured->query("commit");
        other.query("commit");
    }
    captured.reset();
    engine.finish();
    ASSERT_EQ(engine.anomalies().size(), 1U);
    EXPECT_EQ(plain_name(engine.anomalies().front()), "write skew");
}

/// Rows that COPY has brought are those of its transaction, where another statement of it has told
/// what the server calls it.
TEST_P(PostgresCopy, WritersOfCopiedRowsAreKnownByTheirTransaction) {
    const auto edges_with = [this](const std::string& first) {
        const std::size_t before = engine.statistics().edges;
        CapturedClient writer(at(), *capture);
        writer.start(to("captured"));
        writer.query("begin");
        writer.query(first);
        writer.send(query_message("copy account from stdin") +
                    MessageWriter().text("100\tcopied\t1\n").framed('d') +
                    MessageWriter().framed('c'));
        EXPECT_EQ(error_in(writer.read_ready()).text, "");
        writer.query("commit");
        captured->query("select * from account where id = 100");
        captured->query("delete from account where id = 100");
        return engine.statistics().edges - before;
    };
    const std::size_t alone = edges_with("select 1");
    EXPECT_EQ(reasons["copy from"], 1U);
    const std::size_t with_another_write = edges_with("insert into account values (200)");
    captured->query("select 1");
    EXPECT_GT(with_another_write, alone);
}

std::string version(const ::testing::TestParamInfo<int>& info) {
    return std::to_string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Versions, PostgresCopy, ::testing::Values(15, 18), version);

}  // namespace
}  // namespace isotap::test
