#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/messages/execute_request.hpp"

/// A prepared text of ours does not fit its tables any more: the columns were taken away behind our
/// back, or a temporary table has come before the one that was meant. The client's own text is
/// prepared in its place, and executed with what the client has sent.
namespace isotap::mysql::instrument {

using protocol::Side;
using protocol::Treatment;

/// More of the packet that the client has sent. One that gets too long is not kept.
void InstrumentedConversation::remember_execute(Bytes bytes) {
    if (original_.size() + bytes.size() > limits_.observed_message) {
        original_.clear();
    } else if (!original_.empty()) {
        original_.insert(original_.end(), bytes.begin(), bytes.end());
    }
}

/// The server has refused to execute a text of ours.
void InstrumentedConversation::prepare_again() {
    const auto found = prepared_.find(numbers_.meant(statement_));
    ledger_.pop();
    assert(ledger_.empty());  // what goes behind an execution is for those that are not rewritten
    plans_.on_schema_changed(context_.id(plans_));
    stop_rewriting("refused by the server");
    cover(current_.coverage, current_.reason);
    if (found == prepared_.end() || !means_the_same(found->second) || original_.empty()) {
        demand_to_prepare_again();
        return;
    }
    repair_.emplace(Repair{});
    send_prepare(found->second);
}

/// The names in its text mean what they meant when the client prepared it.
bool InstrumentedConversation::means_the_same(const Prepared& statement) {
    return observation_->lexing().certain && context_.obstacle().empty() &&
           statement.context == context_.id(plans_);
}

void InstrumentedConversation::send_prepare(const Prepared& statement) {
    std::vector<std::uint8_t> payload{static_cast<std::uint8_t>(Command::stmt_prepare)};
    payload.insert(payload.end(), statement.text.begin(), statement.text.end());
    numbers_.begin_to_differ();
    send_own_command(Command::stmt_prepare, payload);
}

/// One writer is named for one execution, and a bulk has no rows to tell of what it wrote. True
/// where the client's own text is being prepared for it: then it comes again behind the answer.
bool InstrumentedConversation::prepare_for_bulk(std::uint32_t statement, std::string_view why) {
    const auto found = prepared_.find(statement);
    if (found == prepared_.end() || !found->second.may_be_bulk ||
        !found->second.decision.rewritten) {
        return false;
    }
    found->second.decision = {};
    found->second.decision.reason = why;
    repair_.emplace(Repair{});
    repair_->for_bulk = statement;
    send_prepare(found->second);
    return true;
}

/// What the client has prepared means what its names meant then: behind a command that changes
/// that, its text cannot be prepared again. True where one of them is being prepared now.
bool InstrumentedConversation::prepare_all_for_bulk() {
    return std::any_of(prepared_.begin(), prepared_.end(), [this](const auto& one) {
        return prepare_for_bulk(one.first, "prepared where names meant something else");
    });
}

/// Where the server refuses the client's text, it refuses ours as well, for the same reason.
void InstrumentedConversation::on_prepared_for_bulk(std::uint32_t statement,
                                                    const PrepareOk* prepared) {
    const auto found = prepared_.find(statement);
    if (prepared != nullptr && found != prepared_.end()) {
        close_at_server(numbers_.of_server(statement));
        numbers_.replace(statement, prepared->statement);
        found->second.columns.clear();
    }
}

void InstrumentedConversation::on_prepared_again(ReplyReader::Stage stage, const ReplyStep& step,
                                                 Bytes payload) {
    if (step.part == ReplyPart::prepared) {
        repair_->statement = step.prepared;
    } else if (stage == ReplyReader::Stage::prepared_columns) {
        repair_->description = described_with(repair_->description, payload);
    }
    if (!step.ends) {
        return;
    }
    const Repair repair = *std::exchange(repair_, std::nullopt);
    ledger_.pop();
    if (repair.for_bulk) {
        on_prepared_for_bulk(*repair.for_bulk,
                             step.part == ReplyPart::error ? nullptr : &repair.statement);
    } else if (step.part == ReplyPart::error) {
        // So the server would have answered had it prepared the client's text a second time itself.
        push(Command::stmt_execute, Piece(), statement_, Treatment::forward, {});
        write_packet(payload, 1, out_);
        on_step(step, now_);
    } else {
        execute_again(repair);
    }
}

void InstrumentedConversation::execute_again(const Repair& repair) {
    const std::uint32_t number = numbers_.meant(statement_);
    const auto found = prepared_.find(number);
    const Bytes payload = Bytes(original_).subspan(header_size);
    const auto request = decode_execute(payload, repair.statement.parameters, channel_.in_force);
    const bool typed = request && (request->types_follow_at == 0 || !request->types.empty() ||
                                   !found->second.types.empty());
    // A client that keeps the description would go by one that does not hold any more.
    const bool described = !channel_.in_force.has(Capability::mariadb_cache_metadata) ||
                           repair.description == found->second.description;
    if (!typed || !described || repair.statement.parameters != found->second.parameters) {
        close_at_server(repair.statement.statement);
        demand_to_prepare_again();
        return;
    }
    close_at_server(numbers_.of_server(number));
    numbers_.replace(number, repair.statement.statement);
    std::vector<std::uint8_t> out;
    write_packet(
        execute_of(repair.statement.statement, payload, *request, Bytes(found->second.types)), 0,
        out);
    found->second.decision = current_;
    found->second.columns.clear();
    actions_->send_own(Side::server, std::move(out));
    push(Command::stmt_execute, Piece(), statement_, Treatment::forward, {});
}

/// No command can be made of what is left of the client's. It is told what servers tell where they
/// cannot prepare a text a second time themselves: drivers know that they have to.
void InstrumentedConversation::demand_to_prepare_again() {
    ReplyStep step;
    step.part = ReplyPart::error;
    step.ends = true;
    step.error.number = 1615;
    step.error.sql_state = {'H', 'Y', '0', '0', '0'};
    step.error.message = "Prepared statement needs to be re-prepared";
    push(Command::stmt_execute, Piece(), statement_, Treatment::forward, {});
    encode_error(step.error, 1, out_);
    on_step(step, now_);
}

void InstrumentedConversation::close_at_server(std::uint32_t statement) {
    std::vector<std::uint8_t> payload{static_cast<std::uint8_t>(Command::stmt_close)};
    append_short(static_cast<std::uint16_t>(statement), payload);
    append_short(static_cast<std::uint16_t>(statement >> 16), payload);
    std::vector<std::uint8_t> out;
    write_packet(payload, 0, out);
    actions_->send_own(Side::server, std::move(out));
}

/// The number by which the client calls a statement becomes the one by which the server does. To
/// MySQL 'the last one' is an unknown number.
void InstrumentedConversation::name_for_server(std::vector<std::uint8_t>& packet) const {
    if (!numbers_.differ() || packet.size() < statement_end) {
        return;
    }
    const std::uint32_t number = ByteReader(Bytes(packet).subspan(statement_at)).le32();
    if (number != last_prepared || observation_->lexing().mariadb) {
        name_statement(numbers_.of_server(number), std::span(packet).subspan(header_size));
    }
}

}  // namespace isotap::mysql::instrument
