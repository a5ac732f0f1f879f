#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "protocol/sql/planner.hpp"
#include "tests/unit/sql/dialects.hpp"
#include "tests/unit/sql/literal_catalog.hpp"

namespace isotap::sql {

/// Plans statements over a few tables of every kind.
class Planner : public ::testing::Test {
  protected:
    Planner() {
        catalog_.add("acc", VersionSource::system, {"id", "bal"});
        catalog_.add("pair", VersionSource::system, {"a", "b", "v"}, {"a", "b"}).plain_key = false;
        catalog_.add("kin", VersionSource::system, {"id"}).has_children = true;
        catalog_.add("part", VersionSource::system, {"id"}).kind = TableKind::partitioned;
        catalog_.add("heap", VersionSource::system, {"x"}, {});
        Table& loose = catalog_.add("loose", VersionSource::system, {"x"}, {});
        loose.by_place = true;
        loose.plain_key = false;
        catalog_.add("looks", VersionSource::none, {"id"}).kind = TableKind::view;
        catalog_.add("pg_class", VersionSource::none, {"oid"}).kind = TableKind::system;
        catalog_.add("aux", VersionSource::columns, {"id", "v"}).shows_auxiliary = true;
        catalog_.add("inv", VersionSource::columns, {"id", "v"});
        for (const char* name : {"trig", "trug"}) {
            catalog_.add(name, VersionSource::columns, {"id", "v"}).told_by_triggers = true;
        }
        Table& parent = catalog_.add("parent", VersionSource::columns, {"id"});
        parent.told_by_triggers = parent.delete_cascades = true;
        catalog_.add("num", VersionSource::columns, {"id", "v"}).auto_increment = "id";
    }

    Plan plan(std::string_view text, const LexerState& state) {
        tokens_.read(text, state);
        parse(tokens_, state, structure_);
        return make_plan(tokens_, structure_, state, catalog_, options_);
    }
    /// The rewritten text.
    std::string rewritten(std::string_view text, const LexerState& state) {
        plan_ = plan(text, state);
        std::string out;
        apply(plan_, tokens_, "'T5.1'", out);
        return out;
    }
    std::string postgres(std::string_view text) { return rewritten(text, postgres_state()); }
    std::string mariadb(std::string_view text) { return rewritten(text, mariadb_state()); }
    std::string mysql(std::string_view text) { return rewritten(text, mysql_state()); }

    /// Nothing tells of it where rows may not be read twice.
    void expect_opaque(std::string_view text, const LexerState& state, std::string_view reason) {
        options_.reads_twice = false;
        const Plan made = plan(text, state);
        options_.reads_twice = true;
        EXPECT_EQ(made.coverage, history::Coverage::opaque) << text;
        EXPECT_EQ(made.reason, reason) << text;
        EXPECT_TRUE(made.added.empty() && made.splices.empty()) << text;
        EXPECT_TRUE(made.tables.empty() || made.reread.of_result) << text;
    }

    LiteralCatalog catalog_;
    PlannerOptions options_;
    TokenList tokens_;
    Structure structure_;
    Plan plan_;
};

}  // namespace isotap::sql
