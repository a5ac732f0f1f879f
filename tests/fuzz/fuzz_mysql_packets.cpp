// Packets and compressed frames out of any bytes: nothing is read that is not there, no byte is
// lost on the way, and the order in which they arrive makes no difference.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/mysql/decompressor.hpp"
#include "protocol/mysql/packet_reader.hpp"

namespace {

using isotap::Bytes;
using isotap::mysql::Compression;
using isotap::mysql::Decompressor;
using isotap::mysql::PacketReader;
using isotap::mysql::Piece;

/// What a reader says of the stream when it comes in chunks of this size.
std::string read(Bytes stream, std::size_t chunk_size, std::size_t wanted) {
    PacketReader reader;
    std::string told;
    std::size_t raw = 0;
    while (!stream.empty()) {
        const Bytes chunk = stream.first(std::min(chunk_size, stream.size()));
        stream = stream.subspan(chunk.size());
        reader.feed(chunk);
        Piece piece;
        for (;;) {
            const auto status =
                reader.next(piece, [&](std::uint8_t, std::uint32_t) { return wanted; });
            if (status == PacketReader::Status::malformed) {
                return told + "malformed";
            }
            if (status == PacketReader::Status::drained) {
                break;
            }
            raw += piece.raw.size();
            if (piece.last) {
                told += isotap::as_text(piece.payload);
                told += std::to_string(piece.size) + (piece.cut ? "cut" : "whole");
            }
        }
    }
    if (raw > (std::size_t{1} << 31)) std::abort();
    return told;
}

void decompress(Compression algorithm, Bytes stream, std::size_t chunk_size) {
    Decompressor decompressor(algorithm);
    std::size_t plain = 0;
    constexpr std::size_t plain_max = 4 * 1024 * 1024;
    while (!stream.empty() && plain < plain_max) {
        const Bytes chunk = stream.first(std::min(chunk_size, stream.size()));
        stream = stream.subspan(chunk.size());
        decompressor.feed(chunk);
        Bytes out;
        for (;;) {
            const auto status = decompressor.next(out);
            if (status == Decompressor::Status::malformed) {
                return;
            }
            if (status == Decompressor::Status::drained) {
                break;
            }
            plain += out.size();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::size_t chunk_size = data[0] % 64 + 1;
    const std::size_t wanted = data[1];
    const Bytes stream(data + 2, size - 2);
    if (read(stream, stream.size() + 1, wanted) != read(stream, chunk_size, wanted)) {
        std::abort();
    }
    decompress(Compression::zlib, stream, chunk_size);
    decompress(Compression::zstd, stream, chunk_size);
    return 0;
}
