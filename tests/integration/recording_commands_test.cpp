// What the program says about a recording: check, show, report, export.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/history/recording/recording_writer.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"

namespace isotap::test {
namespace {

using history::recording::RecordingWriter;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* first = "T84662395338753";
constexpr const char* second = "T84662395338754";

class RecordingCommands : public testing::Test {
  protected:
    void SetUp() override {
        auto to = RecordingWriter::create(file_, {nullptr, "isotap", "postgresql"}, moment(0));
        ASSERT_TRUE(to);
        tell_sample(**to);
        ASSERT_TRUE((*to)->close());
    }

    [[nodiscard]] Finished isotap(const std::vector<std::string>& words) const {
        Command command{.arguments = {isotap_program()}};
        for (const std::string& word : words) {
            command.arguments.push_back(word == "FILE" ? file_ : word);
        }
        return run(command);
    }

    TemporaryFolder folder_;
    std::string file_ = (folder_.path() / "shop.isotap").string();
};

TEST_F(RecordingCommands, CheckFindsItByItselfAndKnowsWhoseContractCounts) {
    const Finished found = isotap({"check", "FILE"});
    EXPECT_EQ(found.exit_code, 0) << found.output;
    EXPECT_THAT(found.output, AllOf(HasSubstr("verdict: hazard"), HasSubstr("lost-update"),
                                    HasSubstr("row 17 of account"), HasSubstr("T1 < T2"),
                                    HasSubstr(std::string(", ") + first + ", began 2"),
                                    HasSubstr("coverage: 3 statements, 2 captured"),
                                    HasSubstr("UPDATE account SET n = 1 WHERE id = 17")));
}

TEST_F(RecordingCommands, CheckFailsAtTheSeverityThatWasAskedFor) {
    EXPECT_EQ(isotap({"check", "FILE", "--fail-on", "hazard"}).exit_code, 1);
    EXPECT_EQ(isotap({"check", "FILE", "--fail-on", "violation"}).exit_code, 0);
    const Finished asked = isotap({"check", "FILE", "--level", "snapshot-isolation"});
    EXPECT_EQ(asked.exit_code, 1);
    EXPECT_THAT(asked.output, HasSubstr("verdict: violation"));
    const Finished nobody = isotap({"check", "FILE", "--engine", "oracle"});
    EXPECT_EQ(nobody.exit_code, 2);
    EXPECT_THAT(nobody.output, HasSubstr("choose one of cockroachdb, mariadb"));
    EXPECT_EQ(isotap({"check", "FILE", "--engine", "mysql"}).exit_code, 0);
}

TEST_F(RecordingCommands, CheckAnswersInJson) {
    const Finished found = isotap({"check", "FILE", "--json"});
    EXPECT_THAT(found.output,
                AllOf(HasSubstr("\"type\":\"lost-update\""), HasSubstr("\"severity\":\"hazard\""),
                      HasSubstr("\"table\":\"account\""), HasSubstr(first)));
}

TEST_F(RecordingCommands, CheckWritesGraphsThatGraphvizDraws) {
    const std::string drawings = folder_.path() / "drawings";
    EXPECT_EQ(isotap({"check", "FILE", "--dot", drawings}).exit_code, 0);
    const Finished drawn = run({.arguments = {"dot", "-Tsvg", drawings + "/shop.isotap-1.dot"}});
    EXPECT_EQ(drawn.exit_code, 0) << drawn.output;
    EXPECT_THAT(drawn.output, AllOf(HasSubstr("<svg"), HasSubstr("class=\"edge\"")));
}

TEST_F(RecordingCommands, CheckDrawsHistoriesOfOneNameApart) {
    const std::filesystem::path drawings = folder_.path() / "drawings";
    EXPECT_EQ(isotap({"check", "FILE", "FILE", "--dot", drawings}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(drawings / "shop.isotap-1.dot"));
    EXPECT_TRUE(std::filesystem::exists(drawings / "shop.isotap-2-1.dot"));
}

TEST_F(RecordingCommands, ShowTellsWhatHappenedToOneThing) {
    const Finished transaction = isotap({"show", "FILE", "txn", first});
    EXPECT_EQ(transaction.exit_code, 0) << transaction.output;
    EXPECT_THAT(transaction.output,
                AllOf(HasSubstr("began in session 1"), HasSubstr("at READ COMMITTED"),
                      HasSubstr(".1: SELECT * FROM account"),
                      HasSubstr("update row 17 of account: T0 -> T84662395338753.2"),
                      HasSubstr("captured in part: a function call"), HasSubstr("committed")));
    EXPECT_THAT(transaction.output, testing::Not(HasSubstr(second)));

    const Finished statement = isotap({"show", "FILE", "stmt", std::string(first) + ".1"});
    EXPECT_THAT(statement.output,
                AllOf(HasSubstr("read row 17 of account: T0"), testing::Not(HasSubstr("UPDATE"))));

    const Finished row = isotap({"show", "FILE", "row", "account:17"});
    EXPECT_THAT(row.output,
                AllOf(HasSubstr(first), HasSubstr(second), testing::Not(HasSubstr("row 18"))));

    const Finished anomaly = isotap({"show", "FILE", "anomaly", "1"});
    EXPECT_THAT(anomaly.output, AllOf(HasSubstr("#1 lost-update"), HasSubstr("However ")));
}

TEST_F(RecordingCommands, ShowSaysWhatItDoesNotKnow) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
        {{"show", "FILE", "txn", "T5"}, "knows nothing of txn T5"},
        {{"show", "FILE", "txn", "five"}, "'five' is no transaction"},
        {{"show", "FILE", "stmt", "T5"}, "'T5' is no statement"},
        {{"show", "FILE", "row", "17"}, "'17' is no row"},
        {{"show", "FILE", "anomaly", "99"}, "has no anomaly 99"},
        {{"show", "FILE", "weather", "1"}, "there is no 'weather' to show"}};
    for (const auto& [words, message] : wrong) {
        const Finished said = isotap(words);
        EXPECT_EQ(said.exit_code, 2);
        EXPECT_THAT(said.output, HasSubstr(message));
    }
}

TEST_F(RecordingCommands, ReportWritesAPageWithCoverage) {
    const std::string page = (folder_.path() / "report.html").string();
    EXPECT_EQ(isotap({"report", "FILE", "-o", page}).exit_code, 0);
    EXPECT_THAT(read_file(page),
                AllOf(HasSubstr("<svg"), HasSubstr("lost-update"), HasSubstr("<h2>Coverage</h2>"),
                      HasSubstr("a function call"), HasSubstr("UPDATE account SET n = 1")));
}

TEST_F(RecordingCommands, ExportWritesRegistersThatSayTheSame) {
    const std::string plume = (folder_.path() / "shop.plume").string();
    ASSERT_EQ(isotap({"export", "FILE", "--format", "plume", "-o", plume}).exit_code, 0);
    const Finished found = isotap({"check", plume, "--level", "snapshot-isolation"});
    EXPECT_EQ(found.exit_code, 1) << found.output << read_file(plume);
    const Finished lists = isotap({"export", "FILE", "--format", "elle-append"});
    EXPECT_EQ(lists.exit_code, 2);
    EXPECT_THAT(lists.output, HasSubstr("choose another format"));
}

TEST_F(RecordingCommands, ABrokenRecordingIsAnErrorThatNamesIt) {
    const std::string bytes = read_file(file_);
    write_file(file_, std::string_view(bytes).substr(0, bytes.size() / 2));
    const Finished said = isotap({"check", "FILE"});
    EXPECT_EQ(said.exit_code, 2) << said.output;
    EXPECT_THAT(said.output, HasSubstr("shop.isotap: "));
}

}  // namespace
}  // namespace isotap::test
