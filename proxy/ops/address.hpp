#pragma once

#include <string_view>

#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

/// Reads `host:port`, `[v6]:port` or the path of a unix socket. Throws StartupError (usage).
/// For every address it gives, `to_string` writes what it reads back as the same.
Address parse_address(std::string_view text);

/// The same for the admin page, where a port alone (`9090`, `:9090`) means this machine only.
Address parse_admin_address(std::string_view text);

/// A port in decimal, 0 included. Throws StartupError (usage), without the text: it may be a piece
/// of a password that was not percent-encoded.
std::uint16_t parse_port(std::string_view text);

/// A host name, an IPv4 address, or an IPv6 address without its brackets. Throws StartupError
/// (usage), without the text, for the same reason.
void check_host(std::string_view host);

/// The longest path that a unix socket may have, which is short. Throws StartupError (usage).
void check_socket_path(std::string_view path);

/// True when only this machine can reach it.
bool is_loopback(const Address& address);

}  // namespace isotap::proxy
