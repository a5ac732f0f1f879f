#include "protocol/mysql/messages/execute_request.hpp"

#include <algorithm>
#include <cassert>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/command.hpp"
#include "protocol/mysql/field_type.hpp"
#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

constexpr std::uint8_t count_available = 8;  ///< a flag: attributes may travel beside parameters
constexpr std::size_t statement_at = 1;

struct Value {
    Bytes type;
    bool null = false;
    Bytes bytes;  ///< with its length, where that travels
};

/// All of them, or nothing.
std::vector<Value> values_of(const ExecuteRequest& request, Bytes types) {
    ByteReader type_reader(types);
    ByteReader reader(request.values);
    std::vector<Value> values;
    for (std::size_t i = 0; i < request.count; ++i) {
        Value value{type_reader.take(2), (request.nulls[i / 8] >> (i % 8) & 1) != 0, {}};
        if (request.named) length_encoded_text(type_reader);
        if (!type_reader.ok()) return {};
        const Bytes from = reader.rest();
        if (!value.null) take_value(reader, static_cast<FieldType>(value.type.front()));
        value.bytes = from.first(from.size() - reader.rest().size());
        values.push_back(value);
    }
    return reader.ok() && reader.at_end() ? values : std::vector<Value>();
}

}  // namespace

std::optional<ExecuteRequest> decode_execute(Bytes payload, std::size_t parameters,
                                             Capabilities in_force) noexcept {
    ByteReader reader(payload);
    reader.u8();  // the command
    ExecuteRequest request;
    request.statement = reader.le32();
    const std::uint8_t flags = reader.u8();
    reader.le32();  // how often: always once
    const bool attributes = in_force.has(Capability::query_attributes);
    const bool named = attributes && (flags & count_available) != 0;
    std::uint64_t values = parameters;
    if (named) {
        values = length_encoded_number(reader);
    } else if (attributes && parameters > 0) {
        return std::nullopt;  // no document says whether names travel then
    }
    if (!reader.ok() || values > reader.rest().size()) {  // each one takes bytes
        return std::nullopt;
    }
    if (values == 0) {
        return request;
    }
    request.count = values;
    request.named = named;
    request.nulls = reader.take((values + 7) / 8);
    request.types_follow_at = payload.size() - reader.rest().size();
    if (reader.u8() == 0) {
        request.values = reader.rest();
        return reader.ok() ? std::optional(request) : std::nullopt;
    }
    const Bytes from = reader.rest();
    for (std::uint64_t i = 0; i < values && reader.ok(); ++i) {
        reader.take(2);
        if (named) length_encoded_text(reader);
    }
    request.types = from.first(from.size() - reader.rest().size());
    request.values = reader.rest();
    return reader.ok() ? std::optional(request) : std::nullopt;
}

std::vector<std::uint8_t> execute_of(std::uint32_t statement, Bytes payload,
                                     const ExecuteRequest& request, Bytes types) {
    assert(request.types_follow_at < payload.size());
    std::vector<std::uint8_t> made(payload.begin(), payload.end());
    name_statement(statement, made);
    if (request.types_follow_at != 0 && request.types.empty()) {
        const auto flag = made.begin() + static_cast<std::ptrdiff_t>(request.types_follow_at);
        *flag = 1;
        made.insert(flag + 1, types.begin(), types.end());
    }
    return made;
}

std::optional<std::vector<std::uint8_t>> execute_with(const ExecuteRequest& request, Bytes types,
                                                      std::span<const std::size_t> chosen) {
    constexpr std::size_t chosen_max = 250;  // of which a byte tells the number
    const std::vector<Value> values = values_of(request, types);
    const auto known = [&](std::size_t one) { return one < values.size(); };
    if (chosen.size() > chosen_max || !std::all_of(chosen.begin(), chosen.end(), known)) {
        return std::nullopt;
    }
    std::vector<std::uint8_t> made{static_cast<std::uint8_t>(Command::stmt_execute),  0, 0, 0, 0,
                                   request.named ? count_available : std::uint8_t{0}, 1, 0, 0, 0};
    if (request.named) {
        made.push_back(static_cast<std::uint8_t>(chosen.size()));
    }
    std::vector<std::uint8_t> nulls((chosen.size() + 7) / 8);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        nulls[i / 8] |= static_cast<std::uint8_t>((values[chosen[i]].null ? 1U : 0U) << (i % 8));
    }
    made.insert(made.end(), nulls.begin(), nulls.end());
    made.push_back(1);  // types follow
    for (const std::size_t one : chosen) {
        made.insert(made.end(), values[one].type.begin(), values[one].type.end());
        if (request.named) made.push_back(0);
    }
    for (const std::size_t one : chosen) {
        made.insert(made.end(), values[one].bytes.begin(), values[one].bytes.end());
    }
    return made;
}

void name_statement(std::uint32_t statement, std::span<std::uint8_t> payload) noexcept {
    assert(payload.size() >= statement_at + sizeof(statement));
    for (std::size_t i = 0; i < sizeof(statement); ++i) {
        payload[statement_at + i] = static_cast<std::uint8_t>(statement >> (8 * i));
    }
}

}  // namespace isotap::mysql
