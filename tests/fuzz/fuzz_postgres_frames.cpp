// The frame reader, fed in slices that the input itself chooses: every byte comes out once, in
// order, and a kept body is the body.
#include <cstdlib>
#include <vector>

#include "protocol/postgres/frame_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using isotap::Bytes;
    using isotap::postgres::FrameReader;
    if (size < 1) {
        return 0;
    }
    const std::size_t slice = data[0] % 17U + 1U;
    const Bytes input(data + 1, size - 1);
    constexpr std::size_t kept_max = 64;
    FrameReader reader(kept_max);
    std::size_t passed = 0;
    std::size_t message_begin = 0;
    for (std::size_t at = 0; at < input.size();) {
        const std::size_t taken = std::min(slice, input.size() - at);
        reader.feed(input.subspan(at, taken));
        at += taken;
        isotap::postgres::Piece piece;
        for (;;) {
            const auto status =
                reader.next(piece, [](std::uint8_t type) { return type % 2U == 0U; });
            if (status == FrameReader::Status::drained) {
                break;
            }
            if (status == FrameReader::Status::malformed) {
                return 0;
            }
            if (piece.first) {
                message_begin = passed;
            }
            if (piece.raw.empty() || piece.raw.front() != input[passed]) {
                std::abort();
            }
            passed += piece.raw.size();
            if (piece.last && piece.type % 2U == 0U) {
                const Bytes body = input.subspan(message_begin + 5, piece.body.size());
                if (!std::equal(body.begin(), body.end(), piece.body.begin()) ||
                    piece.body.size() != std::min<std::size_t>(piece.size, kept_max)) {
                    std::abort();
                }
            }
        }
        if (passed != at) {
            std::abort();
        }
    }
    return 0;
}
