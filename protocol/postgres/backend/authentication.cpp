#include "protocol/postgres/backend/authentication.hpp"

#include "protocol/postgres/message_writer.hpp"

namespace isotap::postgres::backend {

std::vector<std::uint8_t> sasl_without_channel_binding(const Authentication& offer) {
    MessageWriter writer(BackendType::authentication);
    writer.be32(Authentication::code_sasl);
    ByteReader mechanisms(offer.data);
    for (;;) {
        const std::string_view mechanism = mechanisms.c_string();
        if (mechanism.empty()) {
            break;
        }
        if (mechanism != scram_with_channel_binding) {
            writer.c_string(mechanism);
        }
    }
    writer.u8(0);
    return std::move(writer).finish();
}

}  // namespace isotap::postgres::backend
