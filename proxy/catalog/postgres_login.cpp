#include "proxy/catalog/postgres_login.hpp"

#include <array>

#include <libpq-fe.h>

namespace isotap::proxy {
namespace {

constexpr const char* connect_seconds = "3";
constexpr const char* silence_milliseconds = "5000";

}  // namespace

/// A unix socket is named by its folder, and the file in it by a port.
PostgresPlace postgres_place(const Address& address) {
    if (!address.is_unix()) {
        return {address.host, std::to_string(address.port)};
    }
    return {address.host.substr(0, address.host.rfind('/')),
            address.host.substr(address.host.rfind('.') + 1)};
}

const char* postgres_sslmode(const Upstream& upstream) noexcept {
    if (upstream.verify_name) {
        return "verify-full";
    }
    if (upstream.verify_certificate) {
        return "verify-ca";
    }
    switch (upstream.tls) {
        case protocol::ServerTls::disable: return "disable";
        case protocol::ServerTls::require: return "require";
        case protocol::ServerTls::prefer: break;
    }
    return "prefer";
}

pg_conn* connect_to_postgres(const Upstream& upstream, const std::string& database) {
    const auto [host, port] = postgres_place(upstream.address);
    const std::array keywords{"host",
                              "port",
                              "user",
                              "password",
                              "dbname",
                              "sslmode",
                              "sslrootcert",
                              "connect_timeout",
                              "tcp_user_timeout",
                              "application_name",
                              static_cast<const char*>(nullptr)};
    const std::array values{host.c_str(),
                            port.c_str(),
                            upstream.user.c_str(),
                            upstream.password.c_str(),
                            database.c_str(),
                            postgres_sslmode(upstream),
                            upstream.root_certificate.c_str(),
                            connect_seconds,
                            silence_milliseconds,
                            "isotap",
                            static_cast<const char*>(nullptr)};
    constexpr int database_is_a_name = 0;
    return PQconnectdbParams(keywords.data(), values.data(), database_is_a_name);
}

}  // namespace isotap::proxy
