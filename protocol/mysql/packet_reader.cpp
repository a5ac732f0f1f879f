#include "protocol/mysql/packet_reader.hpp"

#include <algorithm>

namespace isotap::mysql {

void PacketReader::begin_packet() noexcept {
    size_ = 0;
    wanted_ = 0;
    asked_ = false;
    // One long statement must not make a session that idles afterwards expensive.
    constexpr std::size_t bytes_to_keep = 4096;
    if (collected_.capacity() > bytes_to_keep) {
        collected_ = {};
    }
    collected_.clear();
}

/// True when the header of the frame is complete.
bool PacketReader::read_header() noexcept {
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
    const std::uint8_t previous = sequence_last_;
    sequence_last_ = header_[3];
    out_of_sequence_ = continued_ && sequence_last_ != static_cast<std::uint8_t>(previous + 1);
    if (!continued_) {
        sequence_first_ = sequence_last_;
    }
    frame_size_ = static_cast<std::uint32_t>(header_[0] | header_[1] << 8 | header_[2] << 16);
    frame_left_ = frame_size_;
    size_ += frame_size_;
    return true;
}

void PacketReader::read_payload(Piece& piece) {
    const Bytes part = input_.first(std::min<std::size_t>(frame_left_, input_.size()));
    input_ = input_.subspan(part.size());
    frame_left_ -= static_cast<std::uint32_t>(part.size());
    const bool frame_ends = frame_left_ == 0;
    const bool packet_ends = frame_ends && frame_size_ < frame_size_max;

    if (packet_ends && collected_.empty()) {
        piece.payload = part.first(std::min(part.size(), wanted_));
    } else {
        const std::size_t room = wanted_ - std::min(wanted_, collected_.size());
        const Bytes kept = part.first(std::min(part.size(), room));
        collected_.insert(collected_.end(), kept.begin(), kept.end());
        piece.payload = collected_;
    }
    if (frame_ends) {
        header_size_ = 0;
        continued_ = !packet_ends;
        piece.last = packet_ends;
    }
}

void PacketReader::finish(Piece& piece, Bytes start) noexcept {
    piece.size = size_;
    piece.sequence_first = sequence_first_;
    piece.sequence_last = sequence_last_;
    piece.raw = start.first(start.size() - input_.size());
    if (piece.last) {
        piece.cut = piece.payload.size() < size_;
    } else {
        piece.payload = {};
    }
}

}  // namespace isotap::mysql
