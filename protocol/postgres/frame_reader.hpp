#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isotap/base/bytes.hpp"

namespace isotap::postgres {

/// A message, or the part of one that arrived.
struct Piece {
    std::uint8_t type = 0;
    bool first = false;      ///< begins with the type byte
    bool last = false;       ///< ends the message
    bool cut = false;        ///< `body` holds only the beginning of the body
    std::uint32_t size = 0;  ///< of the whole body; known once the header is complete
    Bytes raw;               ///< the range of the input: header and body as they came
    Bytes body;              ///< in the last piece of a message that is kept: its body
};

/// Cuts a stream of typed messages (type byte, 32-bit length, body) into pieces, wherever the
/// network split or merged it. Bodies of messages that are not kept are never collected, so a row
/// of 1 GiB costs nothing. Not thread-safe.
class FrameReader {
  public:
    enum class Status : std::uint8_t {
        piece,
        drained,    ///< the input is used up
        malformed,  ///< a length that no message has; the reader must not be used any more
    };

    /// The longest message that PostgreSQL itself accepts.
    static constexpr std::uint32_t length_max = 0x40000000;

    /// `kept_bytes_max`: of a body that arrives in parts, at most so much is put together.
    explicit FrameReader(std::size_t kept_bytes_max) noexcept : kept_bytes_max_(kept_bytes_max) {}

    /// The same bound, for the message whose body is asked for right now and those after it.
    void keep_at_most(std::size_t bytes) noexcept { kept_bytes_max_ = bytes; }

    /// Hands in the next bytes of the stream. The last ones must have been drained. They must stay
    /// until the next call: pieces are views of them.
    void feed(Bytes input) noexcept { input_ = input; }

    /// What is left of the input: bytes behind the last piece.
    [[nodiscard]] Bytes rest() const noexcept { return input_; }

    /// Of a message that is not whole, or malformed: the first `count` bytes, as far as its body is
    /// kept. Calls `take` with them, in order.
    template <typename Take>
    void beginning(std::size_t count, Take take) const {
        take(Bytes(header_).first(std::min(count, header_length)));
        if (count > header_length) {
            take(Bytes(collected_).first(std::min(count - header_length, collected_.size())));
        }
    }

    /// True between messages.
    [[nodiscard]] bool at_boundary() const noexcept { return header_size_ == 0; }

    /// The next piece. `keep(type)` says whether the body of such a message is wanted.
    template <typename Keep>
    Status next(Piece& piece, Keep keep) {
        if (input_.empty()) {
            return Status::drained;
        }
        const bool first = header_size_ == 0;
        const Bytes start = input_;
        if (!read_header()) {
            return Status::malformed;
        }
        if (first) {
            forget_collected();
            kept_ = keep(header_[0]);
        }
        const Bytes part = read_body();
        const bool last = header_size_ == header_length && body_left_ == 0;
        piece = {header_[0], first,      last,
                 false,      body_size_, start.first(start.size() - input_.size()),
                 {}};
        if (kept_) {
            keep_part(part, piece);
        }
        if (last) {
            header_size_ = 0;
        }
        return Status::piece;
    }

    /// Between messages only: takes from the input the whole messages of this type that come next.
    /// A result of a million rows is walked over so, header by header.
    Bytes take_whole(std::uint8_t type) noexcept;

  private:
    static constexpr std::size_t header_length = 5;

    void forget_collected() noexcept;
    bool read_header() noexcept;
    Bytes read_body() noexcept;
    void keep_part(Bytes part, Piece& piece);

    std::size_t kept_bytes_max_;
    Bytes input_;
    std::array<std::uint8_t, header_length> header_{};
    std::size_t header_size_ = 0;
    std::uint32_t body_size_ = 0;
    std::uint32_t body_left_ = 0;
    bool kept_ = false;
    std::vector<std::uint8_t> collected_;
};

}  // namespace isotap::postgres
