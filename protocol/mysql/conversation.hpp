#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/limits.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/ledger/reply_ledger.hpp"
#include "protocol/mysql/channel.hpp"
#include "protocol/mysql/decompressor.hpp"
#include "protocol/mysql/observation.hpp"
#include "protocol/mysql/packet_reader.hpp"
#include "protocol/mysql/reply_reader.hpp"
#include "protocol/mysql/request.hpp"

namespace isotap::mysql {

/// The command phase: all packets of a connection from the OK of its authentication to its end.
/// Every byte goes on as it came; the ledger follows along, so that it is known at any moment which
/// command the server is answering.
///
/// Gives up for good (`Phase::blind`) at the first packet that does not fit: from then on the bytes
/// are the driver's alone.
class Conversation {
  public:
    /// `observation` may be null: then no text is kept. All three outlive the conversation.
    Conversation(const ChannelFacts& channel, const Limits& limits, protocol::NoteTaker& notes,
                 Observation* observation);
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;
    virtual ~Conversation() = default;

    virtual void feed(protocol::Side from, Bytes bytes, Time now, protocol::Actions& actions);

    /// See protocol::Session::on_released. A conversation that only looks on holds nobody.
    virtual void on_released(Time now, protocol::Actions& actions);

    /// See protocol::Session::on_woken.
    virtual void on_woken(Time /*now*/, protocol::Actions& /*actions*/) {}

    /// The client will send no more.
    virtual void on_client_end(Time /*now*/, protocol::Actions& /*actions*/) {}
    /// See protocol::Session.
    [[nodiscard]] virtual bool owes_server() const noexcept { return false; }

    /// The connection is gone.
    virtual void on_closed(Time now);

    /// Says good-bye to both ends, for a reason of the proxy.
    void shut_down(protocol::Actions& actions);

    [[nodiscard]] virtual protocol::Phase phase() const noexcept;

  protected:
    /// What the next packet of the client is.
    enum class ClientStage : std::uint8_t { command, local_file, authentication };
    using Ledger = protocol::ReplyLedger<Request>;

    /// One direction of the connection.
    struct Direction {
        PacketReader packets;
        std::optional<Decompressor> decompressor;

        /// Between packets and, of what is compressed, between frames.
        [[nodiscard]] bool at_boundary() const noexcept {
            return packets.at_boundary() && (!decompressor || decompressor->at_boundary());
        }
    };

    void observe(protocol::Side from, Bytes bytes, Time now);
    void observe_plain(protocol::Side from, Bytes bytes, Time now);
    void on_client_packet(const Piece& packet, Time now);
    void on_command(const Piece& packet, Time now);
    void on_command_without_reply(Command command, Bytes payload) noexcept;
    void on_answer_of_client(const Piece& packet) noexcept;
    void owe(Command command, const Piece& packet, Time now);
    void on_server_packet(const Piece& packet, Time now);
    void on_unasked(const Piece& packet);
    [[nodiscard]] bool is_farewell(const Piece& packet) const noexcept;
    virtual void on_prepared(const PrepareOk& prepared);
    virtual void on_failure(const Request& request, const ReplyStep& step, Time now);
    void on_step(const ReplyStep& step, Time now);
    virtual void on_success(const Request& request, const ReplyStep& step, Time now);
    void on_option(std::uint16_t option);
    void next_reply(Time now);
    void begin_reply(Time now);

    [[nodiscard]] std::size_t wanted(protocol::Side from, std::uint8_t first,
                                     std::uint32_t frame_size) const noexcept;
    [[nodiscard]] bool numbered() const noexcept {
        return channel_.compression == Compression::none;
    }
    [[nodiscard]] Bytes text_of(Command command, const Piece& packet) const noexcept;
    void give_up(protocol::Note note, std::string_view detail);

    ChannelFacts channel_;
    const Limits& limits_;
    protocol::NoteTaker& notes_;
    Observation* observation_;
    Direction client_;
    Direction server_;
    Ledger ledger_;
    ReplyReader reply_;
    ClientStage client_stage_ = ClientStage::command;
    ServerStatus status_;
    Time now_{};  ///< of the call that is being answered
    bool blind_ = false;
    bool quitting_ = false;
};

}  // namespace isotap::mysql
