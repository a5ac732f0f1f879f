#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/postgres/scram_crypto.hpp"

/// The four messages of SCRAM, read as strictly as PostgreSQL and libpq read them. All of them are
/// untrusted; `decode` is empty when a message is not what it must be. Views live as long as the
/// text.
namespace isotap::postgres::scram {

/// No message of either side is longer: PostgreSQL's own bound for what it reads of them.
inline constexpr std::size_t message_bytes_max = 1024;

/// What opens a client's message, and what its binding begins with, when it binds itself to the
/// certificate of the TLS channel.
inline constexpr std::string_view bound_header = "p=tls-server-end-point,,";

/// What opens ours: no binding. `c=` repeats it in base64.
inline constexpr std::string_view unbound_header = "n,,";
inline constexpr std::string_view unbound_header_base64 = "biws";

/// `p=tls-server-end-point,,n=user,r=nonce`
struct ClientFirst {
    std::string_view bare;  ///< without the header
    std::string_view nonce;

    static std::optional<ClientFirst> decode(std::string_view text) noexcept;
};

/// `r=nonce,s=salt,i=iterations`
struct ServerFirst {
    std::string_view nonce;
    std::vector<std::uint8_t> salt;
    std::uint32_t iterations = 0;  ///< at least 1

    static std::optional<ServerFirst> decode(std::string_view text);
};

/// `c=binding,r=nonce,p=proof`
struct ClientFinal {
    std::string_view without_proof;
    std::vector<std::uint8_t> binding;
    std::string_view nonce;
    Digest proof;

    static std::optional<ClientFinal> decode(std::string_view text);
};

/// `v=signature`
struct ServerFinal {
    Digest signature;

    static std::optional<ServerFinal> decode(std::string_view text);
};

}  // namespace isotap::postgres::scram
