#include "protocol/mysql/instrument/instrumented_conversation.hpp"

#include <algorithm>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/instrument/told_write.hpp"
#include "protocol/mysql/messages/query_request.hpp"

/// The client's side: what is withheld, what waits, what goes.
namespace isotap::mysql::instrument {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Phase;
using protocol::Side;
using protocol::Treatment;

namespace {

constexpr std::size_t header_size = 4;

/// What an EXECUTE must show before it goes: header, command, statement.
constexpr std::size_t execute_head = header_size + 5;

/// A variable is of the character set that its session had when it was set; the column is in ascii.
constexpr std::string_view prepared_stamp = "convert(@isotap_writer using ascii)";

}  // namespace

InstrumentedConversation::InstrumentedConversation(history::SessionId session,
                                                   const ChannelFacts& channel,
                                                   const Limits& limits,
                                                   const protocol::Reporting& reporting,
                                                   Observation& observation)
    : Conversation(channel, limits, reporting.notes, &observation),
      session_(session),
      plans_(*reporting.plans),
      names_(*reporting.names),
      context_(channel),
      recorder_(*reporting.events, *reporting.names, limits),
      rewriter_(channel.in_force, recorder_) {}

void InstrumentedConversation::feed(Side from, Bytes bytes, Time now, Actions& actions) {
    if (over_) {
        return;
    }
    if (blind_) {
        actions.send(protocol::other(from), bytes);
        return;
    }
    now_ = now;
    actions_ = &actions;
    if (from == Side::server) {
        take_server(bytes);
    } else if (!backlog_.empty() || holding_) {
        backlog_.insert(backlog_.end(), bytes.begin(), bytes.end());
    } else {
        take_client(bytes, false);
    }
    settle();
}

void InstrumentedConversation::on_released(Time now, Actions& actions) {
    now_ = now;
    actions_ = &actions;
    holding_ = false;
    settle();
}

/// What has waited goes, as far as it may go now.
void InstrumentedConversation::go_on() {
    flush();
    while (!blind_ && !over_ && !backlog_.empty() && !must_wait()) {
        const std::vector<std::uint8_t> waiting = std::exchange(backlog_, {});
        take_client(waiting, true);
        flush();
    }
}

void InstrumentedConversation::settle() {
    go_on();
    if (over_) {
        return;
    }
    if (blind_) {
        forward_kept();
        if (!backlog_.empty()) {
            actions_->send_own(Side::server, std::exchange(backlog_, {}));
        }
        actions_->add(ActionKind::go_blind);
    } else if (backlog_.size() > limits_.pipelined_bytes && !holding_) {
        hold();
    }
}

void InstrumentedConversation::hold() {
    holding_ = true;
    actions_->add(ActionKind::hold);
}

bool InstrumentedConversation::must_wait() const noexcept {
    return holding_ || (client_stage_ == ClientStage::command && !ledger_.empty());
}

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
    if ((fate_ == Fate::pass || fate_ == Fate::execute) && unread_ &&
        client_stage_ == ClientStage::command) {
        read_rows();
        postpone(piece.raw);
        return;
    }
    if (fate_ == Fate::execute) {
        keep(piece.raw);
        if (kept_.size() < execute_head && !piece.last) {
            return;
        }
        on_execute_head();
        forward_kept();
    } else {
        forward_kept();
        forward(piece.raw);
    }
    fate_ = Fate::passing;
    if (piece.last) {
        fate_ = Fate::undecided;
        end_of_command(piece);
    }
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
    current_ = {};
    original_.clear();
    if (command == Command::stmt_close) {
        prepared_.erase(ByteReader(piece.payload.subspan(1)).le32());
    }
    const std::uint32_t statement = ByteReader(piece.payload.subspan(1)).le32();
    const auto found = prepared_.find(statement == last_prepared ? newest_ : statement);
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
    }
}

void InstrumentedConversation::on_withheld(Bytes packet, const Piece& piece) {
    const Bytes payload = packet.subspan(header_size);
    const auto command = static_cast<Command>(payload.front());
    if (piece.sequence_first != 0) {
        forward(packet);
        give_up(protocol::Note::desynchronised, "no command where one was due");
        return;
    }
    std::string_view text = as_text(payload.subspan(1));
    if (command == Command::query) {
        text = decode_query_text(payload, channel_.in_force).value_or("");
    }
    Decision decision;
    if (command == Command::init_db) {
        decision.effect = {StatementEffect::Kind::database, std::string(text)};
    } else {
        decision = decide(text, command);
    }
    if (decision.wait) {
        hold();
        insist_ = true;
        postpone(packet);
        return;
    }
    if (unread_ && would_show(decision)) {
        end_unread(std::nullopt);
    } else if (unread_) {
        read_rows();
        postpone(packet);
        return;
    }
    insist_ = false;
    counts_in_use_ = counts_in_use_ || decision.counts_mentioned;
    original_.clear();
    switch (command) {
        case Command::query: run_query(packet, text, std::move(decision), piece); break;
        case Command::stmt_prepare: run_prepare(packet, text, std::move(decision), piece); break;
        default:
            current_ = std::move(decision);
            forward(packet);
            push(command, piece, 0, Treatment::forward, {});
    }
}

