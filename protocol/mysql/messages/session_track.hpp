#pragma once

#include <cstdint>
#include <string_view>

#include "isotap/base/byte_reader.hpp"
#include "isotap/base/bytes.hpp"

namespace isotap::mysql {

enum class TrackerKind : std::uint8_t {
    system_variable = 0,
    schema = 1,
    state_change = 2,
    gtids = 3,
    transaction_characteristics = 4,
    transaction_state = 5,
    // Others exist and more will come: they are skipped.
};

/// One thing that a session tracker says. Views into the OK packet.
struct Tracked {
    TrackerKind kind{};
    std::string_view name;   ///< of a system variable
    std::string_view value;  ///< of a variable; else the text that the tracker gives
};

/// Walks over the session state of an OK packet. What it does not know it steps over; what is
/// broken ends the walk.
class SessionTrackReader {
  public:
    explicit SessionTrackReader(Bytes session_state) noexcept : reader_(session_state) {}

    /// False at the end.
    bool next(Tracked& tracked) noexcept;

  private:
    bool next_variable(Tracked& tracked) noexcept;

    ByteReader reader_;
    ByteReader variables_{Bytes()};  ///< one tracker may report several
};

}  // namespace isotap::mysql
