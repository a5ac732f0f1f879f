#include "protocol/mysql/reply_reader.hpp"

#include <optional>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

constexpr std::uint8_t local_file_header = 0xfb;
constexpr std::uint64_t eof_size = 5;

ReplyStep surprise() noexcept {
    ReplyStep step;
    step.part = ReplyPart::surprise;
    step.ends = true;
    return step;
}

/// What ends rows or a simple command: an OK cannot be as short as an EOF is, so that even a server
/// that sends the old packet where the new one was agreed on is understood.
std::optional<OkPacket> decode_end(const Piece& packet, Capabilities in_force) noexcept {
    return packet.size == eof_size && packet.payload.front() == end_header
               ? decode_eof(packet.payload)
               : decode_ok(packet.payload, in_force);
}

}  // namespace

void ReplyReader::begin(Command command) noexcept {
    rows_ = 0;
    more_results_promised_ = false;
    switch (reply_shape(command)) {
        case ReplyShape::none:
        case ReplyShape::foreign: stage_ = Stage::idle; break;
        case ReplyShape::simple: stage_ = Stage::simple; break;
        case ReplyShape::results: stage_ = Stage::head; break;
        case ReplyShape::rows: stage_ = Stage::rows; break;
        case ReplyShape::field_list: stage_ = Stage::field_list; break;
        case ReplyShape::prepare: stage_ = Stage::prepare_head; break;
        case ReplyShape::text: stage_ = Stage::text; break;
        case ReplyShape::authentication: stage_ = Stage::authentication; break;
    }
}

std::size_t ReplyReader::wanted(std::uint8_t first, std::uint32_t frame_size,
                                std::size_t most) const noexcept {
    const bool may_be_row = stage_ == Stage::rows || stage_ == Stage::columns ||
                            stage_ == Stage::parameters || stage_ == Stage::prepared_columns ||
                            stage_ == Stage::field_list;
    if (!may_be_row || first == error_header) {
        return most;
    }
    return first == end_header && frame_size < frame_size_max ? most : 1;
}

ReplyStep ReplyReader::take(const Piece& packet) noexcept {
    if (packet.payload.empty()) {
        // A row of the text protocol always has columns, and no other packet is empty either.
        return surprise();
    }
    if (packet.payload.front() == error_header && stage_ != Stage::text) {
        return take_error(packet);
    }
    switch (stage_) {
        case Stage::idle: return surprise();
        case Stage::head: return take_head(packet);
        case Stage::columns:
        case Stage::prepared_columns: return take_definition();
        case Stage::parameters:
            return !deprecates_eof() && is_end(packet) ? take_end_of_parameters()
                                                       : take_definition();
        case Stage::end_of_columns: return take_end_of_columns(packet);
        case Stage::rows: return take_row(packet);
        case Stage::prepare_head: return take_prepare_head(packet);
        case Stage::end_of_parameters:
        case Stage::end_of_prepared_columns: return take_end_of_definitions(packet);
        case Stage::field_list:
            if (!is_end(packet)) return detail();
            return take_simple(packet);
        case Stage::text: stage_ = Stage::idle; return detail();
        case Stage::simple: return take_simple(packet);
        case Stage::authentication: return take_authentication(packet);
    }
    return surprise();
}

/// A packet that starts with 0xFE ends something only when it is short: else it is a row whose
/// first value has 16 MiB or more.
bool ReplyReader::is_end(const Piece& packet) const noexcept {
    if (packet.payload.front() != end_header) {
        return false;
    }
    return deprecates_eof() ? packet.size < frame_size_max : packet.size == eof_size;
}

ReplyStep ReplyReader::detail() noexcept {
    ReplyStep step;
    step.ends = stage_ == Stage::idle;
    return step;
}

/// A result is complete: another one follows when the server says so.
ReplyStep ReplyReader::result(ReplyPart part, const OkPacket& ok) noexcept {
    ReplyStep step;
    step.part = part;
    step.ok = ok;
    step.rows = rows_;
    step.ends = !ok.status.has(StatusFlag::more_results) && !more_results_promised_;
    stage_ = step.ends ? Stage::idle : Stage::head;
    rows_ = 0;
    more_results_promised_ = false;
    return step;
}

ReplyStep ReplyReader::take_error(const Piece& packet) noexcept {
    const auto error = decode_error(packet.payload);
    if (!error || stage_ == Stage::idle) {
        return surprise();
    }
    if (error->number == progress_report && in_force_.has(Capability::mariadb_progress)) {
        return detail();
    }
    stage_ = Stage::idle;
    ReplyStep step;
    step.part = ReplyPart::error;
    step.ends = true;
    step.error = *error;
    return step;
}

ReplyStep ReplyReader::take_head(const Piece& packet) noexcept {
    switch (packet.payload.front()) {
        case ok_header: {
            const auto ok = decode_ok(packet.payload, in_force_);
            return ok ? result(ReplyPart::ok, *ok) : surprise();
        }
        case local_file_header: {
            ReplyStep step;
            step.part = ReplyPart::file_requested;
            return step;
        }
        default: return take_column_count(packet);
    }
}