void InstrumentedConversation::run_query(Bytes packet, std::string_view text, Decision decision,
                                         const Piece& piece) {
    current_ = std::move(decision);
    observation_->text_sent(text, false, now_);
    cover(current_.coverage, current_.reason);
    Treatment treatment = Treatment::forward;
    if (current_.rewritten) {
        const history::StatementRef ref = observation_->statement();
        const std::string stamp = "'" + stamp_of(ref) + "'";
        forget_rows_of_failed_writes(*current_.plan);
        if (send_rewritten(packet, text, current_, stamp)) {
            recorder_.begin(*current_.plan, ref);
            rewriter_.begin(*current_.plan, ReplyRewriter::Form::text, 1);
            treatment = Treatment::strip;
        }
    }
    if (current_.told) {
        name_writer(observation_->statement());
    }
    if (treatment == Treatment::forward) {
        if (row_count_ && current_.counts_mentioned && current_.end > 0) {
            run_with_row_count(packet, text);
        } else {
            forward(packet);
        }
    }
    row_count_.reset();
    push(Command::query, piece, 0, treatment, {});
    if (current_.told) {
        unname_writer();
    }
}

void InstrumentedConversation::run_prepare(Bytes packet, std::string_view text, Decision decision,
                                           const Piece& piece) {
    current_ = std::move(decision);
    Treatment treatment = Treatment::forward;
    if (current_.rewritten && send_rewritten(packet, text, current_, prepared_stamp)) {
        rewriter_.begin(*current_.plan, ReplyRewriter::Form::prepare, 1);
        treatment = Treatment::strip;
    } else {
        forward(packet);
    }
    push(Command::stmt_prepare, piece, 0, treatment, as_bytes(text));
}

/// False when it does not fit: then `current_` says so, and the client's own packet must go.
bool InstrumentedConversation::send_rewritten(Bytes packet, std::string_view text,
                                              const Decision& decision, std::string_view stamp) {
    sql::apply(*decision.plan, tokens_, stamp, rewritten_);
    const std::size_t head = packet.size() - text.size();
    std::vector<std::uint8_t> payload(packet.begin() + header_size,
                                      packet.begin() + static_cast<std::ptrdiff_t>(head));
    const auto append = [&payload](std::string_view part) {
        payload.insert(payload.end(), part.begin(), part.end());
    };
    append(text.substr(0, decision.begin));
    append(rewritten_);
    append(text.substr(decision.end));
    if (payload.size() >= frame_size_max) {
        current_ = {};
        current_.reason = "statement too long";
        cover(current_.coverage, current_.reason);
        return false;
    }
    std::vector<std::uint8_t> out;
    out.reserve(payload.size() + header_size);
    write_packet(payload, 0, out);
    actions_->send_own(Side::server, std::move(out));
    original_.assign(packet.begin(), packet.end());
    return true;
}

void InstrumentedConversation::on_execute_head() {
    statement_ = ByteReader(Bytes(kept_).subspan(execute_head - sizeof statement_)).le32();
    executing_ = true;
    row_count_.reset();
    observation_->statement_executed(statement_, now_);
    original_.clear();
    const auto found = prepared_.find(statement_ == last_prepared ? newest_ : statement_);
    current_ = found == prepared_.end() ? Decision{} : found->second.decision;
    if (found == prepared_.end()) {
        current_.reason = "unknown statement";
    }
    cover(current_.coverage, current_.reason);
    if (current_.told) {
        name_writer(observation_->statement());
    }
    if (!current_.rewritten) {
        return;
    }
    const history::StatementRef ref = observation_->statement();
    found->second.executed = ref;
    const auto& splices = current_.plan->splices;
    const bool stamped = std::any_of(splices.begin(), splices.end(),
                                     [](const sql::Splice& one) { return one.has_stamp(); });
    forget_rows_of_failed_writes(*current_.plan);
    if (stamped) {
        send_own_query("set " + std::string(writer_variable) + "='" + stamp_of(ref) + "'");
    }
    recorder_.begin(*current_.plan, ref);
    rewriter_.begin(*current_.plan, ReplyRewriter::Form::binary, 1, found->second.columns);
}

void InstrumentedConversation::on_end_of_execute(const Piece& piece) {
    push(Command::stmt_execute, piece, statement_,
         current_.rewritten ? Treatment::strip : Treatment::forward, {});
    if (current_.told) {
        unname_writer();
    }
}

/// The server owes a reply to this from now on; where nothing else is owed, it comes next.
void InstrumentedConversation::push(Command command, const Piece& piece, std::uint32_t statement,
                                    Treatment treatment, Bytes keep) {
    const Request request{command, static_cast<std::uint8_t>(piece.sequence_last + 1), statement};
    const bool first = ledger_.empty();
    if (!ledger_.push(request, now_, keep, false, treatment)) {
        give_up(protocol::Note::pipeline_too_deep, "more commands in flight than are followed");
    } else if (first) {
        reply_.begin(command);
    }
}

void InstrumentedConversation::cover(history::Coverage coverage, std::string_view reason) {
    observation_->cover(coverage, names_.id_of(reason));
}

void InstrumentedConversation::on_closed(Time now) {
    now_ = now;
    if (unread_) {
        end_unread(std::nullopt);
    }
    Conversation::on_closed(now);
}

Phase InstrumentedConversation::phase() const noexcept {
    const Phase phase = Conversation::phase();
    const bool waiting = holding_ || !backlog_.empty() || !kept_.empty();
    return phase == Phase::idle && waiting ? Phase::busy : phase;
}

}  // namespace isotap::mysql::instrument
