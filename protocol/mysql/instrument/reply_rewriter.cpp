#include "protocol/mysql/instrument/reply_rewriter.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/instrument/packet_writer.hpp"
#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql::instrument {

using Stage = ReplyReader::Stage;
using Verdict = ReplyRewriter::Verdict;

void ReplyRewriter::begin(const sql::Plan& plan, Form form, std::uint8_t sequence,
                          std::vector<Column> columns) {
    plan_ = &plan;
    form_ = form;
    sequence_ = sequence;
    has_spoken_ = false;
    more_promised_ = false;
    first_result_ = true;
    columns_ = std::move(columns);
    count_ = columns_.size();
    added_ = plan.added.size();
    definitions_ = 0;
    description_ = 0;
    rows_ = 0;
    insert_id_ = 0;
}

void ReplyRewriter::write(Bytes payload, std::vector<std::uint8_t>& out) {
    sequence_ = write_packet(payload, sequence_, out);
    has_spoken_ = true;
}

/// What stays as it is; where the client expects no rows, it does not get what stands around them.
void ReplyRewriter::pass(Bytes payload, std::vector<std::uint8_t>& out) {
    if (!rebuilds() || !first_result_) {
        write(payload, out);
    }
}

Verdict ReplyRewriter::take(Stage stage, const ReplyStep& step, Bytes payload,
                            std::vector<std::uint8_t>& out) {
    const bool has_status = stage == Stage::end_of_columns || step.part == ReplyPart::ok ||
                            step.part == ReplyPart::result_set || step.part == ReplyPart::cursor;
    if (!more_promised_ || !has_status) {
        return take_packet(stage, step, payload, out);
    }
    promise_.assign(payload.begin(), payload.end());
    set_status(StatusFlag::more_results, promise_);
    return take_packet(stage, step, promise_, out);
}

Verdict ReplyRewriter::take_packet(Stage stage, const ReplyStep& step, Bytes payload,
                                   std::vector<std::uint8_t>& out) {
    const bool untouched = plan_->reply == sql::ReplyChange::none;
    if (step.part == ReplyPart::error || untouched || !first_result_) {
        write(payload, out);
        return Verdict::good;
    }
    switch (stage) {
        case Stage::head: return take_head(step, payload, out);
        case Stage::prepare_head: return take_prepare_head(step, payload, out);
        case Stage::columns:
        case Stage::prepared_columns: return take_definition(payload, out);
        case Stage::end_of_prepared_columns:
            if (count_ > added_) write(payload, out);
            return Verdict::good;
        case Stage::parameters:
        case Stage::end_of_parameters: write(payload, out); return Verdict::good;
        default: break;
    }
    if (step.part == ReplyPart::result_set || step.part == ReplyPart::cursor) {
        if (rebuilds()) {
            write_completion(step, payload, out);
        } else {
            write(payload, out);
        }
        first_result_ = false;
        return Verdict::good;
    }
    if (stage == Stage::rows && payload.front() != error_header) {
        return take_row(payload, out);
    }
    pass(payload, out);  // the end of the definitions, a progress report
    return Verdict::good;
}

Verdict ReplyRewriter::take_head(const ReplyStep& step, Bytes payload,
                                 std::vector<std::uint8_t>& out) {
    if (step.part == ReplyPart::ok) {
        // No rows where they were planned: the client gets what it would have got. So MariaDB
        // answers where it sees that no row can meet the condition.
        first_result_ = false;
        write(payload, out);
        return step.ok.affected_rows == 0 ? Verdict::good : Verdict::doubtful;
    }
    ByteReader reader(payload);
    if (payload.front() == error_header) {
        pass(payload, out);
        return Verdict::good;
    }
    count_ = static_cast<std::size_t>(length_encoded_number(reader));
    if (step.part != ReplyPart::detail || count_ < added_ || (count_ == added_ && !rebuilds())) {
        return Verdict::broken;
    }
    if (rebuilds()) {
        return Verdict::good;
    }
    std::vector<std::uint8_t> head;
    append_number(count_ - added_, head);
    head.insert(head.end(), reader.rest().begin(), reader.rest().end());
    write(head, out);
    return Verdict::good;
}

