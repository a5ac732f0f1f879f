#include "proxy/ops/upstream_url.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "proxy/ops/address.hpp"
#include "proxy/ops/percent.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

using history::Dialect;
using protocol::ServerTls;

struct Scheme {
    std::string_view name;
    Dialect dialect;
    std::uint16_t port;
    std::string_view socket;  ///< where the server's packages put it
    std::string_view engine;  ///< whose contract it means
};

constexpr std::array schemes{
    Scheme{"postgres", Dialect::postgres, 5432, "/var/run/postgresql", "postgresql"},
    Scheme{"postgresql", Dialect::postgres, 5432, "/var/run/postgresql", "postgresql"},
    Scheme{"mysql", Dialect::mysql, 3306, "/var/run/mysqld/mysqld.sock", "mysql"},
    Scheme{"mariadb", Dialect::mysql, 3306, "/var/run/mysqld/mysqld.sock", "mariadb"},
};

/// The parts of a URL as they stand there, still encoded.
struct Parts {
    std::string_view user;
    std::string_view password;
    std::string_view host;
    std::string_view port;
    std::string_view database;
    std::string_view parameters;
};

/// Splits at the first `mark`; the second half is empty when there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char mark) {
    const std::size_t at = text.find(mark);
    return at == std::string_view::npos ? std::pair{text, std::string_view{}}
                                        : std::pair{text.substr(0, at), text.substr(at + 1)};
}

const Scheme& scheme_of(std::string_view url) {
    const std::size_t end = url.find("://");
    for (const Scheme& scheme : schemes) {
        if (end != std::string_view::npos && url.substr(0, end) == scheme.name) {
            return scheme;
        }
    }
    refuse("the URL has no scheme of a database: begin it with postgres:// or mysql://");
}

Parts split(std::string_view rest) {
    Parts parts;
    std::string_view authority;
    std::tie(rest, parts.parameters) = cut(rest, '?');
    std::tie(authority, parts.database) = cut(rest, '/');
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        std::tie(parts.user, parts.password) = cut(authority.substr(0, at), ':');
        authority.remove_prefix(at + 1);
    }
    if (authority.starts_with('[')) {
        const std::size_t end = authority.find(']');
        const std::string_view behind =
            end == std::string_view::npos ? "" : authority.substr(end + 1);
        if (end == std::string_view::npos || (!behind.empty() && !behind.starts_with(':'))) {
            refuse("the URL has a '[' without its ']': write an IPv6 host as [::1]:5432");
        }
        parts.host = authority.substr(1, end - 1);
        parts.port = behind.empty() ? behind : behind.substr(1);
    } else {
        std::tie(parts.host, parts.port) = cut(authority, ':');
    }
    return parts;
}

void set_ssl_mode(Upstream& upstream, std::string_view mode) {
    upstream.verify_name = mode == "verify-full";
    upstream.verify_certificate = upstream.verify_name || mode == "verify-ca";
    if (mode == "disable") {
        upstream.tls = ServerTls::disable;
    } else if (mode == "prefer") {
        upstream.tls = ServerTls::prefer;
    } else if (mode == "require" || upstream.verify_certificate) {
        upstream.tls = ServerTls::require;
    } else {
        refuse(
            fmt::format("sslmode '{}' is not known: use disable, prefer, require, verify-ca or "
                        "verify-full",
                        mode));
    }
}

/// What stands behind the '?'. Each name at most once.
void read_parameters(std::string_view text, Upstream& upstream, std::optional<std::string>& host) {
    std::optional<std::string> mode;
    std::optional<std::string> root;
    while (!text.empty()) {
        std::string_view one;
        std::tie(one, text) = cut(text, '&');
        const auto [name, encoded] = cut(one, '=');
        std::optional<std::string>* place = name == "host"          ? &host
                                            : name == "sslmode"     ? &mode
                                            : name == "sslrootcert" ? &root
                                                                    : nullptr;
        if (place == nullptr) {
            refuse(
                fmt::format("the URL has an unknown parameter '{}': host, sslmode and "
                            "sslrootcert are known",
                            percent_decoded(name, "URL")));
        }
        if (*place) {
            refuse(fmt::format("the URL has '{}' twice: leave one", name));
        }
        *place = percent_decoded(encoded, name);
    }
    if (mode) {
        set_ssl_mode(upstream, *mode);
    }
    upstream.root_certificate = root.value_or("");
}

/// A folder stands for the socket that PostgreSQL makes in it.
Address socket_address(const Scheme& scheme, std::string path, std::uint16_t port) {
    const std::size_t slash = path.rfind('/');
    if (scheme.dialect == Dialect::postgres && path.compare(slash + 1, 9, ".s.PGSQL.") != 0) {
        path += fmt::format("{}.s.PGSQL.{}", path.ends_with('/') ? "" : "/", port);
    }
    check_socket_path(path);
    return {std::move(path), 0};
}

/// Says what is meant most often when a host or port is wrong.
Address network_address(const std::string& host, std::uint16_t port) {
    if (host.find(',') != std::string::npos) {
        refuse("the URL names several hosts: name one server, and run one proxy for each");
    }
    check_host(host);
    return {host, port};
}

std::uint16_t port_of(std::string_view text, const Scheme& scheme) {
    if (text.empty()) {
        return scheme.port;
    }
    try {
        if (const std::uint16_t port = parse_port(text); port != 0) {
            return port;
        }
    } catch (const StartupError&) {  // ours says more
    }
    refuse(
        "the port of the URL is no number from 1 to 65535: in a user name or password, write "
        "'/', '?', '@' and '%' as %2F, %3F, %40 and %25");
}

}  // namespace

Upstream parse_upstream_url(std::string_view url) {
    const Scheme& scheme = scheme_of(url);
    const Parts parts = split(url.substr(scheme.name.size() + 3));
    Upstream upstream;
    upstream.dialect = scheme.dialect;
    upstream.engine = scheme.engine;
    upstream.user = percent_decoded(parts.user, "user");
    upstream.password = percent_decoded(parts.password, "password");
    upstream.database = percent_decoded(parts.database, "database");
    const std::uint16_t port = port_of(parts.port, scheme);

    std::optional<std::string> parameter_host;
    read_parameters(parts.parameters, upstream, parameter_host);
    if (parameter_host && !parts.host.empty()) {
        refuse("the URL names a host twice: leave out the one before the '/' or '?host='");
    }
    std::string host = parameter_host ? *parameter_host : percent_decoded(parts.host, "host");
    if (host.empty()) {
        host = scheme.socket;
    }
    if (host.starts_with('/') && scheme.dialect == Dialect::postgres) {
        set_ssl_mode(upstream,
                     "disable");  // as libpq: there is no TLS on PostgreSQL's unix sockets
    }
    upstream.address =
        host.starts_with('/') ? socket_address(scheme, host, port) : network_address(host, port);
    return upstream;
}

}  // namespace isotap::proxy
