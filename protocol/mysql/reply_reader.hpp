#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/mysql/capabilities.hpp"
#include "protocol/mysql/command.hpp"
#include "protocol/mysql/messages/error_packet.hpp"
#include "protocol/mysql/messages/ok_packet.hpp"
#include "protocol/mysql/messages/prepare_ok.hpp"
#include "protocol/mysql/packet_reader.hpp"

namespace isotap::mysql {

enum class ReplyPart : std::uint8_t {
    detail,          ///< a definition, a row, a progress report, a round of authentication
    ok,              ///< a command is through, or one result of several, and gave no rows
    result_set,      ///< a result set is complete
    cursor,          ///< a result set waits at the server to be fetched
    error,           ///< it failed
    prepared,        ///< the head of a prepared statement
    file_requested,  ///< the client is asked to stream a file of its own
    surprise,        ///< nothing that belongs here: whoever reads this has lost the thread
};

/// What one packet of a reply means. Views into the packet.
struct ReplyStep {
    ReplyPart part = ReplyPart::detail;
    bool ends = false;       ///< nothing more comes for this command
    OkPacket ok;             ///< with ok, result_set and cursor
    ErrorPacket error;       ///< with error
    PrepareOk prepared;      ///< with prepared
    std::uint64_t rows = 0;  ///< with result_set
};

/// Follows the reply to one command after the other. The stages are those of the protocol document;
/// they know where they are from the packets alone. Not thread-safe.
class ReplyReader {
  public:
    enum class Stage : std::uint8_t {
        idle,
        head,  ///< OK, ERR, number of columns, or the request for a local file
        columns,
        end_of_columns,
        rows,
        prepare_head,
        parameters,
        end_of_parameters,
        prepared_columns,
        end_of_prepared_columns,
        field_list,
        text,
        simple,
        authentication,
    };

    explicit ReplyReader(Capabilities in_force) noexcept : in_force_(in_force) {}

    /// The server is about to answer this command, which gets a reply.
    void begin(Command command) noexcept;

    /// How many bytes of the next packet are worth keeping, told by its first byte and the size of
    /// its first frame.
    [[nodiscard]] std::size_t wanted(std::uint8_t first, std::uint32_t frame_size,
                                     std::size_t most) const noexcept;

    /// Takes the next packet of the reply: its last piece.
    ReplyStep take(const Piece& packet) noexcept;

    [[nodiscard]] Stage stage() const noexcept { return stage_; }

  private:
    ReplyStep take_head(const Piece& packet) noexcept;
    ReplyStep take_column_count(const Piece& packet) noexcept;
    ReplyStep take_definition() noexcept;
    ReplyStep take_end_of_columns(const Piece& packet) noexcept;
    ReplyStep take_row(const Piece& packet) noexcept;
    ReplyStep take_prepare_head(const Piece& packet) noexcept;
    ReplyStep take_end_of_definitions(const Piece& packet) noexcept;
    ReplyStep take_end_of_parameters() noexcept;
    ReplyStep take_simple(const Piece& packet) noexcept;
    ReplyStep take_authentication(const Piece& packet) noexcept;
    ReplyStep take_error(const Piece& packet) noexcept;
    ReplyStep result(ReplyPart part, const OkPacket& ok) noexcept;
    ReplyStep detail() noexcept;

    [[nodiscard]] bool is_end(const Piece& packet) const noexcept;
    [[nodiscard]] bool deprecates_eof() const noexcept {
        return in_force_.has(Capability::deprecate_eof);
    }
    void expect_parameters() noexcept;
    void expect_prepared_columns() noexcept;

    Capabilities in_force_;
    Stage stage_ = Stage::idle;
    std::uint64_t definitions_left_ = 0;
    std::uint64_t rows_ = 0;
    bool more_results_promised_ = false;
    PrepareOk prepared_;
};

}  // namespace isotap::mysql
