#include "proxy/ops/address.hpp"

#include <algorithm>
#include <charconv>
#include <sys/un.h>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

bool in_host_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

[[noreturn]] void refuse_form(std::string_view text) {
    refuse(fmt::format(
        "'{}' is no address: write host:port, [IPv6]:port or the path of a unix socket", text));
}

}  // namespace

std::string to_string(const Address& address) {
    if (address.is_unix()) {
        return address.host;
    }
    const bool v6 = address.host.find(':') != std::string::npos;
    return v6 ? fmt::format("[{}]:{}", address.host, address.port)
              : fmt::format("{}:{}", address.host, address.port);
}

Address parse_address(std::string_view text) {
    if (text.starts_with('/')) {
        check_socket_path(text);
        return {std::string(text), 0};
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        refuse_form(text);
    }
    std::string_view host = text.substr(0, colon);
    const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
    if (bracketed) {
        host = host.substr(1, host.size() - 2);
    }
    if (host.empty() || bracketed != (host.find(':') != std::string_view::npos)) {
        refuse_form(text);
    }
    check_host(host);
    return {std::string(host), parse_port(text.substr(colon + 1))};
}

Address parse_admin_address(std::string_view text) {
    const std::string_view port = text.starts_with(':') ? text.substr(1) : text;
    if (!port.empty() &&
        std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return {"127.0.0.1", parse_port(port)};
    }
    Address address = parse_address(text);
    if (address.is_unix()) {
        refuse("the admin page is not served on a unix socket: write host:port");
    }
    return address;
}

std::uint16_t parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size()) {
        refuse("the port is no number: write one from 0 to 65535");
    }
    return port;
}

void check_host(std::string_view host) {
    if (host.find(':') != std::string_view::npos) {
        boost::system::error_code error;
        boost::asio::ip::make_address_v6(std::string(host), error);
        // A zone may be any text for the library; ours has to be written back and read again.
        const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
            return in_host_name(c) || c == ':' || c == '%';
        });
        if (error || !plain) {
            refuse("the host is no IPv6 address: write it in brackets, as in [::1]:5432");
        }
    } else if (host.empty() || !std::all_of(host.begin(), host.end(), in_host_name)) {
        refuse("the host is no name and no address: write letters, digits, '.', '-' and '_'");
    }
}

void check_socket_path(std::string_view path) {
    constexpr std::size_t longest = sizeof(sockaddr_un::sun_path) - 1;
    if (path.size() > longest) {
        refuse(fmt::format("the path of the unix socket is longer than {} bytes: use a shorter one",
                           longest));
    }
    if (path.find('\0') != std::string_view::npos || path.ends_with('/')) {
        refuse("the path of the unix socket names no file: write the path of the socket itself");
    }
}

bool is_loopback(const Address& address) {
    boost::system::error_code error;
    const auto ip = boost::asio::ip::make_address(address.host, error);
    return address.is_unix() || address.host == "localhost" || (!error && ip.is_loopback());
}

}  // namespace isotap::proxy
