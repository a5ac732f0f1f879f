#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"
#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/instrument/result_row.hpp"
#include "protocol/mysql/messages/execute_request.hpp"

/// What is asked behind a statement that has parameters has parameters, too. It is prepared like
/// the client's own text, as the server takes a value for another thing in a literal.
namespace isotap::mysql::instrument {

/// The client's packet has gone. What it says of its parameters holds for later executions, too;
/// where nobody has seen it, what earlier ones have said may not hold any more.
void InstrumentedConversation::read_parameters() {
    const auto found = prepared_.find(numbers_.meant(statement_));
    if (found == prepared_.end()) {
        return;
    }
    Prepared& statement = found->second;
    const Bytes packet(original_);
    const auto request = decode_execute(packet.subspan(std::min(header_size, packet.size())),
                                        statement.parameters, channel_.in_force);
    if (!request) {
        statement.types.clear();
    } else if (!request->types.empty()) {
        statement.types.assign(request->types.begin(), request->types.end());
    }
    if (current_.reread.parameters.empty()) {
        return;
    }
    std::optional<std::vector<std::uint8_t>> execution;
    if (request && (statement.question || means_the_same(statement))) {
        execution = execute_with(*request, statement.types, current_.reread.parameters);
    }
    if (execution) {
        current_.reread_execution = std::move(*execution);
    } else {
        current_.reread = {};
    }
}

/// Between its statement and the question nothing runs: names mean what they did.
void InstrumentedConversation::put_question() {
    const sql::Question& question = unread_->reread;
    if (question.parameters.empty()) {
        asking_ = Asking::reread;
        send_own_query(question.text);
        return;
    }
    const auto found = prepared_.find(unread_->statement);
    if (found != prepared_.end() && found->second.question) {
        execute_question(*found->second.question);
        return;
    }
    std::vector<std::uint8_t> payload{static_cast<std::uint8_t>(Command::stmt_prepare)};
    payload.insert(payload.end(), question.text.begin(), question.text.end());
    numbers_.begin_to_differ();
    question_.reset();
    asking_ = Asking::number;
    send_own_command(Command::stmt_prepare, payload);
}

void InstrumentedConversation::execute_question(std::uint32_t question) {
    asking_ = Asking::reread;
    std::vector<std::uint8_t> payload = std::exchange(unread_->reread_execution, {});
    name_statement(question, payload);
    send_own_command(Command::stmt_execute, payload);
    keep_question(question);
}

/// For the next execution of the client's statement. Some clients close theirs at once: what is
/// asked behind it is then closed behind the answer.
void InstrumentedConversation::keep_question(std::uint32_t question) {
    const auto found = prepared_.find(unread_->statement);
    if (found == prepared_.end()) {
        close_at_server(question);
    } else {
        found->second.question = question;
    }
}

void InstrumentedConversation::read_answer(Bytes row) {
    const std::vector<Column> columns(unread_->plan->reread.tables.size());
    RowCutter cutter;
    const bool read = unread_->reread.parameters.empty()
                          ? cutter.cut_text(row, columns.size(), columns.size()).has_value()
                          : cutter.cut_binary(row, columns, columns.size()).has_value();
    for (std::size_t i = 0; read && i < columns.size(); ++i) {
        const Value& value = cutter.values()[i];
        reread_.push_back(value.null ? std::nullopt : std::optional(std::string(value.text)));
    }
}

void InstrumentedConversation::forget_prepared(std::uint32_t statement) {
    const auto found = prepared_.find(statement);
    if (found != prepared_.end()) {
        if (found->second.question) close_at_server(*found->second.question);
        prepared_.erase(found);
    }
}

}  // namespace isotap::mysql::instrument
