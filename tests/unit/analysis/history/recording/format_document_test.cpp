// docs/HISTORY_FORMAT.md: its queries run and answer, its numbers are those of the program.
#include <gtest/gtest.h>

#include "analysis/history/recording/recording_writer.hpp"
#include "analysis/history/recording/schema.hpp"
#include "analysis/history/recording/sqlite.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"

namespace isotap::history::recording {
namespace {

std::string document() {
    return test::read_file(test::source_folder() / "docs" / "HISTORY_FORMAT.md");
}

std::vector<std::string> queries() {
    const std::string text = document();
    constexpr std::string_view fence = "```sql\n";
    std::vector<std::string> found;
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
        at += fence.size();
        const std::size_t end = text.find("```", at);
        found.push_back(text.substr(at, end - at));
    }
    return found;
}

class FormatDocument : public testing::Test {
  protected:
    void SetUp() override {
        const std::string file = (folder_.path() / "sample.isotap").string();
        auto to = RecordingWriter::create(file, {}, test::moment(0));
        ASSERT_TRUE(to);
        test::tell_sample(**to);
        (*to)->append({1, test::moment(1), "lost-update", "lost update", "hazard", "because",
                       R"({"cycle":[{"from":"T1","to":"T2","edge":"rw"}]})"});
        ASSERT_TRUE((*to)->close());
        ASSERT_TRUE(database_.open(file, SQLITE_OPEN_READONLY));
    }

    std::string answer(const std::string& sql) {
        sqlite::Statement statement(database_, sql);
        if (!statement.ready()) {
            return database_.error();
        }
        std::string text;
        while (statement.step() == sqlite::Statement::Step::row) {
            for (int column = 0; column < statement.columns(); ++column) {
                text += std::string(column == 0 ? "" : "|") + std::string(statement.text(column));
            }
            text += '\n';
        }
        return text;
    }

    test::TemporaryFolder folder_;
    sqlite::Database database_;
};

TEST_F(FormatDocument, EveryQueryAnswers) {
    const std::vector<std::string> all = queries();
    ASSERT_GE(all.size(), 9U);
    for (const std::string& query : all) {
        sqlite::Statement statement(database_, query);
        ASSERT_TRUE(statement.ready()) << query << database_.error();
        EXPECT_EQ(statement.step(), sqlite::Statement::Step::row) << query;
    }
}

TEST_F(FormatDocument, TheViewsSayWhatHappened) {
    EXPECT_EQ(answer("SELECT level, outcome, count(*) FROM transactions GROUP BY 1, 2"),
              "READ COMMITTED|committed|2\n");
    EXPECT_EQ(answer("SELECT kind, before, after FROM accesses WHERE row = 17"),
              "read|T0|\ndoubtful read|T0|\nread|T0|\ndoubtful read|T0|\n"
              "update|T0|T84662395338753.2\n"
              "update|T84662395338753.2|T84662395338754.2\n");
    EXPECT_EQ(answer("SELECT statement, sql, coverage, reason FROM statements "
                     "WHERE txn = 84662395338753"),
              "1|SELECT * FROM account WHERE id = 17|full|\n"
              "2|UPDATE account SET n = 1 WHERE id = 17|partial|a function call\n");
    EXPECT_EQ(answer("SELECT row FROM accesses WHERE kind = 'locking read' LIMIT 1"),
              "fedcba98765432108000000000000000\n");
}

TEST_F(FormatDocument, NamesTheNumbersOfThisProgram) {
    const std::string text = document();
    EXPECT_NE(text.find("describes format **" + std::to_string(format_version) + "**"),
              std::string::npos);
    EXPECT_EQ(application_id, 0x69736F74);
    EXPECT_NE(text.find("0x69736F74"), std::string::npos);
    for (const char* kind : {"table", "view"}) {
        sqlite::Statement names(database_, "SELECT name FROM sqlite_master WHERE type = ?");
        names.bind(1, std::string_view(kind));
        while (names.step() == sqlite::Statement::Step::row) {
            const std::string name = "`" + std::string(names.text(0)) + "`";
            EXPECT_NE(text.find(name), std::string::npos) << name << " is not described";
        }
    }
}

}  // namespace
}  // namespace isotap::history::recording
