#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/instrument/instrumented_conversation.hpp"

/// The client's packets: which are withheld, which wait, which go.
namespace isotap::mysql::instrument {

using protocol::Side;
using protocol::Treatment;

void InstrumentedConversation::take_client(Bytes bytes, bool ours) {
    ours_ = ours;
    client_.packets.feed(bytes);
    const auto wanted = [this](std::uint8_t first, std::uint32_t frame_size) {
        return decide_fate(first, frame_size);
    };
    Piece piece;
    while (!blind_ && !over_) {
        if (client_.packets.at_boundary() && must_wait()) {
            const Bytes rest = client_.packets.abandon();
            backlog_.insert(backlog_.end(), rest.begin(), rest.end());
            return;
        }
        switch (client_.packets.next(piece, wanted)) {
            case PacketReader::Status::drained: return;
            case PacketReader::Status::piece: on_client_piece(piece); break;
            case PacketReader::Status::malformed:
                give_up(protocol::Note::desynchronised, "frames of one packet out of sequence");
                forward_kept();
                forward(piece.raw);
        }
    }
    forward_kept();
    forward(client_.packets.abandon());
}

/// How much of the client's packet is to be kept together, told by its first byte.
std::size_t InstrumentedConversation::decide_fate(std::uint8_t first, std::uint32_t frame_size) {
    fate_ = Fate::pass;
    names_statement_ = false;
    if (client_stage_ != ClientStage::command) {
        return wanted(Side::client, first, frame_size);
    }
    switch (static_cast<Command>(first)) {
        case Command::query:
        case Command::stmt_prepare:
        case Command::init_db:
            if (frame_size > limits_.observed_message) break;
            fate_ = Fate::withhold;
            return frame_size;
        case Command::stmt_execute: fate_ = Fate::execute; break;
        case Command::stmt_close:
        case Command::stmt_send_long_data:
            fate_ = Fate::beside;
            names_statement_ = numbers_.differ();
            break;
        case Command::stmt_bulk_execute: names_statement_ = true; break;
        case Command::stmt_reset:
        case Command::stmt_fetch: names_statement_ = numbers_.differ(); break;
        default: break;
    }
    return wanted(Side::client, first, frame_size);
}

void InstrumentedConversation::on_client_piece(const Piece& piece) {
    if (fate_ == Fate::undecided) {
        if (!piece.last) {
            keep(piece.raw);
            return;
        }
        fate_ = Fate::passing;
    }
    if (fate_ == Fate::withhold) {
        if (!piece.last) {
            keep(piece.raw);
            return;
        }
        fate_ = Fate::undecided;
        if (!kept_.empty()) {
            keep(piece.raw);
            const std::vector<std::uint8_t> whole = std::exchange(kept_, {});
            const bool ours = std::exchange(ours_, true);
            on_withheld(whole, piece);
            ours_ = ours;
        } else {
            on_withheld(piece.raw, piece);
        }
        return;
    }
    if (fate_ == Fate::pass && unread_ && client_stage_ == ClientStage::command) {
        read_rows();
        postpone(piece.raw);
        return;
    }
    if (fate_ != Fate::passing) {
        if (!forward_head(piece)) {
            return;
        }
    } else {
        forward_kept();
        forward(piece.raw);
        if (executing_) remember_execute(piece.raw);
    }
    fate_ = Fate::passing;
    if (piece.last) {
        fate_ = Fate::undecided;
        end_of_command(piece);
    }
}

/// The first piece of a packet that goes as it comes. False where it does not go yet.
bool InstrumentedConversation::forward_head(const Piece& piece) {
    if (fate_ != Fate::execute && !names_statement_) {
        forward_kept();
        forward(piece.raw);
        return true;
    }
    keep(piece.raw);
    if (kept_.size() < (fate_ == Fate::execute ? execute_head : statement_end) && !piece.last) {
        return false;
    }
    if (fate_ == Fate::execute) {
        if (unread_ && !end_unread_for_execute()) {
            postpone({});
            return false;
        }
        on_execute_head();
    } else if (kept_[header_size] == static_cast<std::uint8_t>(Command::stmt_bulk_execute) &&
               kept_.size() >= statement_end &&
               prepare_for_bulk(executed_statement(), "bulk execution")) {
        postpone({});
        return false;
    }
    name_for_server(kept_);
    forward_kept();
    return true;
}

/// False when the rows of the write before are asked for first.
bool InstrumentedConversation::end_unread_for_execute() {
    const auto found = prepared_.find(executed_statement());
    if (found == prepared_.end() || !would_show(found->second.decision)) {
        read_rows();
        return false;
    }
    end_unread(std::nullopt);
    return true;
}

std::uint32_t InstrumentedConversation::executed_statement() const {
    return numbers_.meant(ByteReader(Bytes(kept_).subspan(statement_at)).le32());
}

/// Something of ours goes first: the packet that is arriving, and all behind it, comes again later.
void InstrumentedConversation::postpone(Bytes bytes) {
    keep(bytes);
    const Bytes rest = client_.packets.abandon();
    keep(rest);
    backlog_.insert(backlog_.begin(), kept_.begin(), kept_.end());
    kept_.clear();
    client_.packets = PacketReader();
    fate_ = Fate::undecided;
}

void InstrumentedConversation::forward(Bytes bytes) {
    if (bytes.empty()) {
        return;
    }
    if (ours_) {
        actions_->send_own(Side::server, {bytes.begin(), bytes.end()});
    } else {
        actions_->send(Side::server, bytes);
    }
}

void InstrumentedConversation::forward_kept() {
    if (!kept_.empty()) {
        actions_->send_own(Side::server, std::exchange(kept_, {}));
    }
}

/// A packet that goes as it came has gone.
void InstrumentedConversation::end_of_command(const Piece& piece) {
    if (std::exchange(executing_, false)) {
        on_end_of_execute(piece);
        return;
    }
    if (client_stage_ != ClientStage::command || piece.payload.empty()) {
        on_client_packet(piece, now_);
        return;
    }
    const auto command = static_cast<Command>(piece.payload.front());
    level_asked_ = level_asked_ || command == Command::query;
    current_ = {};
    original_.clear();
    const std::uint32_t statement = ByteReader(piece.payload.subspan(1)).le32();
    on_beside_execution(command, numbers_.meant(statement));
    const auto found = prepared_.find(numbers_.meant(statement));
    if (command == Command::stmt_fetch && found != prepared_.end() &&
        found->second.decision.rewritten) {
        current_ = found->second.decision;
        recorder_.begin(*current_.plan, found->second.executed);
        rewriter_.begin(*current_.plan, ReplyRewriter::Form::binary,
                        static_cast<std::uint8_t>(piece.sequence_last + 1), found->second.columns);
        push(command, piece, statement, Treatment::strip, {});
        return;
    }
    on_client_packet(piece, now_);
    if (blind_) {
        return;
    }
    if (command == Command::query) {
        // What a text does that nobody has read to its end is not known.
        cover(history::Coverage::opaque, "statement too long");
        if (channel_.in_force.has(Capability::multi_statements)) {
            current_.effect.kind = StatementEffect::Kind::schema;
        }
    } else if (command == Command::stmt_bulk_execute) {
        cover(history::Coverage::opaque, "bulk execution");
    } else if (command == Command::change_user) {
        context_.on_lost("changed user");
        prepared_.clear();
        numbers_.reset();
    }
}

/// What is done to a statement between its executions.
void InstrumentedConversation::on_beside_execution(Command command, std::uint32_t statement) {
    if (command == Command::stmt_close) {
        forget_prepared(statement);
        numbers_.closed(statement);
    } else if (command == Command::stmt_send_long_data || command == Command::stmt_reset) {
        const auto found = prepared_.find(statement);
        if (found != prepared_.end()) {
            found->second.long_data = command == Command::stmt_send_long_data;
        }
    }
}

}  // namespace isotap::mysql::instrument
