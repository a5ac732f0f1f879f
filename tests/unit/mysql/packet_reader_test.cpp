#include "protocol/mysql/packet_reader.hpp"

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/mysql/packets.hpp"

namespace isotap::mysql {
namespace {

constexpr std::size_t everything = 1 << 20;

struct Seen {
    std::string payload;
    std::uint64_t size = 0;
    std::uint8_t sequence_first = 0;
    std::uint8_t sequence_last = 0;
    bool cut = false;

    friend bool operator==(const Seen&, const Seen&) = default;
};

/// All whole packets of a stream that arrives in chunks of this size. Checks on the way that no
/// byte is lost or doubled.
std::vector<Seen> read_in_chunks(std::string_view stream, std::size_t chunk_size,
                                 std::size_t wanted = everything) {
    PacketReader reader;
    std::vector<Seen> packets;
    std::string raw;
    for (std::size_t at = 0; at < stream.size(); at += chunk_size) {
        reader.feed(as_bytes(stream.substr(at, chunk_size)));
        Piece piece;
        while (reader.next(piece, [&](std::uint8_t, std::uint32_t) { return wanted; }) ==
               PacketReader::Status::piece) {
            raw += as_text(piece.raw);
            if (piece.last) {
                packets.push_back({std::string(as_text(piece.payload)), piece.size,
                                   piece.sequence_first, piece.sequence_last, piece.cut});
            }
        }
    }
    EXPECT_EQ(raw, stream);
    EXPECT_TRUE(reader.at_boundary());
    return packets;
}

TEST(PacketReader, ReadsPacketsHoweverTheyAreSplit) {
    const std::string stream =
        test::packet(0, "first") + test::packet(7, "") + test::packet(255, "third");
    const std::vector<Seen> expected{
        {"first", 5, 0, 0, false}, {"", 0, 7, 7, false}, {"third", 5, 255, 255, false}};
    for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
        EXPECT_EQ(read_in_chunks(stream, chunk), expected) << chunk << " bytes at a time";
    }
}

TEST(PacketReader, KeepsNoMoreThanIsAskedFor) {
    const std::string stream = test::packet(1, "abcdef");
    for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
        EXPECT_EQ(read_in_chunks(stream, chunk, 2), (std::vector<Seen>{{"ab", 6, 1, 1, true}}));
        EXPECT_EQ(read_in_chunks(stream, chunk, 0), (std::vector<Seen>{{"", 6, 1, 1, true}}));
        EXPECT_EQ(read_in_chunks(stream, chunk, 6),
                  (std::vector<Seen>{{"abcdef", 6, 1, 1, false}}));
    }
}

TEST(PacketReader, AFullFrameIsContinuedByTheNext) {
    for (const std::size_t more : std::initializer_list<std::size_t>{0, 1, 500}) {
        const std::string payload = "x" + std::string(frame_size_max - 1 + more, 'y');
        const std::string stream = test::frames(255, payload) + test::packet(0, "next");
        for (const std::size_t chunk : {std::size_t{65'536}, stream.size()}) {
            const std::vector<Seen> packets = read_in_chunks(stream, chunk, 3);
            ASSERT_EQ(packets.size(), 2U);
            EXPECT_EQ(packets[0], (Seen{"xyy", payload.size(), 255, 0, true}));
            EXPECT_EQ(packets[1].payload, "nex");
        }
    }
}

TEST(PacketReader, FramesOfOnePacketMustFollowOneAnother) {
    const std::string stream =
        test::packet(3, std::string(frame_size_max, 'y')) + test::packet(5, "");
    PacketReader reader;
    reader.feed(as_bytes(stream));
    Piece piece;
    EXPECT_EQ(reader.next(piece, [](std::uint8_t, std::uint32_t) { return std::size_t{1}; }),
              PacketReader::Status::malformed);
}

TEST(PacketReader, APacketThatLiesWholeInTheInputIsNotCopied) {
    const std::string stream = test::packet(0, "whole");
    PacketReader reader;
    reader.feed(as_bytes(stream));
    Piece piece;
    ASSERT_EQ(reader.next(piece, [](std::uint8_t, std::uint32_t) { return everything; }),
              PacketReader::Status::piece);
    EXPECT_EQ(piece.payload.data(), as_bytes(stream).data() + 4);
}

}  // namespace
}  // namespace isotap::mysql
