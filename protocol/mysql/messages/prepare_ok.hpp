#pragma once

#include <cstdint>
#include <optional>

#include "isotap/base/byte_reader.hpp"

namespace isotap::mysql {

/// The head of a successful reply to COM_STMT_PREPARE.
struct PrepareOk {
    std::uint32_t statement = 0;
    std::uint16_t columns = 0;
    std::uint16_t parameters = 0;
    bool metadata_follows = true;
};

inline std::optional<PrepareOk> decode_prepare_ok(Bytes payload) noexcept {
    ByteReader reader(payload);
    PrepareOk ok;
    if (reader.u8() != 0) {
        return std::nullopt;
    }
    ok.statement = reader.le32();
    ok.columns = reader.le16();
    ok.parameters = reader.le16();
    reader.take(1);  // filler
    reader.le16();   // warnings
    if (!reader.ok()) {
        return std::nullopt;
    }
    // Present only where the metadata may be left out.
    ok.metadata_follows = reader.at_end() || reader.u8() != 0;
    return ok;
}

}  // namespace isotap::mysql
