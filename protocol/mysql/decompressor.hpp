#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/channel.hpp"
#include "protocol/mysql/inflate_stream.hpp"

namespace isotap::mysql {

/// Reads the packets that travel in compressed frames. What goes over the wire stays as it is; this
/// is a second look at it, a piece at a time, in bounded memory (a zstd window of 16 MiB at most,
/// which is the most that a frame can ask for). Not thread-safe.
class Decompressor {
  public:
    enum class Status : std::uint8_t {
        chunk,
        drained,    ///< the input is used up
        malformed,  ///< not what the algorithm writes, or not as long as the frame said
    };

    /// `algorithm` is zlib or zstd.
    explicit Decompressor(Compression algorithm);

    /// Hands in the next bytes of the stream. The last ones must have been drained. They must stay
    /// until the next call.
    void feed(Bytes input) noexcept { input_ = input; }

    /// The next bytes of the inner stream: valid until the next call.
    Status next(Bytes& chunk);

    [[nodiscard]] bool at_boundary() const noexcept { return header_size_ == 0; }

  private:
    bool read_header() noexcept;
    Bytes take_stored() noexcept;
    bool inflate(Bytes& chunk);

    static constexpr std::size_t header_length = 7;
    static constexpr std::size_t chunk_size = std::size_t{16} * 1024;

    std::unique_ptr<InflateStream> stream_;
    Bytes input_;
    std::array<std::uint8_t, header_length> header_{};
    std::size_t header_size_ = 0;
    std::uint32_t compressed_left_ = 0;
    std::uint32_t plain_left_ = 0;
    bool stored_ = false;  ///< the frame is not compressed: too short to be worth it
    std::vector<std::uint8_t> chunk_;
};

}  // namespace isotap::mysql
