#include "analysis/history/list_chains.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace isotap::history {
namespace {

struct ListChainsTest : testing::Test {
    History history;
    ListChains lists{history};

    ListPrefix read(std::string_view text) {
        FormReader forms(text, Notation::edn);
        ListPrefix prefix;
        EXPECT_TRUE(lists.read(history.atoms.key(1), forms, prefix)) << text;
        EXPECT_TRUE(forms.at_end()) << text;
        return prefix;
    }
    std::vector<Value> elements(ListPrefix prefix) {
        const auto& chain = history.chains[prefix.chain];
        return {chain.begin(), chain.begin() + prefix.length};
    }
};

using Values = std::vector<Value>;

TEST_F(ListChainsTest, PrefixesAndExtensionsShareOneChain) {
    const ListPrefix two = read("[1 23]");
    const ListPrefix four = read("[1 23 4 5]");
    const ListPrefix one = read("[1]");
    EXPECT_EQ(elements(two), (Values{1, 23}));
    EXPECT_EQ(elements(four), (Values{1, 23, 4, 5}));
    EXPECT_EQ(elements(one), Values{1});
    EXPECT_EQ(history.chains.size(), 1U);
}

TEST_F(ListChainsTest, ADigitIsNoPrefixOfANumber) {
    read("[1 23]");
    EXPECT_EQ(elements(read("[1 2]")), (Values{1, 2}));
    EXPECT_EQ(elements(read("[1 234]")), (Values{1, 234}));
    EXPECT_EQ(elements(read("[1 23]")), (Values{1, 23}));
    EXPECT_EQ(history.chains.size(), 3U) << "one chain for each contradiction";
}

TEST_F(ListChainsTest, SpellingDoesNotMatter) {
    read("[1 2 3]");
    EXPECT_EQ(elements(read("[ 1,  2 ]")), (Values{1, 2}));
    EXPECT_EQ(elements(read("[1, 2, 3, 4]")), (Values{1, 2, 3, 4}));
    EXPECT_EQ(elements(read("[1 2 3 4 5]")), (Values{1, 2, 3, 4, 5}));
    EXPECT_EQ(history.chains.size(), 1U);
}

TEST_F(ListChainsTest, ElementsMayBeAnything) {
    const Values seen = elements(read("[:a \"b ]\" [1 2] nil]"));
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_EQ(history.atoms.spell(seen[0]), ":a");
    EXPECT_EQ(history.atoms.spell(seen[1]), "\"b ]\"");
    EXPECT_EQ(history.atoms.spell(seen[2]), "[1 2]");
    EXPECT_EQ(seen[3], initial_value);
}

TEST_F(ListChainsTest, ATruncatedListFails) {
    for (const char* text : {"[", "[1 2", "[1 \"", "1", ""}) {
        FormReader forms(text, Notation::edn);
        ListPrefix prefix;
        EXPECT_FALSE(lists.read(history.atoms.key(1), forms, prefix)) << text;
        EXPECT_TRUE(forms.failed()) << text;
    }
}

}  // namespace
}  // namespace isotap::history
