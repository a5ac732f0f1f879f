#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/error_meaning.hpp"
#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/length_encoded.hpp"

/// The server's side: what is taken out, made anew, swallowed, tried again.
namespace isotap::mysql::instrument {

using history::Coverage;
using protocol::ActionKind;
using protocol::Note;
using protocol::Side;
using protocol::Treatment;
using Stage = ReplyReader::Stage;
using Verdict = ReplyRewriter::Verdict;

namespace {

std::optional<std::string> text_or_null(ByteReader& row) {
    constexpr std::uint8_t null_value = 0xfb;
    if (!row.at_end() && row.rest().front() == null_value) {
        row.take(1);
        return std::nullopt;
    }
    return std::string(length_encoded_text(row));
}

bool completes(ReplyPart part) noexcept {
    return part == ReplyPart::ok || part == ReplyPart::result_set || part == ReplyPart::cursor;
}

}  // namespace

void InstrumentedConversation::take_server(Bytes bytes) {
    server_.packets.feed(bytes);
    const auto altered = [this] {
        return !ledger_.empty() && ledger_.front().treatment != Treatment::forward;
    };
    const auto wanted_of_server = [this, &altered](std::uint8_t first, std::uint32_t size) {
        // What is altered is needed as a whole, however long it is.
        return altered() ? SIZE_MAX : wanted(Side::server, first, size);
    };
    Piece piece;
    while (!blind_ && !over_) {
        const PacketReader::Status status = server_.packets.next(piece, wanted_of_server);
        if (status == PacketReader::Status::drained) {
            return;
        }
        if (status == PacketReader::Status::malformed) {
            if (altered()) {
                break_off("frames of one packet out of sequence");
                return;
            }
            give_up(Note::desynchronised, "frames of one packet out of sequence");
        }
        if (altered()) {
            if (piece.last) {
                on_altered_packet(piece);
            }
            continue;
        }
        flush();
        actions_->send(Side::client, piece.raw);
        if (piece.last && !blind_) {
            on_server_packet(piece, now_);
        }
        if (piece.last && ledger_.empty() && !backlog_.empty() && !blind_) {
            // The next command of the client goes before the server can say anything about it.
            const Bytes rest = server_.packets.abandon();
            go_on();
            server_.packets.feed(rest);
        }
    }
    if (blind_) {
        flush();
        actions_->send(Side::client, server_.packets.abandon());
    }
}

void InstrumentedConversation::on_altered_packet(const Piece& piece) {
    if (is_farewell(piece)) {
        write_packet(piece.payload, 0, out_);
        return;
    }
    Request& request = ledger_.front().reply;
    const bool loading = current_.plan && current_.plan->asks_for_file;
    if (piece.sequence_first != request.next_sequence &&
        !(loading && client_stage_ == ClientStage::local_file)) {
        break_off("a reply out of sequence");
        return;
    }
    if (loading && ledger_.front().treatment == Treatment::strip) {
        rewriter_.follow(piece.sequence_first);  // the client's file has numbers, too
    }
    request.next_sequence = static_cast<std::uint8_t>(piece.sequence_last + 1);
    const Stage stage = reply_.stage();
    const ReplyStep step = reply_.take(piece);
    if (step.part == ReplyPart::surprise ||
        (step.part == ReplyPart::file_requested &&
         (!loading || ledger_.front().treatment == Treatment::swallow))) {
        break_off("a reply that was not planned");
    } else if (ledger_.front().treatment == Treatment::swallow) {
        on_own_packet(stage, step, piece.payload);
    } else {
        on_client_packet_of_plan(stage, step, piece.payload);
    }
    if (ledger_.empty() && !backlog_.empty() && !blind_ && !over_) {
        const Bytes rest = server_.packets.abandon();
        go_on();
        server_.packets.feed(rest);
    }
}

/// The reply to a command of ours.
void InstrumentedConversation::on_own_packet(Stage stage, const ReplyStep& step, Bytes payload) {
    if (repair_) {
        on_prepared_again(stage, step, payload);
        return;
    }
    const bool row = stage == Stage::rows && step.part == ReplyPart::detail;
    if (row && (asking_ == Asking::rows || asking_ == Asking::level) && !read_) {
        ByteReader reader(payload);
        read_ = text_or_null(reader);
    } else if (row && asking_ == Asking::reread && reread_.empty()) {
        read_answer(payload);
    } else if (step.part == ReplyPart::prepared && asking_ == Asking::number) {
        question_ = step.prepared.statement;
    }
    if (!step.ends) {
        return;
    }
    if (completes(step.part)) {
        status_ = step.ok.status;
    }
    if (asking_ == Asking::reread && (!completes(step.part) || step.ok.warnings > 0)) {
        reread_.clear();
    }
    ledger_.pop();
    if (!ledger_.empty()) {
        reply_.begin(ledger_.front().reply.command);
    }
    if (asking_ != Asking::nothing) {
        go_on_reading();
    }
}

/// The reply to a command of the client that another text went for.
void InstrumentedConversation::on_client_packet_of_plan(Stage stage, const ReplyStep& step,
                                                        Bytes payload) {
    if (step.part == ReplyPart::error && send_again(step)) {
        return;
    }
    const Decision decision = current_;  // the plan, too, outlives what comes
    switch (rewriter_.take(stage, step, payload, out_)) {
        case Verdict::good: break;
        case Verdict::doubtful: blow_fuse("added values that were not planned"); break;
        case Verdict::broken: break_off("a reply that cannot be read"); return;
    }
    if (out_.size() > limits_.bytes_in_flight) {
        flush();
    }
    const Command command = ledger_.front().reply.command;
    const bool of_statement = command == Command::query || command == Command::stmt_execute ||
                              command == Command::stmt_fetch;
    if (of_statement && decision.rewritten && completes(step.part)) {
        on_captured_result(decision, command);
    }
    if (command == Command::stmt_execute && !rewriter_.columns().empty()) {
        const auto found = prepared_.find(numbers_.meant(statement_));
        if (found != prepared_.end()) found->second.columns = rewriter_.columns();
    } else if (command == Command::stmt_prepare && step.ends && step.part != ReplyPart::error) {
        const auto found = prepared_.find(numbers_.meant(last_prepared));
        if (found != prepared_.end()) {
            found->second.columns = rewriter_.columns();
            found->second.description = rewriter_.description();
        }
    }
    on_step(step, now_);
    if (step.ends && script_.running()) {
        end_part(step);
    }
}

/// What the added columns have told is complete.
void InstrumentedConversation::on_captured_result(const Decision& decision, Command command) {
    const sql::Plan& plan = *decision.plan;
    if (plan.full_when_known != 0 && plan.full_when_known == rewriter_.rows()) {
        cover(Coverage::full, {});
    }
    cover_gaps();
    if (recorder_.lost() > 0 || recorder_.nameless() > 0) {
        current_.reread = {};  // coverage stays what it is now
    } else if (plan.reread.spare && !recorder_.cut() &&
               (rewriter_.rows() > 0 || !plan.silent_when_empty)) {
        current_.reread = {};
        if (plan.reread.completes) cover(Coverage::full, {});
    } else if (plan.silent_when_empty && rewriter_.rows() == 0 &&
               decision.coverage == Coverage::full) {
        cover(Coverage::partial, "no row to tell what was read");
    }
    const bool told_in_time =
        command != Command::stmt_fetch || status_.has(StatusFlag::in_transaction);
    if (!fused_ && told_in_time && plan.afterwards.empty()) {
        recorder_.tell();
    } else if (fused_) {
        cover(Coverage::opaque, "fuse");
    }
    recorder_.begin(plan, observation_->statement());
    if (plan.reply == sql::ReplyChange::rebuild) {
        row_count_ = rewriter_.rows();
    }
}

/// A text of ours that the server refuses is none of the client's business: it gets the answer to
/// its own text. True when that was sent.
bool InstrumentedConversation::send_again(const ReplyStep& step) {
    const Command command = ledger_.front().reply.command;
    const bool harmless = command == Command::stmt_prepare || refuses_the_text(step.error.number);
    if (harmless && command == Command::stmt_execute && !rewriter_.has_spoken()) {
        prepare_again();
        return true;
    }
    if (original_.empty() || !harmless || rewriter_.has_spoken()) {
        return false;
    }
    if (script_.running()) {
        const bool unread = current_.rewritten || cannot_be_read(step.error.number);
        if (unread) send_rest_as_it_came();
        return unread;
    }
    actions_->send_own(Side::server, std::exchange(original_, {}));
    stop_rewriting("refused by the server");
    if (command == Command::query) {
        cover(current_.coverage, current_.reason);
    }
    ledger_.front().treatment = Treatment::forward;
    ledger_.front().reply.next_sequence = 1;
    reply_.begin(command);
    plans_.on_schema_changed(context_.id(plans_));
    sent_again_ = true;
    return true;
}

void InstrumentedConversation::stop_rewriting(std::string_view reason) {
    current_.rewritten = false;
    current_.told = false;
    current_.plan.reset();
    current_.coverage = Coverage::opaque;
    current_.reason = reason;
    current_.reread = {};
}

void InstrumentedConversation::flush() {
    if (!out_.empty()) {
        actions_->send_own(Side::client, std::exchange(out_, {}));
    }
}

void InstrumentedConversation::blow_fuse(std::string_view why) {
    if (!std::exchange(fused_, true)) {
        notes_.take(Note::fuse, why);
    }
}

/// A reply that the client waits for cannot be made. It gets an error and its connection ends: a
/// wrong answer would be worse.
void InstrumentedConversation::break_off(std::string_view why) {
    blow_fuse(why);
    observation_->lost(now_);
    ErrorPacket error;
    error.number = 1053;
    error.sql_state = {'0', '8', 'S', '0', '1'};
    error.message = "isotap: a reply of the server could not be read";
    encode_error(error, rewriter_.sequence(), out_);
    flush();
    over_ = true;
    actions_->add(ActionKind::finish);
}

}  // namespace isotap::mysql::instrument
