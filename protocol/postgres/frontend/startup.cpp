#include "protocol/postgres/frontend/startup.hpp"

#include "isotap/base/byte_reader.hpp"

namespace isotap::postgres::frontend {

namespace {

constexpr std::uint32_t ssl_request_code = 80877103;
constexpr std::uint32_t gss_request_code = 80877104;
constexpr std::uint32_t cancel_request_code = 80877102;

/// A physical walsender says a boolean, a logical one says `database`; anything but a plain 'no'
/// is treated as replication, because what follows then is not ours to read.
bool asks_for_replication(std::string_view value) noexcept {
    return !(value.empty() || value == "false" || value == "off" || value == "no" || value == "0");
}

}  // namespace

StartupKind StartupHeader::kind() const noexcept {
    switch (code) {
        case ssl_request_code: return StartupKind::ssl_request;
        case gss_request_code: return StartupKind::gss_request;
        case cancel_request_code: return StartupKind::cancel_request;
        default: return StartupKind::startup;
    }
}

std::optional<StartupHeader> StartupHeader::decode(Bytes bytes, std::size_t length_max) noexcept {
    ByteReader reader(bytes);
    const StartupHeader header{reader.be32(), reader.be32()};
    if (!reader.ok() || header.length < size || header.length > length_max) {
        return std::nullopt;
    }
    return header;
}

std::optional<Startup> Startup::decode(Bytes packet) noexcept {
    ByteReader reader(packet);
    reader.take(StartupHeader::size);
    Startup startup;
    for (;;) {
        const std::string_view name = reader.c_string();
        if (name.empty()) {
            break;
        }
        const std::string_view value = reader.c_string();
        if (name == "user") {
            startup.user = value;
        } else if (name == "database") {
            startup.database = value;
        } else if (name == "application_name") {
            startup.application_name = value;
        } else if (name == "options") {
            startup.options = value;
        } else if (name == "default_transaction_isolation") {
            startup.default_isolation = value;
        } else if (name == "search_path") {
            startup.search_path = value;
        } else if (name == "role") {
            startup.role = value;
        } else if (name == "replication") {
            startup.replication = asks_for_replication(value);
        }
    }
    if (!reader.ok()) {
        return std::nullopt;
    }
    return startup;
}

}  // namespace isotap::postgres::frontend
