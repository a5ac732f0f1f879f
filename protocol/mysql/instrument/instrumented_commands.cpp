// What goes to the server for a command that has a text, and for the execution of one.
#include <algorithm>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/instrument/told_write.hpp"
#include "protocol/mysql/messages/query_request.hpp"

namespace isotap::mysql::instrument {

using protocol::Side;
using protocol::Treatment;

namespace {

/// A variable is of the character set that its session had when it was set; the column is in ascii.
constexpr std::string_view prepared_stamp = "convert(@isotap_writer using ascii)";

}  // namespace

void InstrumentedConversation::on_withheld(Bytes packet, const Piece& piece) {
    const Bytes payload = packet.subspan(header_size);
    const auto command = static_cast<Command>(payload.front());
    if (piece.sequence_first != 0) {
        forward(packet);
        give_up(protocol::Note::desynchronised, "no command where one was due");
        return;
    }
    std::string_view text = as_text(payload.subspan(1));
    std::optional<Script::Cut> cut;
    if (command == Command::query) {
        text = decode_query_text(payload, channel_.in_force).value_or("");
        cut = cut_script(packet, text);
        text = cut ? cut->statement : text;
    }
    Decision decision;
    if (command == Command::init_db) {
        decision.effect = {StatementEffect::Kind::database, std::string(text)};
    } else {
        decision = decide(text, command);
    }
    const bool first = !std::exchange(level_asked_, true);
    if (first && !decision.counts_mentioned && !decision.diagnostics_mentioned) {
        ask_for_level();
        postpone(packet);
        return;
    }
    if (decision.wait) {
        hold();
        insist_ = true;
        postpone(packet);
        return;
    }
    if (unread_ && decision.diagnostics_mentioned) {
        unread_->reread = {};
    }
    if (unread_ && (would_show(decision) || !has_questions(*unread_))) {
        end_unread(std::nullopt);
    } else if (unread_) {
        read_rows();
        postpone(packet);
        return;
    }
    const auto changes = decision.effect.kind;
    const bool names_move = changes == StatementEffect::Kind::database ||
                            changes == StatementEffect::Kind::settings ||
                            !context_.obstacle().empty() || !observation_->lexing().certain;
    if (names_move && prepare_all_for_bulk()) {
        postpone(packet);
        return;
    }
    insist_ = false;
    counts_in_use_ = counts_in_use_ || decision.counts_mentioned;
    original_.clear();
    switch (command) {
        case Command::query:
            if (cut) {
                run_part(packet, *cut, std::move(decision), piece);
            } else {
                if (script_.running()) begin_part({}, {});
                run_query(packet, text, std::move(decision), piece);
            }
            break;
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
    if (current_.plan && current_.plan->otherwise && !may_read_twice()) {
        current_.plan = current_.plan->otherwise;
        follow_plan(current_, text.substr(current_.begin, current_.end - current_.begin),
                    Command::query);
    }
    if (empties_tables() &&
        (status_.has(StatusFlag::in_transaction) || observation_->statement().ordinal != 1)) {
        // It commits what is open and is a transaction of its own, which the history does not show.
        stop_rewriting("truncate");
    }
    others_begun_ = 0;
    cover(current_.coverage, current_.reason);
    Treatment treatment = Treatment::forward;
    if (current_.rewritten) {
        const history::StatementRef ref = observation_->statement();
        const std::string stamp = "'" + stamp_of(ref) + "'";
        ready_variables(*current_.plan);
        if (send_rewritten(packet, text, current_, stamp)) {
            recorder_.begin(*current_.plan, ref);
            rewriter_.begin(*current_.plan, ReplyRewriter::Form::text, script_.sequence());
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
        if (script_.running()) {
            rewriter_.begin(as_it_came_, ReplyRewriter::Form::text, script_.sequence());
            treatment = Treatment::strip;
        }
    }
    if (script_.waiting() > 0) {
        rewriter_.promise_more();
    }
    row_count_.reset();
    push(Command::query, piece, 0, treatment, {});
    if (current_.told && !is_unnamed_behind_reply()) {
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
    if (payload.size() >= std::min<std::size_t>(frame_size_max, decision.plan->text_max)) {
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
    statement_ = ByteReader(Bytes(kept_).subspan(statement_at)).le32();
    executing_ = true;
    row_count_.reset();
    observation_->statement_executed(statement_, now_);
    original_.clear();
    const auto found = prepared_.find(executed_statement());
    current_ = found == prepared_.end() ? Decision{} : found->second.decision;
    if (found == prepared_.end()) {
        current_.reason = "unknown statement";
    }
    others_begun_ = 0;
    cover(current_.coverage, current_.reason);
    if (current_.told) {
        name_writer(observation_->statement());
    }
    const bool asks = !current_.reread.parameters.empty();
    if (!current_.rewritten && !asks) {
        return;
    }
    if (!std::exchange(found->second.long_data, false) &&
        kept_.size() <= limits_.observed_message) {
        original_ = kept_;
    }
    if (!current_.rewritten) {
        return;
    }
    const history::StatementRef ref = observation_->statement();
    found->second.executed = ref;
    const auto& splices = current_.plan->splices;
    const bool stamped = std::any_of(splices.begin(), splices.end(),
                                     [](const sql::Splice& one) { return one.has_stamp(); });
    ready_variables(*current_.plan);
    if (stamped) {
        send_own_query("set " + std::string(writer_variable) + "='" + stamp_of(ref) + "'");
    }
    if (current_.plan->reply == sql::ReplyChange::rebuild && kept_.size() >= execute_head) {
        // A cursor over nothing is what the client asked for; one over a RETURNING of ours crashes
        // MariaDB 10.11.
        kept_[execute_head - 1] = 0;
    }
    recorder_.begin(*current_.plan, ref);
    rewriter_.begin(*current_.plan, ReplyRewriter::Form::binary, 1, found->second.columns);
}

void InstrumentedConversation::on_end_of_execute(const Piece& piece) {
    read_parameters();
    push(Command::stmt_execute, piece, statement_,
         current_.rewritten ? Treatment::strip : Treatment::forward, {});
    if (current_.told) {
        unname_writer();
    }
}

}  // namespace isotap::mysql::instrument
