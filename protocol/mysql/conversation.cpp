#include "protocol/mysql/conversation.hpp"

#include <cassert>
#include <utility>
#include <vector>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/messages/query_request.hpp"

namespace isotap::mysql {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Phase;
using protocol::Side;

Conversation::Conversation(const ChannelFacts& channel, const Limits& limits,
                           protocol::NoteTaker& notes, Observation* observation)
    : channel_(channel),
      limits_(limits),
      notes_(notes),
      observation_(observation),
      ledger_(limits.pipelined_replies, limits.pipelined_bytes),
      reply_(channel.in_force),
      status_(channel.status) {
    if (channel.compression != Compression::none) {
        client_.decompressor.emplace(channel.compression);
        server_.decompressor.emplace(channel.compression);
    }
}

void Conversation::feed(Side from, Bytes bytes, Time now, Actions& actions) {
    actions.send(protocol::other(from), bytes);
    if (blind_) {
        return;
    }
    now_ = now;
    observe(from, bytes, now);
    if (blind_) {
        actions.add(ActionKind::go_blind);
    }
}

void Conversation::observe(Side from, Bytes bytes, Time now) {
    Direction& direction = from == Side::client ? client_ : server_;
    if (!direction.decompressor) {
        observe_plain(from, bytes, now);
        return;
    }
    direction.decompressor->feed(bytes);
    Bytes chunk;
    while (!blind_) {
        switch (direction.decompressor->next(chunk)) {
            case Decompressor::Status::chunk: observe_plain(from, chunk, now); break;
            case Decompressor::Status::drained: return;
            case Decompressor::Status::malformed:
                give_up(Note::opaque_compression, "a compressed frame that cannot be read");
                return;
        }
    }
}

void Conversation::observe_plain(Side from, Bytes bytes, Time now) {
    PacketReader& packets = (from == Side::client ? client_ : server_).packets;
    packets.feed(bytes);
    Piece piece;
    const auto keep = [this, from](std::uint8_t first, std::uint32_t frame_size) {
        return wanted(from, first, frame_size);
    };
    while (!blind_) {
        switch (packets.next(piece, keep)) {
            case PacketReader::Status::drained: return;
            case PacketReader::Status::malformed:
                give_up(Note::desynchronised, "frames of one packet out of sequence");
                return;
            case PacketReader::Status::piece:
                if (!piece.last) {
                    break;
                }
                if (from == Side::client) {
                    on_client_packet(piece, now);
                } else {
                    on_server_packet(piece, now);
                }
        }
    }
}

std::size_t Conversation::wanted(Side from, std::uint8_t first,
                                 std::uint32_t frame_size) const noexcept {
    if (from == Side::server) {
        return reply_.wanted(first, frame_size, limits_.observed_message);
    }
    // Of most commands only the head matters: what a statement id needs.
    constexpr std::size_t head = 10;
    const auto command = static_cast<Command>(first);
    const bool has_text = command == Command::query || command == Command::stmt_prepare;
    const bool text_wanted = has_text && observation_ != nullptr;
    return client_stage_ == ClientStage::command && text_wanted ? limits_.observed_message : head;
}

void Conversation::on_client_packet(const Piece& packet, Time now) {
    switch (client_stage_) {
        case ClientStage::command: on_command(packet, now); break;
        case ClientStage::local_file:
            // An empty packet ends the file; the reply may have come long before.
            if (packet.size == 0) client_stage_ = ClientStage::command;
            on_answer_of_client(packet);
            break;
        case ClientStage::authentication: on_answer_of_client(packet); break;
    }
}

void Conversation::on_answer_of_client(const Piece& packet) noexcept {
    if (!ledger_.empty()) {
        ledger_.front().reply.next_sequence = static_cast<std::uint8_t>(packet.sequence_last + 1);
    }
}

void Conversation::on_command(const Piece& packet, Time now) {
    if (packet.payload.empty() || (numbered() && packet.sequence_first != 0)) {
        give_up(Note::desynchronised, "no command where one was due");
        return;
    }
    const auto command = static_cast<Command>(packet.payload.front());
    switch (reply_shape(command)) {
        case ReplyShape::none: on_command_without_reply(command, packet.payload); break;
        case ReplyShape::foreign:
            if (name(command).empty()) {
                give_up(Note::unknown_message, "a command that nobody has told of");
            } else {
                give_up(Note::replication, name(command));
            }
            break;
        default: owe(command, packet, now);
    }
}

void Conversation::on_command_without_reply(Command command, Bytes payload) noexcept {
    if (command == Command::quit) {
        quitting_ = true;
    } else if (command == Command::stmt_close && observation_ != nullptr) {
        ByteReader reader(payload.subspan(1));
        observation_->statement_closed(reader.le32());
    }
}

Bytes Conversation::text_of(Command command, const Piece& packet) const noexcept {
    if (observation_ == nullptr) {
        return {};
    }
    if (command == Command::query) {
        return as_bytes(decode_query_text(packet.payload, channel_.in_force).value_or(""));
    }
    return command == Command::stmt_prepare ? packet.payload.subspan(1) : Bytes();
}

void Conversation::owe(Command command, const Piece& packet, Time now) {
    Request request{command, static_cast<std::uint8_t>(packet.sequence_last + 1)};
    if (command == Command::set_option) {
        request.option = ByteReader(packet.payload.subspan(1)).le16();
    }
    if (command == Command::stmt_execute || command == Command::stmt_bulk_execute ||
        command == Command::stmt_fetch) {
        request.statement = ByteReader(packet.payload.subspan(1)).le32();
    }
    const bool first = ledger_.empty();
    const Bytes text = text_of(command, packet);
    if (!ledger_.push(request, now, text, packet.cut)) {
        give_up(Note::pipeline_too_deep, "more commands in flight than are followed");
        return;
    }
    if (first) {
        begin_reply(now);
    }
}

/// The command at the front is the one that the server works on.
void Conversation::begin_reply(Time now) {
    const Request& request = ledger_.front().reply;
    reply_.begin(request.command);
    if (request.command == Command::change_user) {
        client_stage_ = ClientStage::authentication;
    }
    const bool ours = ledger_.front().treatment == protocol::Treatment::swallow;
    if (observation_ == nullptr || ours) {
        return;
    }
    if (request.command == Command::query) {
        observation_->text_sent(as_text(ledger_.kept()), ledger_.front().cut, now);
    } else if (request.command == Command::stmt_execute ||
               request.command == Command::stmt_bulk_execute) {
        observation_->statement_executed(request.statement, now);
    }
}

void Conversation::next_reply(Time now) {
    if (ledger_.front().reply.command == Command::change_user) {
        client_stage_ = ClientStage::command;
    }
    ledger_.pop();
    if (!ledger_.empty()) {
        begin_reply(now);
    }
}

void Conversation::on_server_packet(const Piece& packet, Time now) {
    if (ledger_.empty() || is_farewell(packet)) {
        on_unasked(packet);
        return;
    }
    Request& request = ledger_.front().reply;
    if (numbered() && packet.sequence_first != request.next_sequence &&
        client_stage_ != ClientStage::local_file) {
        give_up(Note::desynchronised, "a reply out of sequence");
        return;
    }
    request.next_sequence = static_cast<std::uint8_t>(packet.sequence_last + 1);
    on_step(reply_.take(packet), now);
}

/// An error that answers nothing, although something is owed: the server closes the connection, and
/// what it says of that has crossed a command.
bool Conversation::is_farewell(const Piece& packet) const noexcept {
    return numbered() && packet.sequence_first == 0 && !packet.payload.empty() &&
           packet.payload.front() == error_header && ledger_.front().reply.next_sequence == 1;
}

/// The server may say at any time why it is about to close the connection, and nothing else.
void Conversation::on_unasked(const Piece& packet) {
    const bool error = !packet.payload.empty() && packet.payload.front() == error_header;
    const bool answer_to_quit = quitting_ && !packet.payload.empty();
    if (!error && !answer_to_quit) {
        give_up(Note::desynchronised, "a reply that nothing asked for");
    }
}

void Conversation::on_step(const ReplyStep& step, Time now) {
    const Request request = ledger_.front().reply;
    switch (step.part) {
        case ReplyPart::surprise: give_up(Note::desynchronised, name(request.command)); return;
        case ReplyPart::detail: break;
        case ReplyPart::file_requested:
            if (ledger_.size() > 1) {
                // The server takes what was sent ahead for the file. So do not we.
                give_up(Note::desynchronised, "a file was asked for in the midst of a pipeline");
                return;
            }
            client_stage_ = ClientStage::local_file;
            break;
        case ReplyPart::prepared: on_prepared(step.prepared); break;
        case ReplyPart::error: on_failure(request, step, now); break;
        case ReplyPart::ok:
        case ReplyPart::result_set:
        case ReplyPart::cursor: on_success(request, step, now); break;
    }
    if (step.ends) {
        next_reply(now);
    }
}

void Conversation::on_success(const Request& request, const ReplyStep& step, Time now) {
    status_ = step.ok.status;
    if (observation_ != nullptr) {
        observation_->command_succeeded(request.command, step, now);
    }
    if (request.command == Command::set_option) {
        on_option(request.option);
    }
}

/// Whether a text may hold several statements.
void Conversation::on_option(std::uint16_t option) {
    constexpr std::uint16_t several = 0;
    constexpr Capability flag = Capability::multi_statements;
    channel_.in_force =
        option == several ? channel_.in_force.with(flag) : channel_.in_force.without(flag);
    if (observation_ != nullptr) {
        observation_->several_allowed(option == several);
    }
}

void Conversation::on_prepared(const PrepareOk& prepared) {
    if (observation_ != nullptr) {
        observation_->statement_prepared(prepared.statement, as_text(ledger_.kept()),
                                         ledger_.front().cut);
    }
}

void Conversation::on_failure(const Request& request, const ReplyStep& step, Time now) {
    if (observation_ != nullptr) {
        observation_->command_failed(request.command, step, now);
    }
}

void Conversation::on_released(Time /*now*/, Actions& /*actions*/) {
    assert(false && "nobody was held");
}

void Conversation::on_closed(Time now) {
    if (observation_ != nullptr) {
        observation_->closed(now);
    }
}

Phase Conversation::phase() const noexcept {
    if (blind_) {
        return Phase::blind;
    }
    const bool between_packets = client_.at_boundary() && server_.at_boundary();
    const bool idle = ledger_.empty() && client_stage_ == ClientStage::command && between_packets;
    return idle && !status_.has(StatusFlag::in_transaction) ? Phase::idle : Phase::busy;
}

void Conversation::shut_down(Actions& actions) {
    ErrorPacket error;
    error.number = 1053;
    error.sql_state = {'0', '8', 'S', '0', '1'};
    error.message = "Server shutdown in progress";
    std::vector<std::uint8_t> farewell;
    encode_error(error, 0, farewell);
    std::vector<std::uint8_t> quit{1, 0, 0, 0, static_cast<std::uint8_t>(Command::quit)};
    if (phase() == Phase::idle && !blind_) {
        for (std::vector<std::uint8_t>* packet : {&farewell, &quit}) {
            if (!numbered()) {
                // A compressed frame whose content is not: its length, number 0, no other length.
                const auto low = static_cast<std::uint8_t>(packet->size());
                const auto high = static_cast<std::uint8_t>(packet->size() >> 8);
                packet->insert(packet->begin(), {low, high, 0, 0, 0, 0, 0});
            }
        }
        actions.send_own(Side::client, std::move(farewell));
        actions.send_own(Side::server, std::move(quit));
    }
    actions.add(ActionKind::finish);
}

void Conversation::give_up(Note note, std::string_view detail) {
    blind_ = true;
    notes_.take(note, detail);
    if (observation_ != nullptr) {
        observation_->lost(now_);
    }
}

}  // namespace isotap::mysql
