#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/sql/lexer_state.hpp"

namespace isotap::mysql::instrument {

/// A text of several statements, which goes to the server one statement at a time: so each of them
/// is captured as it would be by itself. The client gets the replies as those to one command, each
/// but the last with the promise of another one. This is how far it has come. A value.
class Script {
  public:
    /// Views into the text that was cut.
    struct Cut {
        std::string_view statement;
        std::string_view rest;  ///< behind the semicolon
    };

    /// Cuts off the first statement. Nothing where there is one alone, where only the server knows
    /// where it ends, or where its reply may be more than one result: then all of the text goes as
    /// it came.
    [[nodiscard]] std::optional<Cut> cut(std::string_view text,
                                         const sql::LexerState& lexing) const;

    /// A part goes to the server. `waiting`: bytes of the packet with the rest, which is the next
    /// one to go; 0 where this is the last part.
    void part_goes(std::size_t waiting) noexcept {
        running_ = true;
        waiting_ = waiting;
    }
    /// The part has been answered, up to the packet ahead of this number.
    void part_answered(std::uint8_t next_sequence) noexcept { sequence_ = next_sequence; }

    [[nodiscard]] bool running() const noexcept { return running_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
    /// Number of the first packet of the reply to the part.
    [[nodiscard]] std::uint8_t sequence() const noexcept { return sequence_; }

  private:
    bool running_ = false;
    std::size_t waiting_ = 0;
    std::uint8_t sequence_ = 1;
};

}  // namespace isotap::mysql::instrument
