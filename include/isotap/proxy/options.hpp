#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
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
    automatic,  ///< PostgreSQL: `system`; MySQL family: `columns`
    columns,    ///< auxiliary columns
    system,     ///< PostgreSQL: xmin, with a key or the place of the row
};

/// What becomes of a statement whose plan is not proved yet.
enum class Prove : std::uint8_t {
    now,    ///< it waits, for `Limits::plan_wait` at most
    later,  ///< it goes as it came
};

/// How the connections of a relay thread are served.
enum class Io : std::uint8_t {
    automatic,  ///< by io_uring where the system lets us, else by epoll
    io_uring,
    epoll,
};

/// The server behind a listener, from its URL.
struct Upstream {
    history::Dialect dialect = history::Dialect::postgres;
    std::string engine;  ///< whose contract the URL's scheme names; empty: the dialect's first
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

/// Which tables are given the auxiliary columns while the proxy runs. MySQL family only.
enum class SchemaChange : std::uint8_t {
    none,
    automatic,  ///< those that clients make
    add,        ///< and those that are there
};

/// Called for the schema's sake; none of it throws. Null: nothing to do.
struct SchemaCalls {
    /// On the catalog thread, before the first plan for a schema that is new or has changed, with
    /// the database; may block.
    std::function<void(const std::string& database)> before_plans{};
    /// On a relay thread, when a client has made a table; must not block.
    std::function<void(const std::string& database, const std::string& table)> table_made{};
};

struct Listener {
    Address listen;
    Upstream upstream;
    Mode mode = Mode::relay;
    Versions versions = Versions::automatic;
    Prove prove = Prove::now;
    protocol::TlsPolicy tls = protocol::TlsPolicy::opaque;
    TlsFiles files;
    SchemaChange schema = SchemaChange::none;
    SchemaCalls schema_calls{};
};

struct RelayOptions {
    std::vector<Listener> listeners;
    std::size_t threads = 1;
    Io io = Io::automatic;
    Limits limits;
};

enum class LogFormat : std::uint8_t { text, json };
enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// What becomes of events when analysis does not keep up.
enum class OnOverload : std::uint8_t {
    shed,   ///< they are lost and counted, and what they belong to is 'unknown'
    block,  ///< clients wait: for test suites that must lose nothing
};

/// Where alerts go besides the log.
struct AlertOptions {
    std::string webhook;       ///< URL; empty: none
    std::string alertmanager;  ///< URL of its root; empty: none
    std::string command;       ///< run by the shell, the alert on its standard input; empty: none
    std::string authorities;   ///< PEM file: who signs for an https URL; empty: the system's
    std::chrono::milliseconds repeat{300'000};  ///< the same pattern on the same tables again
};

/// What happens to the events of sessions that are observed.
struct TapOptions {
    OnOverload on_overload = OnOverload::shed;
    std::string engine;  ///< whose contract is applied; empty: what the dialect suggests
    std::string record;  ///< file; empty: none
    std::chrono::milliseconds flush{200};
    bool record_values = false;                 ///< literals are kept, in recording and page alike
    std::uint64_t rotate_bytes = 0;             ///< 0: never
    std::chrono::milliseconds rotate_after{0};  ///< 0: never
    AlertOptions alerts;
};

struct ProxyOptions {
    RelayOptions relay;
    TapOptions tap;
    std::string admin;        ///< `host:port`; empty: none
    std::string admin_token;  ///< what /metrics and /api ask for; empty: nothing
    LogFormat log_format = LogFormat::text;
    LogLevel log_level = LogLevel::info;
    std::chrono::milliseconds drain_timeout{30'000};  ///< for transactions at shutdown
};

}  // namespace isotap::proxy
