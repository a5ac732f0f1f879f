#include "protocol/mysql/messages/execute_request.hpp"

#include <cassert>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

constexpr std::uint8_t count_available = 8;  ///< a flag: attributes may travel beside parameters
constexpr std::size_t statement_at = 1;

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
    reader.take((values + 7) / 8);  // which are NULL
    request.types_follow_at = payload.size() - reader.rest().size();
    if (reader.u8() == 0) {
        return reader.ok() ? std::optional(request) : std::nullopt;
    }
    const Bytes from = reader.rest();
    for (std::uint64_t i = 0; i < values && reader.ok(); ++i) {
        reader.take(2);
        if (named) length_encoded_text(reader);
    }
    request.types = from.first(from.size() - reader.rest().size());
    return reader.ok() ? std::optional(request) : std::nullopt;
}

std::vector<std::uint8_t> execute_of(std::uint32_t statement, Bytes payload,
                                     const ExecuteRequest& request, Bytes types) {
    assert(request.types_follow_at < payload.size());
    std::vector<std::uint8_t> made(payload.begin(), payload.end());
    for (std::size_t i = 0; i < sizeof(statement); ++i) {
        made[statement_at + i] = static_cast<std::uint8_t>(statement >> (8 * i));
    }
    if (request.types_follow_at != 0 && request.types.empty()) {
        const auto flag = made.begin() + static_cast<std::ptrdiff_t>(request.types_follow_at);
        *flag = 1;
        made.insert(flag + 1, types.begin(), types.end());
    }
    return made;
}

}  // namespace isotap::mysql
