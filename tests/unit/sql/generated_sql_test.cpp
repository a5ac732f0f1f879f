// Properties that hold for every statement, over statements that nobody wrote.
#include "tests/unit/sql/generated_sql.hpp"

#include <string>

#include <gtest/gtest.h>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/shape.hpp"
#include "tests/unit/sql/dialects.hpp"
#include "tests/unit/sql/literal_catalog.hpp"

namespace isotap::sql {
namespace {

constexpr std::uint32_t statements = 1000;

struct Parsed {
    TokenList tokens;
    Structure structure;

    Parsed(std::string_view text, const LexerState& state) {
        tokens.read(text, state);
        parse(tokens, state, structure);
    }
};

/// The same tokens, with other literals and other white space between them.
std::string reshaped(const TokenList& tokens, GeneratedSql& generate) {
    std::string text;
    for (TokenIndex i = 0; i < tokens.size(); ++i) {
        switch (tokens[i].kind) {
            case TokenKind::integer: text += generate.number(); break;
            case TokenKind::string: text += generate.string(); break;
            default: text += tokens.text(i);
        }
        text += generate.space();
    }
    return text;
}

class GeneratedStatements : public ::testing::TestWithParam<LexerState> {};

TEST_P(GeneratedStatements, ParseIntoTheClausesTheyWereMadeOf) {
    for (std::uint32_t seed = 0; seed < statements; ++seed) {
        const auto made = GeneratedSql(seed).select();
        const Parsed parsed(made.text, GetParam());
        const Structure& structure = parsed.structure;
        ASSERT_EQ(structure.doubt, "") << made.text;
        const Block& block = *structure.single_block();
        EXPECT_EQ(parsed.tokens.text(block[Clause::where]), made.where) << made.text;
        EXPECT_EQ(parsed.tokens.text(structure.queries[structure.top].order_by), made.order_by);
        const BlockId id = structure.id_of(block);
        std::size_t items = 0;
        for (const Item& item : structure.items) {
            items += item.block == id ? 1 : 0;
        }
        std::size_t relations = 0;
        for (const Relation& relation : structure.relations) {
            relations += relation.block == id ? 1 : 0;
        }
        EXPECT_EQ(items, made.items) << made.text;
        EXPECT_EQ(relations, made.relations) << made.text;
    }
}

TEST_P(GeneratedStatements, KeepTheirShapeAndTheirPlanUnderOtherLiterals) {
    LiteralCatalog catalog;
    catalog.add("acc", VersionSource::columns, {"id", "bal"});
    catalog.add("kin", VersionSource::columns, {"id"});
    std::size_t rewritten = 0;
    std::string same;
    std::string own;
    for (std::uint32_t seed = 0; seed < statements; ++seed) {
        GeneratedSql generate(seed);
        const std::string text = generate.select().text;
        const Parsed one(text, GetParam());
        const std::string again = reshaped(one.tokens, generate);
        const Parsed other(again, GetParam());
        ASSERT_EQ(fingerprint(one.tokens, GetParam(), 1), fingerprint(other.tokens, GetParam(), 1))
            << again;
        apply(Plan{}, other.tokens, "", same);
        ASSERT_EQ(same, again) << "a plan with nothing to add gives the same bytes";

        const Plan plan = make_plan(one.tokens, one.structure, GetParam(), catalog, {});
        apply(plan, other.tokens, "", same);
        apply(make_plan(other.tokens, other.structure, GetParam(), catalog, {}), other.tokens, "",
              own);
        ASSERT_EQ(same, own) << "one plan serves the whole shape";
        rewritten += plan.rewrites() ? 1 : 0;

        constexpr std::string_view setting = "set statement";
        const std::size_t select = same.find(" for ") + std::string_view(" for ").size();
        const std::string_view statement(same);
        const Parsed result(statement.substr(same.starts_with(setting) ? select : 0), GetParam());
        ASSERT_EQ(result.structure.doubt, "") << same;
        ASSERT_GE(result.structure.relations.size(), one.structure.relations.size()) << same;
    }
    EXPECT_GT(rewritten, statements / 2);
}

INSTANTIATE_TEST_SUITE_P(BothDialects, GeneratedStatements,
                         ::testing::Values(postgres_state(), mariadb_state()));

}  // namespace
}  // namespace isotap::sql
