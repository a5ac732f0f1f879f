#include "protocol/postgres/backend/error_response.hpp"

#include <algorithm>

#include "protocol/postgres/message_writer.hpp"

namespace isotap::postgres::backend {

namespace {

constexpr char field_severity = 'S';
constexpr char field_severity_unlocalised = 'V';
constexpr char field_sql_state = 'C';
constexpr char field_message = 'M';

}  // namespace

history::SqlState ErrorResponse::state() const noexcept {
    history::SqlState state = history::no_sql_state;
    if (sql_state.size() == state.size()) {
        std::copy(sql_state.begin(), sql_state.end(), state.begin());
    }
    return state;
}

std::optional<ErrorResponse> ErrorResponse::decode(Bytes body) noexcept {
    ByteReader reader(body);
    ErrorResponse error;
    while (const char field = static_cast<char>(reader.u8())) {
        const std::string_view value = reader.c_string();
        if (field == field_sql_state) {
            error.sql_state = value;
        }
    }
    return reader.ok() ? std::optional(error) : std::nullopt;
}

std::vector<std::uint8_t> ErrorResponse::encode_fatal(std::string_view sql_state,
                                                      std::string_view message) {
    MessageWriter writer(BackendType::error_response);
    for (const char severity : {field_severity, field_severity_unlocalised}) {
        writer.u8(static_cast<std::uint8_t>(severity));
        writer.c_string("FATAL");
    }
    writer.u8(field_sql_state);
    writer.c_string(sql_state);
    writer.u8(field_message);
    writer.c_string(message);
    writer.u8(0);
    return std::move(writer).finish();
}

}  // namespace isotap::postgres::backend
