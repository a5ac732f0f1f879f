#include "proxy/workload/condition_witness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/workload/one_row_server.hpp"

namespace isotap::proxy {
namespace {

using history::Access;
using history::AccessKind;
using history::Event;
using history::StatementRef;
using history::TransactionId;
using history::Version;
using testing::IsEmpty;
using testing::SizeIs;

constexpr StatementRef reading{TransactionId{1}, 1};
constexpr StatementRef writing{TransactionId{2}, 1};

class Witness : public testing::Test {
  protected:
    /// One transaction reads by a condition and gets nothing, another inserts a row.
    KeptEvents events(std::string_view text, std::uint64_t writer_number) {
        KeptEvents kept;
        kept.add(history::NameDefined{test_table, scratch_name() + ".test"});
        statement(kept, reading, text);
        kept.add(history::StatementBegan{writing, {}, "insert into test values (3, 30)"});
        kept.add(history::Alias{writing.transaction, writer_number});
        kept.add(Access{writing, test_table, the_row, AccessKind::insert, Version::unborn(),
                        Version::written_by(writing)});
        kept.add(history::TransactionEnded{reading.transaction, {}, {}});
        kept.add(history::TransactionEnded{writing.transaction, {}, {}});
        return kept;
    }

    static void statement(KeptEvents& kept, StatementRef ref, std::string_view text) {
        kept.add(history::StatementBegan{ref, {}, text});
        history::StatementEnded end;
        end.statement = ref;
        end.coverage = history::Coverage::full;
        kept.add(end);
    }

    std::vector<history::PredicateMatch> matches(const KeptEvents& kept) {
        std::vector<history::PredicateMatch> found;
        ConditionWitness witness(server_);
        witness.look();
        std::size_t handed_on = 0;
        const RunDigest digest(kept, scratch_name(), history::Dialect::postgres);
        witness.tell(digest, kept, [&](const Event& event) {
            const auto* match = std::get_if<history::PredicateMatch>(&event);
            const bool ours = match != nullptr ||
                              std::holds_alternative<history::PredicateRead>(event) ||
                              std::holds_alternative<history::NameDefined>(event);
            handed_on += ours ? 0 : 1;
            if (match != nullptr) found.push_back(*match);
        });
        EXPECT_EQ(handed_on + 1, kept.all().size()) << "all but the name";
        return found;
    }

    OneRow server_;
};

TEST_F(Witness, TellsThatARowBeganToMeetACondition) {
    const auto found = matches(events("select * from test where value % 3 = 0", 77));
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].writer, writing);
    EXPECT_EQ(found[0].row, the_row);
    EXPECT_FALSE(found[0].before);
    EXPECT_TRUE(found[0].after);
    EXPECT_EQ(server_.asked, "value % 3 = 0");
}

TEST_F(Witness, SaysNothingOfAVersionThatNobodySaw) {
    EXPECT_THAT(matches(events("select * from test where value = 30", 78)), IsEmpty());
}

TEST_F(Witness, SaysNothingWhereAMatchingRowMayBeKeptBack) {
    for (const std::string_view text :
         {"select * from test where value = 30 limit 1",
          "select * from test where value = 30 for update skip locked",
          "select count(*) from test where value = 30 having count(*) > 3",
          "select * from test where value > random()",
          "select * from test where value = (select 30)", "select * from test, other",
          "select * from other_schema.test where value = 30"}) {
        EXPECT_THAT(matches(events(text, 77)), IsEmpty()) << text;
    }
}

TEST_F(Witness, TakesUpdatesAndDeletesForReadersToo) {
    EXPECT_THAT(matches(events("delete from test where value = 30", 77)), SizeIs(1));
    EXPECT_THAT(matches(events("update test t set value = 1 where t.value = 30", 77)), SizeIs(1));
}

}  // namespace
}  // namespace isotap::proxy
