#pragma once

#include <cstddef>
#include <memory>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/channel.hpp"

namespace isotap::mysql {

/// One compression algorithm, run over one frame after the other. Not thread-safe.
class InflateStream {
  public:
    struct Written {
        std::size_t bytes = 0;
        bool broken = false;  ///< not what the algorithm writes; then `bytes` says nothing
    };

    InflateStream() = default;
    InflateStream(const InflateStream&) = delete;
    InflateStream& operator=(const InflateStream&) = delete;
    virtual ~InflateStream() = default;

    /// A frame begins.
    virtual void restart() noexcept = 0;

    /// Takes from the front of `input` and fills `output`, as far as either reaches.
    virtual Written run(Bytes& input, MutableBytes output) noexcept = 0;
};

/// `algorithm` is zlib or zstd. A zstd window is bounded by 16 MiB, the most that a frame of the
/// protocol can need. Throws std::bad_alloc.
std::unique_ptr<InflateStream> make_inflate_stream(Compression algorithm);

}  // namespace isotap::mysql
