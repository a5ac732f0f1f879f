#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isotap/base/bytes.hpp"

namespace isotap::mysql {

/// A frame with this many bytes is continued by the next one, which may be empty.
inline constexpr std::uint32_t frame_size_max = 0xffffff;

/// A packet, or the part of one that arrived: one frame, or several when it is 16 MiB or more.
struct Piece {
    bool first = false;  ///< begins with the first byte of the packet
    bool last = false;   ///< ends the packet
    bool cut = false;    ///< `payload` holds only the beginning
    std::uint8_t sequence_first = 0;
    std::uint8_t sequence_last = 0;
    std::uint64_t size = 0;  ///< of the payload, as far as its frames have announced it
    Bytes raw;               ///< the range of the input: headers and payload as they came
    Bytes payload;           ///< in the last piece: as much of the payload as was asked for
};

/// Cuts a stream into packets, wherever the network split or merged it.
///
/// Of a packet that arrives in parts, only what is asked for is put together: a row of 1 GiB costs
/// nothing. A packet that lies whole in the input is not copied. Not thread-safe.
class PacketReader {
  public:
    enum class Status : std::uint8_t {
        piece,
        drained,    ///< the input is used up
        malformed,  ///< frames of one packet that do not follow one another
    };

    /// Hands in the next bytes of the stream. The last ones must have been drained, or taken out
    /// by `abandon`. They must stay until the next call: pieces are views of them.
    void feed(Bytes input) noexcept { input_ = input; }

    /// Takes the bytes behind the last piece out of the reader: they are no packets.
    Bytes abandon() noexcept {
        const Bytes rest = input_;
        input_ = {};
        return rest;
    }

    /// True between packets.
    [[nodiscard]] bool at_boundary() const noexcept { return header_size_ == 0 && !continued_; }

    /// The next piece. `keep(first_byte, frame_size)` says how many bytes of the payload are
    /// wanted; it is asked once a packet, and not at all about an empty one.
    template <typename Keep>
    Status next(Piece& piece, Keep keep) {
        if (input_.empty()) {
            return Status::drained;
        }
        piece = {};
        piece.first = at_boundary();
        const Bytes start = input_;
        if (piece.first) {
            begin_packet();
        }
        while (!piece.last && read_header()) {
            if (out_of_sequence_) {
                return Status::malformed;
            }
            if (!asked_ && !input_.empty() && frame_left_ > 0) {
                wanted_ = keep(input_.front(), frame_size_);
                asked_ = true;
            }
            read_payload(piece);
            if (frame_left_ > 0) {
                break;
            }
        }
        finish(piece, start);
        return Status::piece;
    }

  private:
    static constexpr std::size_t header_length = 4;

    void begin_packet() noexcept;
    bool read_header() noexcept;
    void read_payload(Piece& piece);
    void finish(Piece& piece, Bytes start) noexcept;

    Bytes input_;
    std::array<std::uint8_t, header_length> header_{};
    std::size_t header_size_ = 0;
    std::uint32_t frame_size_ = 0;
    std::uint32_t frame_left_ = 0;
    std::uint64_t size_ = 0;
    std::size_t wanted_ = 0;
    std::uint8_t sequence_first_ = 0;
    std::uint8_t sequence_last_ = 0;
    bool asked_ = false;
    bool continued_ = false;  ///< between two frames of one packet
    bool out_of_sequence_ = false;
    std::vector<std::uint8_t> collected_;
};

}  // namespace isotap::mysql
