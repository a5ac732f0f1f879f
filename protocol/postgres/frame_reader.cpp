#include "protocol/postgres/frame_reader.hpp"

#include <algorithm>
#include <cassert>

#include "isotap/base/byte_reader.hpp"

namespace isotap::postgres {

namespace {

constexpr std::uint32_t length_of_length = 4;

}  // namespace

/// One long message must not make a session that idles afterwards expensive.
void FrameReader::forget_collected() noexcept {
    constexpr std::size_t capacity_to_keep = 1024;
    if (collected_.capacity() > capacity_to_keep) {
        collected_ = {};
    }
    collected_.clear();
}

/// Takes header bytes from the input until there are five. False when they spell no length.
bool FrameReader::read_header() noexcept {
    if (header_size_ == header_length) {
        return true;
    }
    const std::size_t taken = std::min(header_length - header_size_, input_.size());
    std::copy_n(input_.begin(), taken, header_.begin() + static_cast<std::ptrdiff_t>(header_size_));
    header_size_ += taken;
    input_ = input_.subspan(taken);
    body_size_ = 0;
    if (header_size_ < header_length) {
        return true;
    }
    const std::uint32_t length = ByteReader(Bytes(header_).subspan(1)).be32();
    if (length < length_of_length || length > length_max) {
        return false;
    }
    body_size_ = length - length_of_length;
    body_left_ = body_size_;
    return true;
}

Bytes FrameReader::read_body() noexcept {
    if (header_size_ < header_length) {
        return {};
    }
    const std::size_t taken = std::min<std::size_t>(body_left_, input_.size());
    const Bytes part = input_.first(taken);
    input_ = input_.subspan(taken);
    body_left_ -= static_cast<std::uint32_t>(taken);
    return part;
}

Bytes FrameReader::take_whole(std::uint8_t type) noexcept {
    assert(at_boundary());
    std::size_t size = 0;
    while (input_.size() - size >= header_length && input_[size] == type) {
        const std::size_t length = ByteReader(input_.subspan(size + 1)).be32();
        if (length < length_of_length || length > input_.size() - size - 1) {
            break;
        }
        size += 1 + length;
    }
    const Bytes taken = input_.first(size);
    input_ = input_.subspan(size);
    return taken;
}

/// A body that came in one part is a view of the input; one that came in several is put together.
void FrameReader::keep_part(Bytes part, Piece& piece) {
    if (piece.last && collected_.empty()) {
        piece.body = part.first(std::min(part.size(), kept_bytes_max_));
        piece.cut = piece.body.size() < piece.size;
        return;
    }
    const std::size_t room = kept_bytes_max_ - std::min(kept_bytes_max_, collected_.size());
    const Bytes fitting = part.first(std::min(room, part.size()));
    collected_.insert(collected_.end(), fitting.begin(), fitting.end());
    if (piece.last) {
        piece.body = collected_;
        piece.cut = collected_.size() < piece.size;
    }
}

}  // namespace isotap::postgres
