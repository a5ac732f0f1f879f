#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres {

/// Builds one typed message of our own. Rare: what passes through is never rebuilt.
class MessageWriter {
  public:
    explicit MessageWriter(BackendType type) : MessageWriter(static_cast<std::uint8_t>(type)) {}
    explicit MessageWriter(FrontendType type) : MessageWriter(static_cast<std::uint8_t>(type)) {}

    void u8(std::uint8_t value) { bytes_.push_back(value); }

    void be32(std::uint32_t value) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            u8(static_cast<std::uint8_t>(value >> shift));
        }
    }

    void text(std::string_view value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }

    void c_string(std::string_view value) {
        text(value);
        u8(0);
    }

    /// The message with its length filled in.
    std::vector<std::uint8_t> finish() && {
        const auto length = static_cast<std::uint32_t>(bytes_.size() - 1);
        for (std::size_t i = 0; i < 4; ++i) {
            bytes_[1 + i] = static_cast<std::uint8_t>(length >> (24 - 8 * i));
        }
        return std::move(bytes_);
    }

  private:
    explicit MessageWriter(std::uint8_t type) : bytes_{type, 0, 0, 0, 0} {}

    std::vector<std::uint8_t> bytes_;
};

}  // namespace isotap::postgres