ReplyStep ReplyReader::take_column_count(const Piece& packet) noexcept {
    ByteReader reader(packet.payload);
    definitions_left_ = length_encoded_number(reader);
    bool metadata_follows = true;
    if (!reader.at_end() && (in_force_.has(Capability::optional_resultset_metadata) ||
                             in_force_.has(Capability::mariadb_cache_metadata))) {
        metadata_follows = reader.u8() != 0;
    }
    constexpr std::uint64_t columns_max = 0xffff;
    if (!reader.ok() || !reader.at_end() || definitions_left_ == 0 ||
        definitions_left_ > columns_max) {
        return surprise();
    }
    if (metadata_follows) {
        stage_ = Stage::columns;
    } else {
        stage_ = deprecates_eof() ? Stage::rows : Stage::end_of_columns;
    }
    return detail();
}

ReplyStep ReplyReader::take_definition() noexcept {
    if (--definitions_left_ > 0) {
        return detail();
    }
    if (stage_ == Stage::columns) {
        stage_ = deprecates_eof() ? Stage::rows : Stage::end_of_columns;
    } else if (stage_ == Stage::parameters) {
        stage_ = Stage::end_of_parameters;
        if (deprecates_eof()) expect_prepared_columns();
    } else {
        stage_ = deprecates_eof() ? Stage::idle : Stage::end_of_prepared_columns;
    }
    return detail();
}

ReplyStep ReplyReader::take_end_of_columns(const Piece& packet) noexcept {
    const auto end = is_end(packet) ? decode_eof(packet.payload) : std::nullopt;
    if (!end) {
        return surprise();
    }
    if (end->status.has(StatusFlag::cursor_exists)) {
        return result(ReplyPart::cursor, *end);
    }
    // MySQL says only here that the OK of the CALL follows its output parameters, and no longer at
    // the end of that one row.
    more_results_promised_ =
        end->status.has(StatusFlag::out_parameters) && end->status.has(StatusFlag::more_results);
    stage_ = Stage::rows;
    return detail();
}

ReplyStep ReplyReader::take_row(const Piece& packet) noexcept {
    if (!is_end(packet)) {
        ++rows_;
        return detail();
    }
    const auto end = decode_end(packet, in_force_);
    if (!end) {
        return surprise();
    }
    // Where EOF is deprecated, a cursor shows only here, at the end of the rows that it does not
    // send. The same flag stands at the end of rows that were fetched.
    const bool cursor = rows_ == 0 && end->status.has(StatusFlag::cursor_exists);
    return result(cursor ? ReplyPart::cursor : ReplyPart::result_set, *end);
}

ReplyStep ReplyReader::take_prepare_head(const Piece& packet) noexcept {
    const auto ok = decode_prepare_ok(packet.payload);
    if (!ok) {
        return surprise();
    }
    prepared_ = *ok;
    expect_parameters();
    ReplyStep step = detail();
    step.part = ReplyPart::prepared;
    step.prepared = prepared_;
    return step;
}

// Where metadata is left out, its end markers come all the same.

void ReplyReader::expect_parameters() noexcept {
    definitions_left_ = prepared_.parameters;
    if (definitions_left_ > 0 && prepared_.metadata_follows) {
        stage_ = Stage::parameters;
    } else if (definitions_left_ > 0 && !deprecates_eof()) {
        stage_ = Stage::end_of_parameters;
    } else {
        expect_prepared_columns();
    }
}

void ReplyReader::expect_prepared_columns() noexcept {
    definitions_left_ = prepared_.columns;
    if (definitions_left_ > 0 && prepared_.metadata_follows) {
        stage_ = Stage::prepared_columns;
    } else if (definitions_left_ > 0 && !deprecates_eof()) {
        stage_ = Stage::end_of_prepared_columns;
    } else {
        stage_ = Stage::idle;
    }
}

ReplyStep ReplyReader::take_end_of_definitions(const Piece& packet) noexcept {
    if (!is_end(packet)) {
        return surprise();
    }
    if (stage_ == Stage::end_of_parameters) {
        return take_end_of_parameters();
    }
    stage_ = Stage::idle;
    return detail();
}

/// Sooner than announced where MySQL has dropped one: `GROUP_CONCAT(… ORDER BY ?)`.
ReplyStep ReplyReader::take_end_of_parameters() noexcept {
    expect_prepared_columns();
    return detail();
}

ReplyStep ReplyReader::take_simple(const Piece& packet) noexcept {
    const auto ok = decode_end(packet, in_force_);
    return ok ? result(ReplyPart::ok, *ok) : surprise();
}

ReplyStep ReplyReader::take_authentication(const Piece& packet) noexcept {
    // A plugin may send anything, also a zero. An OK is at least this long.
    constexpr std::size_t ok_size_min = 7;
    const auto ok = packet.payload.front() == ok_header && packet.size >= ok_size_min
                        ? decode_ok(packet.payload, in_force_)
                        : std::nullopt;
    return ok ? result(ReplyPart::ok, *ok) : detail();
}

}  // namespace isotap::mysql
