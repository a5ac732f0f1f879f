#include <string>
#include <utility>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/instrument/told_write.hpp"

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
    std::vector<std::uint8_t> out;
    write_packet(payload, 0, out);
    actions_->send_own(Side::server, std::move(out));
    push(Command::query, Piece(), 0, Treatment::swallow, {});
}

void InstrumentedConversation::forget_rows_of_failed_writes(const sql::Plan& plan) {
    if (!plan.afterwards.empty() && std::exchange(rows_left_behind_, false)) {
        send_own_query("set @isotap_done='',@isotap_rows=''");
    }
}

void InstrumentedConversation::read_rows() {
    reading_ = true;
    read_.reset();
    send_own_query(unread_->plan->afterwards);
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

/// Asking for the rows of a write changes what the client's next statement tells of it. MySQL
/// forgets the warnings, too.
bool InstrumentedConversation::would_show(const Decision& next) const noexcept {
    return next.counts_mentioned || (next.diagnostics_mentioned && unread_->step.ok.warnings > 0 &&
                                     unread_->plan->told_by_triggers);
}

/// The rows of the write have come, or will not: now it is through.
void InstrumentedConversation::end_unread(std::optional<std::string_view> rows) {
    const Unread unread = *std::exchange(unread_, std::nullopt);
    recorder_.begin(*unread.plan, observation_->statement());
    if (!rows) {
        rows_left_behind_ = true;
        cover(Coverage::opaque, "rows not asked for");
        observation_->mark_incomplete();
    } else if (unread.plan->told_by_triggers) {
        record_told(*unread.plan, *rows, unread.step.ok.affected_rows);
    } else if (!recorder_.record_written(*rows)) {
        blow_fuse("a list of rows that cannot be read");
        cover(Coverage::opaque, "fuse");
    } else {
        cover_gaps();
        recorder_.tell();
    }
    ReplyStep step = unread.step;
    step.ok.session_state = unread.session_state;
    observation_->command_succeeded(unread.command, step, unread.at);
}

/// The server has counted the rows as well: where it knows of others, a trigger is missing, or does
/// not know of a column.
void InstrumentedConversation::record_told(const sql::Plan& plan, std::string_view rows,
                                           std::uint64_t affected) {
    const auto told = recorder_.record_told(rows);
    if (!told) {
        blow_fuse("a list of rows that cannot be read");
        cover(Coverage::opaque, "fuse");
        observation_->mark_incomplete();
        return;
    }
    std::uint64_t expected = told->inserted + told->updated + told->removed;
    if (channel_.in_force.has(Capability::found_rows)) {
        expected += told->kept;
    }
    if (plan.tables.front().kind == history::AccessKind::insert) {
        expected += told->updated;  // ON DUPLICATE KEY UPDATE counts twice
    }
    cover_gaps();
    if (recorder_.lost() == 0 && expected != affected) {
        cover(Coverage::partial, "rows that no trigger told");
        observation_->mark_incomplete();
    }
    recorder_.tell();
}

void InstrumentedConversation::cover_gaps() {
    if (recorder_.lost() > 0) {
        cover(Coverage::partial, "too many rows");
    } else if (recorder_.nameless() > 0) {
        cover(Coverage::partial, "rows without a name");
    }
}

}  // namespace isotap::mysql::instrument
