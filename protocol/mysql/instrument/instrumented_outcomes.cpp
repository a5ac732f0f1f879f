#include <utility>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"

/// What it means that a command has succeeded or failed.
namespace isotap::mysql::instrument {

using history::Coverage;

/// The server took the client's own text where it had refused ours: what was proved does not hold.
void InstrumentedConversation::note_refusal() {
    constexpr unsigned refusals_max = 3;
    if (std::exchange(sent_again_, false) && ++refusals_ == refusals_max) {
        blow_fuse("the server refuses what was proved");
    }
}

void InstrumentedConversation::on_prepared(const PrepareOk& prepared) {
    Conversation::on_prepared(prepared);
    note_refusal();
    numbers_.prepared(prepared.statement);
    forget_prepared(prepared.statement);
    if (prepared_.size() >= limits_.named_statements && !current_.rewritten) {
        return;
    }
    // One that is rewritten must be known: its rows have columns that are not the client's.
    Prepared& made = prepared_[prepared.statement];
    made.decision = current_;
    made.parameters = prepared.parameters;
    made.context = context_.id(plans_);
    if (current_.rewritten) {
        made.text = as_text(Bytes(original_).subspan(header_size + 1));
        made.may_be_bulk =
            channel_.in_force.has(Capability::mariadb_bulk_operations) && current_.plan->writes();
    }
}

/// A write whose rows are to be asked for is not through before they have come.
void InstrumentedConversation::on_success(const Request& request, const ReplyStep& step, Time now) {
    note_refusal();
    const bool of_statement =
        request.command == Command::query || request.command == Command::stmt_execute;
    const bool rereads = of_statement && can_reread(step);
    if (of_statement && (collects() || rereads) && step.ends) {
        status_ = step.ok.status;
        unname_writer_behind_reply();
        unread_.emplace(Unread{current_.plan,
                               rereads ? current_.reread : sql::Question(),
                               current_.reread_execution,
                               request.command,
                               numbers_.meant(statement_),
                               step,
                               {step.ok.session_state.begin(), step.ok.session_state.end()},
                               now,
                               read_records(as_text(step.ok.info)),
                               read_load_counts(as_text(step.ok.info))});
        if (nobody_would_notice()) wake();
        return;
    }
    if (of_statement || request.command == Command::stmt_bulk_execute) {
        note_untold_writes(!current_.only_reads);
    }
    const history::StatementRef before = observation_->statement();
    if (request.command == Command::query && empties_tables()) {
        recorder_.tell_emptied(*current_.plan, before);
    }
    Conversation::on_success(request, step, now);
    if (!step.ends && !(observation_->statement() == before)) {
        cover_next_of_script();
    }
    if (request.command == Command::reset_connection) {
        prepared_.clear();
        numbers_.reset();
        context_.on_reset();
        observation_->settings_reset();
        observation_->session_level(std::nullopt);
        level_asked_ = false;
        variables_ready_ = false;
    } else if (step.ends) {
        tell_of_tables(current_.effect, step.ok.warnings != 0);
        on_effect(std::exchange(current_.effect, {}));
    }
}

void InstrumentedConversation::on_failure(const Request& request, const ReplyStep& step, Time now) {
    sent_again_ = false;
    row_count_.reset();
    unname_writer_behind_reply();
    if (current_.rewritten && !current_.plan->afterwards.empty()) {
        variables_ready_ = false;
    }
    // Some statements of the text may have succeeded before.
    if (current_.effect.kind == StatementEffect::Kind::schema) {
        on_effect(current_.effect);
    }
    Conversation::on_failure(request, step, now);
}

void InstrumentedConversation::on_effect(const StatementEffect& effect) {
    if (effect.kind == StatementEffect::Kind::schema) {
        plans_.on_schema_changed(context_.id(plans_));
    }
    context_.on_effect(effect);
}

/// The statement behind the one that has ended, in a text of several.
void InstrumentedConversation::cover_next_of_script() {
    if (others_begun_ < current_.others.size()) {
        const auto& [coverage, reason] = current_.others[others_begun_++];
        cover(coverage, reason);
    } else {
        cover(Coverage::opaque, "several statements");
    }
}

/// A table that was there already is warned of.
void InstrumentedConversation::tell_of_tables(const StatementEffect& effect, bool warned) noexcept {
    for (const StatementEffect::Made& one : effect.made) {
        if (!one.unless_there || !warned) {
            plans_.on_table_made(context_.id(plans_), one.schema, one.table);
        }
    }
}

}  // namespace isotap::mysql::instrument
