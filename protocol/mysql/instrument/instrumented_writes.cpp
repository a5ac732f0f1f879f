#include <algorithm>
#include <string>
#include <utility>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/instrument/told_write.hpp"
#include "protocol/sql/isolation_variable.hpp"

/// What goes beside a write: commands of ours that name its writer and ask for the rows that it
/// noted in variables, and what becomes of them.
namespace isotap::mysql::instrument {

using history::Coverage;
using protocol::Side;
using protocol::Treatment;

/// A command that the client has not sent, and whose reply it does not get.
void InstrumentedConversation::send_own_query(std::string_view text) {
    std::vector<std::uint8_t> payload{static_cast<std::uint8_t>(Command::query)};
    if (channel_.in_force.has(Capability::query_attributes)) {
        payload.insert(payload.end(), {0, 1});  // none, in one set
    }
    payload.insert(payload.end(), text.begin(), text.end());
    send_own_command(Command::query, payload);
}

void InstrumentedConversation::send_own_command(Command command, Bytes payload) {
    std::vector<std::uint8_t> out;
    write_packet(payload, 0, out);
    actions_->send_own(Side::server, std::move(out));
    push(command, Piece(), 0, Treatment::swallow, {});
}

/// A variable that is not there yet counts as a constant where a statement names it ahead of its
/// assignment: of all rows, the last one alone would be noted. And a write that has failed leaves
/// its rows behind.
void InstrumentedConversation::ready_variables(const sql::Plan& plan) {
    if (!plan.afterwards.empty() && !std::exchange(variables_ready_, true)) {
        send_own_query("set @isotap_done='',@isotap_rows=''");
    }
}

/// Ahead of all that the client says: nothing of its own is forgotten over it, and no transaction
/// begins with it. FOUND_ROWS() is 0 in a new session, and again behind what finds nothing.
void InstrumentedConversation::ask_for_level() {
    read_.reset();
    asking_ = Asking::level;
    send_own_query("select @@session." +
                   std::string(sql::isolation_variable(observation_->lexing())));
    send_own_query("select 1 from dual where false");
}

void InstrumentedConversation::read_rows() {
    read_.reset();
    reread_.clear();
    if (unread_->plan->afterwards.empty()) {
        put_question();
    } else {
        asking_ = Asking::rows;
        send_own_query(unread_->plan->afterwards);
    }
}

/// The server has answered a question of ours.
void InstrumentedConversation::go_on_reading() {
    const Asking answered = std::exchange(asking_, Asking::nothing);
    if (answered == Asking::level) {
        observation_->session_level(read_);
    } else if (answered == Asking::rows && read_ && unread_->reread.wanted()) {
        put_question();
    } else if (answered == Asking::number && question_) {
        execute_question(*question_);
    } else if (read_) {
        end_unread(*read_);
    } else {
        end_unread(std::nullopt);
    }
}

/// What the statement read cannot have changed before the client's next command, which waits for
/// the answer. It takes a row that was touched to know that the statement came to read at all, and
/// warnings are the client's: asking forgets them.
bool InstrumentedConversation::can_reread(const ReplyStep& step) const {
    const bool touched = step.part == ReplyPart::ok ? step.ok.affected_rows > 0
                         : step.part == ReplyPart::result_set
                             ? step.rows > 0 || (current_.plan && current_.plan->reread.of_result)
                             : false;
    const bool unvalued = !current_.reread.parameters.empty() && current_.reread_execution.empty();
    if (fused_ || !current_.reread.wanted() || unvalued || !touched || step.ok.warnings > 0 ||
        !step.ok.status.has(StatusFlag::in_transaction)) {
        return false;
    }
    const auto level = observation_->level();
    return level == history::IsolationLevel::repeatable_read ||
           (level == history::IsolationLevel::serializable &&
            current_.plan->reread.hold == sql::Reread::Hold::locks);
}

/// What a statement reads twice is the same both times, all of it read and none of it locked; and
/// no question behind it would tell it for less.
bool InstrumentedConversation::may_read_twice() const {
    const auto level = observation_->level();
    const bool snapshot = level == history::IsolationLevel::repeatable_read;
    const bool asked_behind =
        current_.plan->reread.of_result && status_.has(StatusFlag::in_transaction);
    return !results_limited_ && !observation_->level_assumed() &&
           (level == history::IsolationLevel::read_committed || (snapshot && !asked_behind));
}

/// The triggers on tables of Oracle's MySQL find the writer in a variable. It is theirs for this
/// statement alone: what follows may be one that nobody reads.
void InstrumentedConversation::name_writer(const history::StatementRef& statement) {
    send_own_query("set " + std::string(writer_variable) + "='" + stamp_of(statement) +
                   "',@isotap_done='',@isotap_rows=''");
}

/// Neither the warnings of the client's statement nor ROW_COUNT() survive any other statement than
/// one that asks for diagnostics.
void InstrumentedConversation::unname_writer() {
    send_own_query("get diagnostics " + std::string(writer_variable) + "=number");
}

/// A server that waits for a file takes all that comes for the file. And where it cannot read a
/// part of a text, all of the text comes next.
bool InstrumentedConversation::is_unnamed_behind_reply() const noexcept {
    return current_.plan->asks_for_file || script_.running();
}

void InstrumentedConversation::unname_writer_behind_reply() {
    if (current_.told && is_unnamed_behind_reply()) {
        unname_writer();
    }
}

/// Asking for the rows of a write changes what the client's next statement tells of it. MySQL
/// forgets the warnings, too.
bool InstrumentedConversation::would_show(const Decision& next) const noexcept {
    return next.counts_mentioned || (next.diagnostics_mentioned && unread_->step.ok.warnings > 0 &&
                                     unread_->plan->told_by_triggers);
}

/// The rows of the statement have come, or will not: now it is through.
void InstrumentedConversation::end_unread(std::optional<std::string_view> rows) {
    const Unread unread = *std::exchange(unread_, std::nullopt);
    recorder_.begin(*unread.plan, observation_->statement());
    if (!unread.plan->afterwards.empty() && !rows) {
        variables_ready_ = false;
        cover(Coverage::opaque, "rows not asked for");
        observation_->mark_incomplete();
    } else {
        const bool whole = !rows || record_written(unread, *rows);
        record_reread(*unread.plan, whole);
        recorder_.tell();
    }
    note_untold_writes(!unread.plan->afterwards.empty());
    ReplyStep step = unread.step;
    step.ok.info = {};
    step.ok.session_state = unread.session_state;
    observation_->command_succeeded(unread.command, step, unread.at);
}

/// Rows that the statement has written and that bear no stamp of it look to later reads as others
/// have left them, and are not of the transaction's snapshot.
void InstrumentedConversation::note_untold_writes(bool writes) {
    const Coverage coverage = observation_->coverage();
    if (writes && (coverage == Coverage::partial || coverage == Coverage::opaque)) {
        recorder_.note_untold_writes(observation_->statement().transaction);
    }
}

/// True where nothing is missing.
bool InstrumentedConversation::record_written(const Unread& unread, std::string_view rows) {
    const sql::Plan& plan = *unread.plan;
    const std::uint64_t affected = unread.step.ok.affected_rows;
    const bool whole =
        plan.told_by_triggers ? record_told(plan, rows, affected) : record_noted(unread, rows);
    const bool none_skipped = plan.full_when_none_skipped && unread.loaded &&
                              unread.loaded->skipped == 0 && unread.loaded->removed == 0;
    const bool all_known = plan.full_when_known != 0 && plan.full_when_known == affected;
    if (whole && (none_skipped || all_known)) {
        cover(Coverage::full, {});
    }
    return whole;
}

/// What the statement says that it has written is not told. Always false: something is missing.
bool InstrumentedConversation::believe_nothing(const sql::Plan& plan, std::string_view why) {
    recorder_.begin(plan, observation_->statement());
    cover(Coverage::opaque, why);
    observation_->mark_incomplete();
    return false;
}

/// What was read is told as well, and that may be all that was missing.
void InstrumentedConversation::record_reread(const sql::Plan& plan, bool whole) {
    const auto columns = std::exchange(reread_, {});
    if (columns.empty() || fused_) {
        return;
    }
    if (!recorder_.record_reread(columns)) {
        blow_fuse("rows read again that cannot be read");
        cover(Coverage::opaque, "fuse");
    } else if (whole && cover_gaps() && plan.reread.completes) {
        cover(Coverage::full, {});
    }
}

/// The rows that MariaDB's statement has noted itself. The server has counted them as well: those
/// that an INSERT works on, or those that an UPDATE changes. One that was there already for an
/// INSERT … ON DUPLICATE KEY UPDATE counts twice.
bool InstrumentedConversation::record_noted(const Unread& unread, std::string_view rows) {
    const sql::Plan& plan = *unread.plan;
    const std::uint64_t affected = unread.step.ok.affected_rows;
    if (plan.loads && (!unread.loaded || unread.loaded->skipped > 0)) {
        // Those that were skipped are noted, too, and nothing says which they are. Where all were,
        // nothing is missing of what was written.
        return affected > 0 && believe_nothing(plan, "rows that IGNORE skips");
    }
    const auto noted = recorder_.record_written(rows);
    if (!noted) {
        blow_fuse("a list of rows that cannot be read");
        return believe_nothing(plan, "fuse");
    }
    const bool whole = cover_gaps(affected);
    const bool of_insert = plan.tables.front().kind == history::AccessKind::insert;
    const std::uint64_t matched = channel_.in_force.has(Capability::found_rows) ? noted->kept : 0;
    const std::uint64_t expected = noted->inserted + noted->updated + matched;
    const bool agrees = of_insert ? noted->inserted == unread.records.value_or(1)
                                  : affected == expected || affected == expected + noted->updated;
    if (recorder_.lost() == 0 && !agrees) {
        // Expressions did not run as they stand.
        return believe_nothing(plan, "rows that were not noted");
    }
    return whole;
}

/// The server has counted the rows as well: where it knows of others, a trigger is missing, or does
/// not know of a column.
bool InstrumentedConversation::record_told(const sql::Plan& plan, std::string_view rows,
                                           std::uint64_t affected) {
    const auto told = recorder_.record_told(rows);
    if (!told) {
        blow_fuse("a list of rows that cannot be read");
        return believe_nothing(plan, "fuse");
    }
    std::uint64_t expected = told->inserted + told->updated + told->removed;
    if (channel_.in_force.has(Capability::found_rows)) {
        expected += told->kept;
    }
    if (plan.tables.front().kind == history::AccessKind::insert) {
        expected += told->updated;  // ON DUPLICATE KEY UPDATE counts twice
    }
    const bool whole = cover_gaps(affected);
    if (recorder_.lost() == 0 && expected != affected) {
        cover(Coverage::partial, "rows that no trigger told");
        observation_->mark_incomplete();
        return false;
    }
    return whole;
}

/// False where there are some.
bool InstrumentedConversation::cover_gaps(std::uint64_t affected) {
    if (recorder_.lost() > 0) {
        constexpr std::string_view why = "too many rows";
        cover(Coverage::partial, why);
        // Where the server itself leaves rows out, only its count of them tells how many.
        const std::uint64_t told = recorder_.collected();
        const std::uint64_t missing = affected > told ? affected - told : 0;
        recorder_.tell_gap(session_, now_, std::max(recorder_.lost(), missing), why);
    } else if (recorder_.nameless() > 0) {
        cover(Coverage::partial, "rows without a name");
    }
    return recorder_.lost() == 0 && recorder_.nameless() == 0;
}

}  // namespace isotap::mysql::instrument
