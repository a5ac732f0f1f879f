#pragma once

#include <cstdint>
#include <optional>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::backend {

enum class TransactionStatus : std::uint8_t { idle = 'I', in_transaction = 'T', failed = 'E' };

/// ReadyForQuery: the only sure word about where a transaction stands.
struct ReadyForQuery {
    static constexpr BackendType type = BackendType::ready_for_query;

    TransactionStatus status{};

    static std::optional<ReadyForQuery> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const auto status = static_cast<TransactionStatus>(reader.u8());
        switch (status) {
            case TransactionStatus::idle:
            case TransactionStatus::in_transaction:
            case TransactionStatus::failed:
                return reader.ok() ? std::optional(ReadyForQuery{status}) : std::nullopt;
        }
        return std::nullopt;
    }
};

}  // namespace isotap::postgres::backend
