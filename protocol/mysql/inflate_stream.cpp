#include "protocol/mysql/inflate_stream.hpp"

#include <new>
#include <zlib.h>
#include <zstd.h>

namespace isotap::mysql {
namespace {

class ZlibStream final : public InflateStream {
  public:
    ZlibStream() {
        if (inflateInit(&state_) != Z_OK) {
            throw std::bad_alloc();
        }
    }
    ZlibStream(const ZlibStream&) = delete;
    ZlibStream& operator=(const ZlibStream&) = delete;
    ~ZlibStream() override { inflateEnd(&state_); }

    void restart() noexcept override { inflateReset(&state_); }

    Written run(Bytes& input, MutableBytes output) noexcept override {
        state_.next_in = const_cast<Bytef*>(input.data());  // zlib only reads it
        state_.avail_in = static_cast<uInt>(input.size());
        state_.next_out = output.data();
        state_.avail_out = static_cast<uInt>(output.size());
        const int result = inflate(&state_, Z_NO_FLUSH);
        input = input.last(state_.avail_in);
        const bool broken = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
        return {output.size() - state_.avail_out, broken};
    }

  private:
    z_stream state_{};
};

class ZstdStream final : public InflateStream {
  public:
    ZstdStream() : context_(ZSTD_createDCtx()) {
        constexpr int window_log_max = 24;
        if (!context_ || ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                                                             window_log_max)) != 0) {
            throw std::bad_alloc();
        }
    }

    void restart() noexcept override { ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only); }

    Written run(Bytes& input, MutableBytes output) noexcept override {
        ZSTD_inBuffer in{input.data(), input.size(), 0};
        ZSTD_outBuffer out{output.data(), output.size(), 0};
        const std::size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
        input = input.subspan(in.pos);
        return {out.pos, ZSTD_isError(result) != 0};
    }

  private:
    struct Free {
        void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace

std::unique_ptr<InflateStream> make_inflate_stream(Compression algorithm) {
    if (algorithm == Compression::zstd) {
        return std::make_unique<ZstdStream>();
    }
    return std::make_unique<ZlibStream>();
}

}  // namespace isotap::mysql
