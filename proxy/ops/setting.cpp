#include "proxy/ops/setting.hpp"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "proxy/ops/limit_table.hpp"

namespace isotap::proxy {
namespace {

std::vector<Setting> all_settings() {
    std::vector<Setting> all{
        {"upstream", "URL", "The server: postgres://user@host:port/database, mysql://…",
         Scope::listener},
        {"upstream-password-file", "FILE",
         "The server's password; before it counts ISOTAP_UPSTREAM_PASSWORD, after it the URL",
         Scope::listener},
        {"listen", "ADDR",
         "Where clients connect: host:port, [IPv6]:port or a unix socket; "
         "port 0 takes a free one",
         Scope::listener},
        {"mode", "MODE",
         "relay (forward and count), observe (and decode, altering nothing) or instrument (and "
         "make statements tell what they touched)",
         Scope::listener},
        {"versions", "SOURCE",
         "auto, columns (auxiliary ones: isotap schema) or system (PostgreSQL's xmin)",
         Scope::listener},
        {"prove", "WHEN", "now (a statement that is new waits for its plan) or later",
         Scope::listener},
        {"schema", "HOW",
         "MySQL family: tables that get the auxiliary columns, for good: none, auto (those that "
         "clients make) or add (those that are there as well)",
         Scope::listener},
        {"tls", "POLICY",
         "opaque, mirror, same-certificate or terminate; mirror when there is a "
         "certificate, else opaque",
         Scope::listener},
        {"tls-certificate", "FILE", "Certificate chain to show to clients, PEM", Scope::listener},
        {"tls-key", "FILE", "Its private key, PEM; the file of the certificate when left out",
         Scope::listener},
        {"admin", "ADDR", "Serve metrics and health over HTTP; a port alone: for this machine only",
         Scope::proxy},
        {"admin-token-file", "FILE", "The bearer token that /metrics and /api then ask for",
         Scope::proxy},
        {"threads", "N", "Relay threads; half of the processors when left out", Scope::proxy},
        {"io", "WAY",
         "How connections are served: io_uring, epoll, or auto: io_uring where the system lets us",
         Scope::proxy},
        {"log-format", "FORMAT", "text or json", Scope::proxy},
        {"log-level", "LEVEL", "debug, info, warning or error", Scope::proxy},
        {"on-overload", "POLICY",
         "When analysis does not keep up: shed (lose events and say so) or block (let clients "
         "wait)",
         Scope::proxy},
        {"engine", "NAME",
         "Whose promises count: postgresql, cockroachdb, mysql, mariadb, mariadb-snapshot or "
         "tidb; by the scheme of the URL when left out",
         Scope::proxy},
        {"record", "FILE", "Record what is observed; never overwrites a file", Scope::proxy},
        {"flush-ms", "N", "A crash loses at most so much of the recording (200)", Scope::proxy},
        {"record-values", "BOOL",
         "Keep the literals of statements: true or false; else `?` stands for them", Scope::proxy},
        {"rotate-size", "SIZE", "Go on recording in a new file at this size (never)", Scope::proxy},
        {"rotate-time", "TIME", "Go on recording in a new file after this time (never)",
         Scope::proxy},
        {"alert-webhook", "URL", "POST each anomaly there as JSON", Scope::proxy},
        {"alert-alertmanager", "URL", "Tell a Prometheus Alertmanager of each anomaly",
         Scope::proxy},
        {"alert-command", "COMMAND", "Run by the shell for each anomaly, JSON on its input",
         Scope::proxy},
        {"alert-ca", "FILE",
         "PEM file with who may sign for the https URLs of alerts (whom the system trusts)",
         Scope::proxy},
        {"alert-repeat", "TIME", "The same pattern on the same tables again after (5min)",
         Scope::proxy},
        {"drain-timeout", "TIME", "How long transactions may go on after SIGTERM (30s)",
         Scope::proxy},
    };
    constexpr std::array arguments{"SIZE", "N", "TIME"};
    for (const LimitRow& row : limit_table()) {
        all.push_back(
            {fmt::format("limits.{}", row.name), arguments[static_cast<std::size_t>(row.kind)],
             fmt::format("{} ({})", row.help, written_value(row, Limits{})), Scope::proxy});
    }
    return all;
}

std::string variable_of(std::string_view name) {
    std::string variable = "ISOTAP_";
    for (const char c : name) {
        const bool letter = c >= 'a' && c <= 'z';
        variable.push_back(letter ? static_cast<char>(c - 'a' + 'A') : '_');
    }
    return variable;
}

}  // namespace

std::span<const Setting> settings() {
    static const std::vector<Setting> all = all_settings();
    return all;
}

const Setting* find_setting(std::string_view name) {
    for (const Setting& setting : settings()) {
        if (setting.name == name) {
            return &setting;
        }
    }
    return nullptr;
}

Layer settings_in_environment(const std::function<const char*(const std::string&)>& get) {
    Layer layer;
    for (const Setting& setting : settings()) {
        const std::string variable = variable_of(setting.name);
        if (const char* text = get(variable)) {
            layer[setting.name] = {text, variable};
        }
    }
    return layer;
}

}  // namespace isotap::proxy
