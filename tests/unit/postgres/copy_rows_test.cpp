// Rows of COPY without the columns that were added to them, wherever the stream is cut.
#include "protocol/postgres/instrument/copy_rows.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::postgres::instrument {
namespace {

using namespace std::literals;
using ::testing::ElementsAre;
using Kind = CopyFormat::Kind;

struct Read {
    std::string client;
    std::vector<std::string> added;  ///< of each row, "-" for NULL, joined by '|'
    bool strange = false;

    friend bool operator==(const Read&, const Read&) = default;
};

class Reader {
  public:
    Reader(const CopyFormat& format, std::size_t kept, std::size_t added)
        : rows_(format, kept, added) {}

    void take(std::string_view bytes) {
        // A copy on the heap, so that a view kept too long is found by the sanitizer.
        const std::vector<std::uint8_t> body(bytes.begin(), bytes.end());
        rows_.feed(body);
        CopyStep step = rows_.next();
        for (; step == CopyStep::row; step = rows_.next()) {
            take_row();
        }
        read.strange = step == CopyStep::strange;
        for (const Bytes part : rows_.parts()) {
            read.client += as_text(part);
        }
    }

    Read end() {
        read.client += as_text(rows_.held());
        return read;
    }

    Read read;

  private:
    void take_row() {
        std::string line;
        const auto added = rows_.added();
        for (const Field& field : added.value_or(std::span<const Field>{})) {
            line += (line.empty() ? "" : "|") + (field.null ? "-" : std::string(field.text));
        }
        read.added.push_back(added ? line : "too long");
    }

