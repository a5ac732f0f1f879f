#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/protocol/tls_policy.hpp"

/// What a proxy is asked to do, after command line, file and environment have been read and
/// checked. Plain values; built once, then only read.
namespace isotap::proxy {

/// A place to listen on or to connect to: TCP, or a unix socket when `host` begins with a slash.
struct Address {
    std::string host;
    std::uint16_t port = 0;

    [[nodiscard]] bool is_unix() const noexcept { return host.starts_with('/'); }

    friend bool operator==(const Address&, const Address&) = default;
};

/// `host:port`, `[v6]:port`, or the path of a unix socket: as a person writes it.
std::string to_string(const Address& address);

enum class Mode : std::uint8_t {
    relay,       ///< forward and count
    observe,     ///< and tell what happens, never altering a byte
    instrument,  ///< and make statements tell what they touched
};

/// How rows and their versions are named.
enum class Versions : std::uint8_t {
    automatic,  ///< PostgreSQL: `system` where it can, else `columns`; MySQL family: `columns`
    columns,    ///< auxiliary columns
    system,     ///< PostgreSQL: primary key and xmin
};

/// What becomes of a statement whose plan is not proved yet.
enum class Prove : std::uint8_t {
    now,    ///< it waits, for `Limits::plan_wait` at most
    later,  ///< it goes as it came
};

/// The server behind a listener, from its URL.
struct Upstream {
    history::Dialect dialect = history::Dialect::postgres;
    Address address;
    std::string user;
    std::string password;
    std::string database;
    protocol::ServerTls tls = protocol::ServerTls::prefer;
    bool verify_certificate = false;  ///< sslmode verify-ca and verify-full
    bool verify_name = false;         ///< sslmode verify-full
    std::string root_certificate;     ///< file; empty: the system's
};

struct TlsFiles {
    std::string certificate;  ///< PEM, the chain; empty: the proxy has none
    std::string key;          ///< PEM
};

struct Listener {
    Address listen;
    Upstream upstream;
    Mode mode = Mode::relay;
    Versions versions = Versions::automatic;
    Prove prove = Prove::now;
    protocol::TlsPolicy tls = protocol::TlsPolicy::opaque;
    TlsFiles files;
};

struct RelayOptions {
    std::vector<Listener> listeners;
    std::size_t threads = 1;
    Limits limits;
};

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct ProxyOptions {
    RelayOptions relay;
    std::string admin;        ///< `host:port`; empty: none
    std::string admin_token;  ///< what /metrics asks for; empty: nothing
    LogFormat log_format = LogFormat::text;
    LogLevel log_level = LogLevel::info;
    std::chrono::milliseconds drain_timeout{30'000};  ///< for transactions at shutdown
};

}  // namespace isotap::proxy