Verdict ReplyRewriter::take_definition(Bytes payload, std::vector<std::uint8_t>& out) {
    const auto column = read_column(payload, in_force_.has(Capability::mariadb_extended_metadata));
    if (!column) {
        return Verdict::broken;
    }
    if (definitions_ == 0) {
        columns_.clear();
    }
    columns_.push_back(*column);
    if (definitions_++ < count_ - added_) {
        description_ = described_with(description_, payload);
        pass(payload, out);
    }
    return Verdict::good;
}

Verdict ReplyRewriter::take_row(Bytes payload, std::vector<std::uint8_t>& out) {
    if (form_ == Form::binary && columns_.size() != count_) {
        return Verdict::broken;
    }
    const auto kept = form_ == Form::binary ? cutter_.cut_binary(payload, columns_, added_)
                                            : cutter_.cut_text(payload, count_, added_);
    if (!kept) {
        return Verdict::broken;
    }
    pass(*kept, out);
    ++rows_;
    note_insert_id();
    return recorder_.record(cutter_.values()) ? Verdict::good : Verdict::doubtful;
}

/// The number that the first row got: servers tell this one, a negative one as it is in 64 bits.
void ReplyRewriter::note_insert_id() {
    if (rows_ != 1 || plan_->added.back().role != sql::ColumnRole::insert_id) {
        return;
    }
    const std::string_view text = cutter_.values().back().text;
    if (text.starts_with('-')) {
        std::int64_t below_zero = 0;
        std::from_chars(text.data(), text.data() + text.size(), below_zero);
        insert_id_ = static_cast<std::uint64_t>(below_zero);
    } else {
        std::from_chars(text.data(), text.data() + text.size(), insert_id_);
    }
}

Verdict ReplyRewriter::take_prepare_head(const ReplyStep& step, Bytes payload,
                                         std::vector<std::uint8_t>& out) {
    if (step.part != ReplyPart::prepared) {
        return Verdict::broken;
    }
    // MariaDB describes what RETURNING gives only when it has run.
    count_ = step.prepared.columns;
    added_ = count_ == 0 ? 0 : plan_->added.size();
    if (count_ < added_) {
        return Verdict::broken;
    }
    const auto left = static_cast<std::uint16_t>(count_ - added_);
    std::vector<std::uint8_t> head(payload.begin(), payload.end());
    constexpr std::size_t columns_at = 5;
    head[columns_at] = static_cast<std::uint8_t>(left);
    head[columns_at + 1] = static_cast<std::uint8_t>(left >> 8);
    write(head, out);
    return Verdict::good;
}

void ReplyRewriter::write_completion(const ReplyStep& step, Bytes payload,
                                     std::vector<std::uint8_t>& out) {
    const CompletionEnd end = read_completion_end(payload);
    std::vector<std::uint8_t> ok{ok_header};
    append_number(rows_, ok);
    append_number(insert_id_, ok);
    append_short(end.status, ok);
    append_short(end.warnings, ok);
    std::string info;
    if (plan_->counts_records) {
        const std::uint64_t read = std::max<std::uint64_t>(rows_, plan_->records);
        info = "Records: " + std::to_string(read) +
               "  Duplicates: " + std::to_string(read - rows_) +
               "  Warnings: " + std::to_string(end.warnings);
    }
    const bool state =
        step.ok.status.has(StatusFlag::session_state_changed) && !step.ok.session_state.empty();
    if (state || !info.empty()) {
        append_text(as_bytes(info), ok);
    }
    if (state) {
        append_text(step.ok.session_state, ok);
    }
    write(ok, out);
}

}  // namespace isotap::mysql::instrument
