// Files that somebody broke: every one is an error that names the file, or is read; none crashes.
// ISOTAP_BROKEN_RECORDINGS makes it as many as one likes.
#include <cstdlib>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/history/recording/log_decoder.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/history/recording/recording_writer.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"
#include "tests/unit/analysis/history/recording/told_events.hpp"

namespace isotap::history::recording {
namespace {

std::uint64_t rounds() {
    const char* wanted = std::getenv("ISOTAP_BROKEN_RECORDINGS");
    return wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
}

class BrokenRecording : public testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder_.path() / name).string();
    }

    [[nodiscard]] std::string good_bytes() const {
        std::filesystem::remove(file("good"));
        {
            auto to = RecordingWriter::create(file("good"), {}, test::moment(0));
            EXPECT_TRUE(to);
            for (int i = 0; i < 40; ++i) {
                test::tell_sample(**to);
            }
            EXPECT_TRUE((*to)->close());
        }
        return test::read_file(file("good"));
    }

    /// The error's message; empty: it could be read.
    static std::string read(const std::string& path) {
        auto recording = Recording::open(path);
        if (!recording) {
            return recording.error().message();
        }
        analysis::Engine engine;
        const auto error = recording->replay(engine);
        engine.finish();
        return error ? error->message() : "";
    }

    /// A good file with one statement of SQL done to it.
    [[nodiscard]] std::string after(const char* sql) const {
        test::write_file(file("changed"), good_bytes());
        sqlite::Database database;
        EXPECT_TRUE(database.open(file("changed"), SQLITE_OPEN_READWRITE));
        EXPECT_TRUE(database.run(sql)) << database.error();
        return read(file("changed"));
    }

  private:
    test::TemporaryFolder folder_;
};

TEST_F(BrokenRecording, AnyBytesAreAnErrorOrAreRead) {
    const std::string good = good_bytes();
    ASSERT_EQ(read(file("good")), "");
    std::mt19937_64 random{4};
    std::uint64_t refused = 0;
    for (std::uint64_t n = 0; n < rounds(); ++n) {
        std::string bytes = good;
        if (n % 3 == 0) {
            bytes.resize(random() % bytes.size());
        } else {
            const std::uint64_t changes = 1 + random() % 20;
            for (std::uint64_t i = 0; i < changes; ++i) {
                bytes[random() % bytes.size()] = static_cast<char>(random());
            }
        }
        test::write_file(file("broken"), bytes);
        const std::string message = read(file("broken"));
        refused += message.empty() ? 0U : 1U;
        if (!message.empty()) {
            ASSERT_NE(message.find("broken"), std::string::npos) << message;
        }
    }
    EXPECT_GT(refused, rounds() / 5);
}

TEST_F(BrokenRecording, ErrorsNameTheTableAndThePlace) {
    EXPECT_NE(after("DROP TABLE log").find("no such table: log"), std::string::npos);
    EXPECT_NE(after("UPDATE transaction_ended SET outcome = 9")
                  .find("expected 0 to 2 in column 5, found 9"),
              std::string::npos);
    EXPECT_NE(after("UPDATE gap SET at = 'noon'").find("table gap, seq"), std::string::npos);
    EXPECT_NE(after("UPDATE row_label SET row = 'x'").find("expected a row"), std::string::npos);
    EXPECT_NE(after("UPDATE log SET entries = '[[\"r\",1,1,17,\"T1\"]]'")
                  .find("byte 16 of the entries: expected a version, T<transaction>.<statement>"),
              std::string::npos)
        << after("UPDATE log SET entries = '[[\"r\",1,1,17,\"T1\"]]'");
}

class NoTexts final : public TextSource {
  public:
    std::string_view text(TextId /*id*/) override { return {}; }
};

TEST(BrokenLog, EveryPrefixAndEveryChangedByteIsAnErrorOrIsRead) {
    const std::string good =
        R"([["s",1,5,0,0],["r",1,1,17,"T0"],["u",2,1,"00000000000000010000000000000002",)"
        R"("T5.1","."],["w",2,1,17,0,"T0,T5.1,x9,?"],["e",2,6,0,3,0,0,1,0,0],["v",2,4,0],)"
        R"(["p",3,0,0],["m",2,1,17,0,0],["q",1,7,1,0],["h",2,7,17,1,0],["a",99]])";
    const auto fault_of = [](std::string_view entries) {
        NoTexts texts;
        test::ToldEvents told;
        return decode_log(entries, TransactionId{5}, texts, told);
    };
    ASSERT_EQ(fault_of(good).expected, nullptr) << fault_of(good).expected;
    for (std::size_t length = 0; length < good.size(); ++length) {
        const LogFault fault = fault_of(std::string_view(good).substr(0, length));
        ASSERT_NE(fault.expected, nullptr) << length;
        ASSERT_LE(fault.byte, length);
    }
    std::mt19937_64 random{5};
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const char c : {'"', ',', ']', '9', '-', '\0', static_cast<char>(random())}) {
            std::string changed = good;
            changed[at] = c;
            EXPECT_LE(fault_of(changed).byte, changed.size());
        }
    }
}

}  // namespace
}  // namespace isotap::history::recording
