#include "protocol/mysql/decompressor.hpp"

#include <algorithm>

namespace isotap::mysql {

Decompressor::Decompressor(Compression algorithm)
    : stream_(make_inflate_stream(algorithm)), chunk_(chunk_size) {}

bool Decompressor::read_header() noexcept {
    if (header_size_ == header_length) {
        return true;
    }
    const std::size_t taken = std::min(header_length - header_size_, input_.size());
    std::copy_n(input_.begin(), taken, header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
    input_ = input_.subspan(taken);
    header_size_ += taken;
    if (header_size_ < header_length) {
        return false;
    }
    const auto number = [this](std::size_t at) {
        return static_cast<std::uint32_t>(header_[at] | header_[at + 1] << 8 |
                                          header_[at + 2] << 16);
    };
    compressed_left_ = number(0);
    plain_left_ = number(4);
    stored_ = plain_left_ == 0;
    if (stored_) {
        plain_left_ = compressed_left_;
    } else {
        stream_->restart();
    }
    return true;
}

Bytes Decompressor::take_stored() noexcept {
    const Bytes part = input_.first(std::min<std::size_t>(input_.size(), compressed_left_));
    input_ = input_.subspan(part.size());
    compressed_left_ -= static_cast<std::uint32_t>(part.size());
    plain_left_ = compressed_left_;
    return part;
}

/// False when the frame cannot be what it says. An empty chunk means that more input is needed.
bool Decompressor::inflate(Bytes& chunk) {
    Bytes part = input_.first(std::min<std::size_t>(input_.size(), compressed_left_));
    const std::size_t offered = part.size();
    // One byte more than is due: then a frame that is too long shows.
    const std::size_t room = std::min<std::size_t>(chunk_.size(), std::size_t{plain_left_} + 1);
    const InflateStream::Written written = stream_->run(part, MutableBytes(chunk_).first(room));
    const std::size_t used = offered - part.size();
    input_ = input_.subspan(used);
    compressed_left_ -= static_cast<std::uint32_t>(used);
    if (written.broken || written.bytes > plain_left_) {
        return false;
    }
    plain_left_ -= static_cast<std::uint32_t>(written.bytes);
    chunk = Bytes(chunk_).first(written.bytes);
    const bool stuck = used == 0 && written.bytes == 0 && offered > 0;
    return !stuck && (compressed_left_ > 0 || plain_left_ == 0 || written.bytes > 0);
}

Decompressor::Status Decompressor::next(Bytes& chunk) {
    chunk = {};
    while (chunk.empty()) {
        if (!read_header()) {
            return Status::drained;
        }
        if (stored_) {
            chunk = take_stored();
        } else if ((!input_.empty() || compressed_left_ == 0) && !inflate(chunk)) {
            return Status::malformed;
        }
        if (compressed_left_ == 0 && plain_left_ == 0) {
            header_size_ = 0;
        }
        if (chunk.empty() && input_.empty()) {
            return Status::drained;
        }
    }
    return Status::chunk;
}

}  // namespace isotap::mysql