    CopyRows rows_;
};

struct Stream {
    CopyFormat format;
    std::size_t kept;
    std::size_t added;
    std::string_view bytes;
};

/// However it is cut, and whatever number of rows a piece holds.
Read read(const Stream& stream) {
    Reader whole(stream.format, stream.kept, stream.added);
    whole.take(stream.bytes);
    Read expected = whole.end();
    for (std::size_t first = 0; first <= stream.bytes.size(); ++first) {
        for (std::size_t second = first; second <= stream.bytes.size(); ++second) {
            Reader cut(stream.format, stream.kept, stream.added);
            cut.take(stream.bytes.substr(0, first));
            cut.take(stream.bytes.substr(first, second - first));
            cut.take(stream.bytes.substr(second));
            EXPECT_EQ(cut.end().client, expected.client) << first << ", " << second;
            EXPECT_EQ(cut.end().added, expected.added) << first << ", " << second;
        }
    }
    Reader bytewise(stream.format, stream.kept, stream.added);
    for (const char byte : stream.bytes) {
        bytewise.take(std::string_view(&byte, 1));
    }
    EXPECT_EQ(bytewise.end(), expected);
    return expected;
}

CopyFormat csv(char delimiter = ',', char quote = '"', char escape = '"', std::string null = "") {
    return {Kind::csv, delimiter, quote, escape, std::move(null), false};
}

TEST(CopyRows, TextKeepsTheClientsColumns) {
    const Read text = read({{}, 2, 2, "1\ta\\\tb\tkey\t7\n\\N\t\\\\\t\\N\t8\n"});
    EXPECT_EQ(text.client, "1\ta\\\tb\n\\N\t\\\\\n");
    EXPECT_THAT(text.added, ElementsAre("key|7", "-|8"));
}

TEST(CopyRows, TextSaysOurValuesAsTheyAre) {
    const Read text =
        read({{}, 1, 3, "x\ta\\tb\\nc\\\\N\\r\\b\\f\\v\t\tN\n\\.\t\\\\N\t\\N\t\\N\n"});
    EXPECT_EQ(text.client, "x\n\\.\n");
    EXPECT_THAT(text.added, ElementsAre("a\tb\nc\\N\r\b\f\v||N", "\\N|-|-"));
    CopyFormat bars;
    bars.delimiter = '|';
    const Read other = read({bars, 1, 2, "a\\|b|c\\|d|9\n"});
    EXPECT_EQ(other.client, "a\\|b\n");
    EXPECT_THAT(other.added, ElementsAre("c|d|9"));
}

TEST(CopyRows, TextWithoutColumnsIsLines) {
    const Read text = read({{}, 0, 2, "k\t1\nl\t2\n"});
    EXPECT_EQ(text.client, "\n\n");
    EXPECT_THAT(text.added, ElementsAre("k|1", "l|2"));
}

TEST(CopyRows, CsvKnowsItsQuotes) {
    const Read lines =
        read({csv(), 2, 2, "1,\"a,\"\"b\n\",k,7\n,\"\",\"k,\"\"\n2\",8\n\"\"\"\",x,,9\n"});
    EXPECT_EQ(lines.client, "1,\"a,\"\"b\n\"\n,\"\"\n\"\"\"\",x\n");
    EXPECT_THAT(lines.added, ElementsAre("k|7", "k,\"\n2|8", "-|9"));
    const Read escaped =
        read({csv(';', '\'', '#', "no"), 1, 2, "'a;##;#'';'k#'##;';7\n#;no;'no'\n"});
    EXPECT_EQ(escaped.client, "'a;##;#''\n#\n");
    EXPECT_THAT(escaped.added, ElementsAre("k'#;|7", "-|no"));
}

// Such a line would end the data: the server puts it in quotes where it is alone.
TEST(CopyRows, CsvQuotesTheEndOfDataWhereItIsAlone) {
    const Read one = read({csv(), 1, 2, "\\.,k,1\n\\,k,2\n\\..,k,3\n,k,4\n\\.\\.,k,5\n.,k,6\n"});
    EXPECT_EQ(one.client, "\"\\.\"\n\\\n\\..\n\n\\.\\.\n.\n");
    EXPECT_THAT(one.added, ElementsAre("k|1", "k|2", "k|3", "k|4", "k|5", "k|6"));
    EXPECT_EQ(read({csv(), 2, 1, "\\.,x,1\n"}).client, "\\.,x\n");
    EXPECT_EQ(read({csv(',', '"', '\\'), 1, 1, "\\.,1\n"}).client, "\"\\\\.\"\n");
    EXPECT_EQ(read({csv(',', '"', '"', "\\."), 1, 1, "\\.,1\n"}).client, "\\.\n") << "NULL";
    EXPECT_EQ(read({csv(), 1, 1, "\\."}).client, "\\.") << "a row without an end";
}

TEST(CopyRows, TheNamesOfColumnsAreNoRow) {
    CopyFormat header = csv();
    header.header = true;
    const Read lines = read({header, 1, 2, "\"a,b\",isotap_1,isotap_2\nx,k,7\n"});
    EXPECT_EQ(lines.client, "\"a,b\"\nx\n");
    EXPECT_THAT(lines.added, ElementsAre("k|7"));
    EXPECT_EQ(read({header, 1, 2, "\\.,isotap_1,isotap_2\n"}).client, "\"\\.\"\n");
    header.kind = Kind::text;
    header.delimiter = '\t';
    EXPECT_EQ(read({header, 1, 1, "a\tisotap_1\nx\t7\n"}).client, "a\nx\n");
}

constexpr std::string_view signature = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv;

TEST(CopyRows, BinaryCountsTheClientsColumns) {
    const std::string bytes = std::string(signature) +
                              "\0\3\0\0\0\2ab\0\0\0\1k\0\0\0\1"
                              "7\0\3\377\377\377\377\377\377\377\377\0\0\0\0\377\377"s;
    const Read rows = read({{Kind::binary, '\t', '"', '"', "\\N", false}, 1, 2, bytes});
    EXPECT_EQ(rows.client, std::string(signature) + "\0\1\0\0\0\2ab\0\1\377\377\377\377\377\377"s);
    EXPECT_THAT(rows.added, ElementsAre("k|7", "-|"));
    const std::string none = std::string(signature) + "\0\1\0\0\0\1k\377\377"s;
    EXPECT_EQ(read({{Kind::binary, '\t', '"', '"', "\\N", false}, 0, 1, none}).client,
              std::string(signature) + "\0\0\377\377"s);
}

TEST(CopyRows, BinaryPassesWhatItsHeaderHolds) {
    std::string bytes = std::string(signature);
    bytes.back() = 3;
    const std::string head = bytes + "abc";
    const Read rows = read({{Kind::binary, '\t', '"', '"', "\\N", false},
                            1,
                            1,
                            head + "\0\2\0\0\0\0\0\0\0\1k\377\377"s});
    EXPECT_EQ(rows.client, head + "\0\1\0\0\0\0\377\377"s);
    EXPECT_THAT(rows.added, ElementsAre("k"));
}

TEST(CopyRows, KnowsWhatItCannotRead) {
    const auto strange = [](const Stream& stream) {
        Reader reader(stream.format, stream.kept, stream.added);
        reader.take(stream.bytes);
        return reader.read.strange;
    };
    EXPECT_TRUE(strange({{}, 2, 1, "a\n"}));
    EXPECT_TRUE(strange({{}, 1, 2, "a\tb\n"}));
    EXPECT_TRUE(strange({{}, 1, 1, "a\tb\tc\n"}));
    EXPECT_TRUE(strange({{}, 1, 1, "a\t\n\n"}));
    EXPECT_TRUE(strange({csv(), 1, 1, "a,\"b\"c\n"}));
    const CopyFormat binary{Kind::binary, '\t', '"', '"', "\\N", false};
    EXPECT_TRUE(strange({binary, 1, 1, std::string(signature) + "\0\3"s}));
    EXPECT_TRUE(strange({binary, 1, 1, std::string(signature) + "\377\377x"s}));
    EXPECT_TRUE(strange({binary, 1, 1, std::string(signature) + "\0\2\200\0\0\0"s}));
}

TEST(CopyRows, AValueThatIsTooLongIsLeftOut) {
    const std::string value(CopiedValues::bytes_max, 'x');
    Reader reader({}, 1, 2);
    reader.take("a\t" + value);
    reader.take(value + "\t7\nb\tk\t8\n");
    EXPECT_EQ(reader.end().client, "a\nb\n");
    EXPECT_THAT(reader.read.added, ElementsAre("too long", "k|8"));
}

}  // namespace
}  // namespace isotap::postgres::instrument
