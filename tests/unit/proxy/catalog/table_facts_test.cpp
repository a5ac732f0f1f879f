#include "proxy/catalog/table_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using history::Dialect;
using sql::VersionSource;
using testing::ElementsAre;

TableFacts account() {
    TableFacts facts;
    facts.identity = "bank.account";
    facts.kind = sql::TableKind::ordinary;
    facts.columns = {"id", "balance"};
    facts.key = {"id"};
    facts.key_text = {KeyText::plain};
    return facts;
}

TableFacts with_auxiliary() {
    TableFacts facts = account();
    facts.columns = {"id", "isotap_rowid", "balance", "isotap_wlist"};
    return facts;
}

VersionSource source(const TableFacts& facts, Versions versions = Versions::automatic,
                     Dialect dialect = Dialect::postgres) {
    return table_of(facts, versions, dialect).source;
}

TEST(TableFacts, NamesVersionsByTheKeyWhereThereIsOne) {
    EXPECT_EQ(source(account()), VersionSource::system);
    EXPECT_EQ(source(with_auxiliary()), VersionSource::system);
    TableFacts keyless = account();
    keyless.key.clear();
    keyless.key_text.clear();
    EXPECT_EQ(source(keyless), VersionSource::system);
    EXPECT_TRUE(table_of(keyless, Versions::automatic, Dialect::postgres).by_place);
    EXPECT_FALSE(table_of(keyless, Versions::automatic, Dialect::postgres).plain_key);
    EXPECT_FALSE(table_of(account(), Versions::automatic, Dialect::postgres).by_place);
    EXPECT_EQ(source(keyless, Versions::columns), VersionSource::none);
    keyless.kind = sql::TableKind::partitioned;
    EXPECT_EQ(source(keyless), VersionSource::none);
}

TEST(TableFacts, NamesThemByColumnsWhereTheyAreWanted) {
    EXPECT_EQ(source(with_auxiliary(), Versions::columns), VersionSource::columns);
    EXPECT_EQ(source(account(), Versions::columns), VersionSource::none);
    EXPECT_EQ(source(with_auxiliary(), Versions::automatic, Dialect::mysql),
              VersionSource::columns);
    EXPECT_EQ(source(account(), Versions::automatic, Dialect::mysql), VersionSource::none);
    TableFacts dated = with_auxiliary();
    dated.key_text = {KeyText::unstable};
    EXPECT_EQ(source(dated), VersionSource::system);
    EXPECT_TRUE(table_of(dated, Versions::automatic, Dialect::postgres).by_place);
    EXPECT_EQ(source(dated, Versions::columns), VersionSource::columns);
}

TEST(TableFacts, TrustsNoTableWhoseWritesAreNotWhatTheyLookLike) {
    for (bool TableFacts::*trait :
         {&TableFacts::inherits, &TableFacts::has_rules, &TableFacts::row_security}) {
        TableFacts facts = account();
        facts.*trait = true;
        EXPECT_EQ(source(facts), VersionSource::none);
    }
    for (bool TableFacts::*trait : {&TableFacts::readable, &TableFacts::transactional}) {
        TableFacts facts = account();
        facts.*trait = false;
        EXPECT_EQ(source(facts), VersionSource::none);
    }
    TableFacts view = account();
    view.kind = sql::TableKind::view;
    EXPECT_EQ(source(view), VersionSource::none);
}

TEST(TableFacts, HidesAuxiliaryColumnsOnlyWhereBothAreThere) {
    const sql::Table table = table_of(with_auxiliary(), Versions::automatic, Dialect::postgres);
    EXPECT_THAT(table.columns, ElementsAre("id", "balance"));
    EXPECT_TRUE(table.shows_auxiliary);
    TableFacts invisible = with_auxiliary();
    invisible.invisible_columns = true;
    EXPECT_FALSE(table_of(invisible, Versions::columns, Dialect::mysql).shows_auxiliary);
    TableFacts other = account();
    other.columns = {"isotap_rowid", "id"};
    EXPECT_THAT(table_of(other, Versions::automatic, Dialect::postgres).columns,
                ElementsAre("isotap_rowid", "id"));
}

TEST(TableFacts, SaysWhichKeysNeedNoPacking) {
    EXPECT_TRUE(table_of(account(), Versions::automatic, Dialect::postgres).plain_key);
    TableFacts named = account();
    named.key_text = {KeyText::any};
    EXPECT_FALSE(table_of(named, Versions::automatic, Dialect::postgres).plain_key);
}

}  // namespace
}  // namespace isotap::proxy
