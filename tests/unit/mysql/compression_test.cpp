#include <string>
#include <string_view>
#include <zlib.h>
#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/mysql/decompressor.hpp"
#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/mysql/wire.hpp"

namespace isotap::mysql {
namespace {

using protocol::Note;
using protocol::Phase;
using test::number;
using test::Wire;
using ::testing::Contains;

std::string zlib_frame(std::uint8_t sequence, std::string_view plain) {
    std::string packed(compressBound(plain.size()), '\0');
    uLongf size = packed.size();
    compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(plain.data()), plain.size());
    packed.resize(size);
    return number(size, 3) + number(sequence, 1) + number(plain.size(), 3) + packed;
}

std::string zstd_frame(std::uint8_t sequence, std::string_view plain) {
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
    return number(packed.size(), 3) + number(sequence, 1) + number(plain.size(), 3) + packed;
}

std::string stored_frame(std::uint8_t sequence, std::string_view plain) {
    return number(plain.size(), 3) + number(sequence, 1) + number(0, 3) + std::string(plain);
}

struct Result {
    std::string plain;
    bool malformed = false;
};

Result decompress(Compression algorithm, std::string_view stream, std::size_t chunk_size) {
    Decompressor decompressor(algorithm);
    Result result;
    for (std::size_t at = 0; at < stream.size(); at += chunk_size) {
        decompressor.feed(as_bytes(stream.substr(at, chunk_size)));
        Bytes chunk;
        for (;;) {
            const Decompressor::Status status = decompressor.next(chunk);
            if (status == Decompressor::Status::malformed) {
                result.malformed = true;
                return result;
            }
            if (status == Decompressor::Status::drained) {
                break;
            }
            result.plain += as_text(chunk);
        }
    }
    EXPECT_TRUE(decompressor.at_boundary());
    return result;
}

TEST(Decompressor, GivesWhatWasPutInHoweverItIsSplit) {
    std::string text;
    for (int i = 0; i < 6000; ++i) {
        text += std::to_string(i * i);
    }
    for (const Compression algorithm : {Compression::zlib, Compression::zstd}) {
        const auto frame = algorithm == Compression::zlib ? zlib_frame : zstd_frame;
        const std::string stream = frame(0, text) + stored_frame(1, "short") + frame(2, text);
        for (const std::size_t chunk :
             {std::size_t{1}, std::size_t{7}, std::size_t{4096}, stream.size()}) {
            const Result result = decompress(algorithm, stream, chunk);
            EXPECT_FALSE(result.malformed);
            EXPECT_EQ(result.plain, text + "short" + text);
        }
    }
}

TEST(Decompressor, AFrameThatLiesAboutItsLengthIsMalformed) {
    for (const Compression algorithm : {Compression::zlib, Compression::zstd}) {
        const auto frame = algorithm == Compression::zlib ? zlib_frame : zstd_frame;
        const std::string honest = frame(0, "some text that is long enough");
        for (const int lie : {-1, 1}) {
            std::string lying = honest;
            lying[4] = static_cast<char>(lying[4] + lie);
            EXPECT_TRUE(decompress(algorithm, lying + stored_frame(1, "x"), 5).malformed);
        }
        std::string broken = honest;
        broken[7] = static_cast<char>(broken[7] ^ 0x55);
        EXPECT_TRUE(decompress(algorithm, broken, broken.size()).malformed);
    }
}

TEST(MysqlCompression, IsFollowedAndNotTouched) {
    for (const Compression algorithm : {Compression::zlib, Compression::zstd}) {
        const auto frame = algorithm == Compression::zlib ? zlib_frame : zstd_frame;
        const Capability bit =
            algorithm == Compression::zlib ? Capability::compress : Capability::zstd_compression;
        Wire wire;
        wire.log_in(test::plain_capabilities.with(bit));
        const std::string request = stored_frame(0, test::query("SELECT 1"));
        // Packets straddle frames, and their own numbers mean nothing here.
        const std::string reply = test::result_set(9, 40);
        const std::string packed = frame(1, std::string_view(reply).substr(0, 300)) +
                                   frame(2, std::string_view(reply).substr(300));
        wire.from_client(request);
        EXPECT_EQ(wire.phase(), Phase::busy);
        wire.from_server(packed);
        EXPECT_EQ(wire.phase(), Phase::idle);
        EXPECT_EQ(wire.to_server, request);
        EXPECT_EQ(wire.to_client, packed);
        EXPECT_THAT(wire.events(), Contains("1.1 completed 40"));
        EXPECT_FALSE(wire.blind);
    }
}

TEST(MysqlCompression, ABrokenFrameMakesTheSessionBlind) {
    Wire wire;
    wire.log_in(test::plain_capabilities.with(Capability::compress));
    const std::string nonsense = number(5, 3) + number(0, 1) + number(9, 3) + "12345";
    wire.from_client(nonsense);
    EXPECT_TRUE(wire.blind);
    EXPECT_EQ(wire.to_server, nonsense);
    EXPECT_EQ(wire.notes().back(), Note::opaque_compression);
}

/// A good-bye of ours would be read as a part of the frame.
TEST(MysqlCompression, IsBusyUntilAFrameHasCome) {
    Wire wire;
    wire.log_in(test::plain_capabilities.with(Capability::compress));
    const std::string request = stored_frame(0, test::query("SELECT 1"));
    wire.from_client(request.substr(0, 3));
    EXPECT_EQ(wire.phase(), Phase::busy);
    wire.from_client(request.substr(3));
    const std::string reply = zlib_frame(1, test::result_set(1, 3));
    wire.from_server(reply.substr(0, reply.size() - 1));
    EXPECT_EQ(wire.phase(), Phase::busy) << "all but the end of its checksum";
    wire.from_server(reply.substr(reply.size() - 1));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlCompression, GoodByeTravelsInAFrame) {
    Wire wire;
    wire.log_in(test::plain_capabilities.with(Capability::compress));
    wire.shut_down();
    EXPECT_EQ(wire.to_server, stored_frame(0, test::command(0x01)));
    EXPECT_EQ(wire.to_client.substr(7),
              test::error(0, 1053, "08S01", "Server shutdown in progress"));
}

}  // namespace
}  // namespace isotap::mysql
