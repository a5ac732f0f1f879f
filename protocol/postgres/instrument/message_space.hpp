#pragma once

#include <algorithm>
#include <cstdint>

#include "isotap/protocol/session.hpp"

namespace isotap::postgres::instrument {

/// A typed message that takes the place of another one, written into the space of the actions that
/// will send it. Its length must be known beforehand.
class MessageSpace {
  public:
    MessageSpace(protocol::Actions& actions, std::uint8_t type, std::size_t body_size)
        : all_(actions.room(header_size + body_size)), rest_(all_) {
        u8(type);
        be32(static_cast<std::uint32_t>(body_size + length_size));
    }

    void u8(std::uint8_t value) noexcept {
        rest_[0] = value;
        rest_ = rest_.subspan(1);
    }
    void be16(std::uint16_t value) noexcept {
        u8(static_cast<std::uint8_t>(value >> 8));
        u8(static_cast<std::uint8_t>(value));
    }
    void be32(std::uint32_t value) noexcept {
        be16(static_cast<std::uint16_t>(value >> 16));
        be16(static_cast<std::uint16_t>(value));
    }
    void bytes(Bytes bytes) noexcept {
        std::copy(bytes.begin(), bytes.end(), rest_.begin());
        rest_ = rest_.subspan(bytes.size());
    }

    [[nodiscard]] Bytes whole() const noexcept { return all_; }

  private:
    static constexpr std::size_t length_size = 4;
    static constexpr std::size_t header_size = 1 + length_size;

    MutableBytes all_;
    MutableBytes rest_;
};

}  // namespace isotap::postgres::instrument
