#include "protocol/mysql/instrument/instrumented_conversation.hpp"

#include <utility>

/// From call to call: what waits, who is asked in a silence, how it ends.
namespace isotap::mysql::instrument {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Phase;
using protocol::Side;
using protocol::Treatment;

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
      rewriter_(channel.in_force, recorder_) {
    observation.session_level(std::nullopt);
}

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

/// A client that is silent behind a write of its own has the rows told as well: what it committed
/// may have closed a cycle, and the next command may come tomorrow.
void InstrumentedConversation::on_woken(Time now, Actions& actions) {
    now_ = now;
    actions_ = &actions;
    wake_due_ = false;
    if (!unread_ || !nobody_would_notice()) {
        return;
    }
    if (may_ask()) {
        row_count_ = unread_->step.ok.affected_rows;
        read_rows();
    } else {
        wake();
    }
}

void InstrumentedConversation::wake() {
    if (!std::exchange(wake_due_, true)) {
        actions_->add(ActionKind::wake);
    }
}

/// ROW_COUNT() can be answered behind a question of ours, the other counts and warnings cannot.
bool InstrumentedConversation::nobody_would_notice() const noexcept {
    const OkPacket& ok = unread_->step.ok;
    return !counts_in_use_ && ok.warnings == 0 && !ok.status.has(StatusFlag::in_transaction) &&
           has_questions(*unread_);
}

/// Nothing is with the server, and nothing of the client is on its way.
bool InstrumentedConversation::may_ask() const noexcept {
    return asking_ == Asking::nothing && !blind_ && !over_ && ledger_.empty() && kept_.empty() &&
           backlog_.empty() && fate_ == Fate::undecided && client_stage_ == ClientStage::command;
}

/// A client that goes without a word still has its rows told.
void InstrumentedConversation::on_client_end(Time now, Actions& actions) {
    now_ = now;
    actions_ = &actions;
    client_ended_ = true;
    settle();
}

/// A client may go ahead of the reply to its write, or of that to a command of ours behind it.
bool InstrumentedConversation::owes_server() const noexcept {
    const bool rows_to_come = client_ended_ && !ledger_.empty() && (unread_ || collects());
    return !over_ && (!backlog_.empty() || asking_ != Asking::nothing || rows_to_come);
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
    if (blind_ && script_.running()) {
        break_off("lost amidst a text of several statements");
    } else if (blind_) {
        forward_kept();
        if (!backlog_.empty()) {
            actions_->send_own(Side::server, std::exchange(backlog_, {}));
        }
        actions_->add(ActionKind::go_blind);
    } else if (backlog_.size() - script_.waiting() > limits_.pipelined_bytes && !holding_) {
        hold();
    } else if (client_ended_ && unread_ && may_ask()) {
        read_rows();
    }
}

void InstrumentedConversation::hold() {
    holding_ = true;
    actions_->add(ActionKind::hold);
}

bool InstrumentedConversation::must_wait() const noexcept {
    return holding_ || (client_stage_ == ClientStage::command && !ledger_.empty());
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
        reread_.clear();
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
