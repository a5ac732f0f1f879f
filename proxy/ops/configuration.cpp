#include "proxy/ops/configuration.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "isotap/history/transaction_ids.hpp"

#include "proxy/ops/address.hpp"
#include "proxy/ops/limit_table.hpp"
#include "proxy/ops/option_values.hpp"
#include "proxy/ops/quantity.hpp"
#include "proxy/ops/refuse.hpp"
#include "proxy/ops/upstream_url.hpp"

namespace isotap::proxy {
namespace {

using protocol::TlsPolicy;

/// Layers for one listener or for the proxy, strongest first.
class Choice {
  public:
    explicit Choice(std::vector<const Layer*> layers) : layers_(std::move(layers)) {}

    [[nodiscard]] const Given* find(std::string_view name) const {
        assert(find_setting(name) != nullptr && "options are looked up by a name of the table");
        for (const Layer* layer : layers_) {
            if (const auto found = layer->find(name); found != layer->end()) {
                return &found->second;
            }
        }
        return nullptr;
    }

    /// What `parse` makes of the strongest value, or nothing changes. Errors say where it stands.
    template <typename Target, typename Parse>
    bool read(std::string_view name, Target& target, Parse parse) const {
        const Given* given = find(name);
        if (given == nullptr) {
            return false;
        }
        try {
            target = parse(given->text);
        } catch (const StartupError& error) {
            refuse(fmt::format("{}: {}", given->origin, error.what()));
        }
        return true;
    }

  private:
    std::vector<const Layer*> layers_;
};

/// A file that somebody else will parse: here it only has to be there.
std::string parse_readable(const ReadFile& read, const std::string& path) {
    if (read(path).empty()) {
        refuse(fmt::format("{} is empty: name a PEM file", path));
    }
    return path;
}

void read_tap(const Choice& choice, const ReadFile& read, TapOptions& tap) {
    const auto as_it_is = [](const std::string& text) { return text; };
    choice.read("on-overload", tap.on_overload, parse_on_overload);
    choice.read("engine", tap.engine, parse_engine);
    choice.read("record", tap.record, as_it_is);
    choice.read("flush-ms", tap.flush, parse_flush);
    choice.read("record-values", tap.record_values, parse_bool);
    choice.read("rotate-size", tap.rotate_bytes, parse_size);
    choice.read("rotate-time", tap.rotate_after, parse_duration);
    choice.read("alert-webhook", tap.alerts.webhook, parse_http_url);
    choice.read("alert-alertmanager", tap.alerts.alertmanager, parse_http_url);
    choice.read("alert-command", tap.alerts.command, as_it_is);
    choice.read("alert-ca", tap.alerts.authorities,
                [&](const std::string& path) { return parse_readable(read, path); });
    choice.read("alert-repeat", tap.alerts.repeat, parse_duration);
}

/// The first line of a file.
std::string parse_secret(const ReadFile& read, const std::string& path) {
    std::string secret = read(path);
    secret.erase(std::min(secret.find_first_of("\r\n"), secret.size()));
    if (secret.empty()) {
        refuse(fmt::format("the first line of {} is empty: write the secret there", path));
    }
    return secret;
}

void read_tls(const Choice& choice, const ReadFile& read, Listener& listener) {
    const auto readable = [&](const std::string& path) { return parse_readable(read, path); };
    TlsFiles& files = listener.files;
    const bool certificate = choice.read("tls-certificate", files.certificate, readable);
    if (!choice.read("tls-key", files.key, readable)) {
        files.key = files.certificate;
    }
    listener.tls = certificate ? TlsPolicy::mirror : TlsPolicy::opaque;
    choice.read("tls", listener.tls, parse_tls);
    const bool shows_one =
        listener.tls == TlsPolicy::mirror || listener.tls == TlsPolicy::same_certificate;
    if (!certificate && (shows_one || !files.key.empty())) {
        refuse(
            "TLS is asked for without a certificate to show to clients: add tls-certificate, or "
            "leave tls and tls-key out");
    }
}

/// The environment's password stands between a file that the command line names and one that the
/// configuration names, as everything of the environment does.
void read_upstream(const Choice& choice, const Sources& sources, const ReadFile& read,
                   Listener& listener) {
    if (!choice.read("upstream", listener.upstream, parse_upstream_url)) {
        refuse("no server is named: add --upstream postgres://user@host/database or mysql://…");
    }
    const bool file_first = sources.command_line.contains("upstream-password-file");
    if (sources.password != nullptr && !file_first) {
        listener.upstream.password = sources.password;
    } else {
        choice.read("upstream-password-file", listener.upstream.password,
                    [&](const std::string& path) { return parse_secret(read, path); });
    }
    if (const std::string& root = listener.upstream.root_certificate; !root.empty()) {
        choice.read("upstream", listener.upstream.root_certificate,
                    [&](const std::string&) { return parse_readable(read, root); });
    }
}

Listener configure_listener(const Choice& choice, const Sources& sources, const ReadFile& read) {
    Listener listener;
    read_upstream(choice, sources, read, listener);
    if (!choice.read("listen", listener.listen, parse_address)) {
        refuse("no address to listen on is given: add --listen host:port");
    }
    choice.read("mode", listener.mode, parse_mode);
    choice.read("versions", listener.versions, parse_versions);
    choice.read("prove", listener.prove, parse_prove);
    choice.read("schema", listener.schema, parse_schema);
    if (listener.schema != SchemaChange::none && listener.mode != Mode::instrument) {
        refuse("schema is for statements that tell: add mode = instrument, or leave it out");
    }
    if (listener.versions == Versions::system &&
        listener.upstream.dialect == history::Dialect::mysql) {
        refuse(
            "versions = system is for PostgreSQL, whose rows have an xmin: use columns, or leave "
            "it out");
    }
    read_tls(choice, read, listener);
    return listener;
}

/// Who has made a table waits while it is given its columns.
constexpr std::chrono::milliseconds plan_wait_for_columns{1'000};

bool changes_schema(const std::vector<Listener>& listeners) {
    return std::any_of(listeners.begin(), listeners.end(), [](const Listener& listener) {
        return listener.schema != SchemaChange::none;
    });
}

/// With several listeners in the file, one value for all of them cannot be meant.
void check_overrides(const Sources& sources) {
    if (sources.file.listeners.size() < 2) {
        return;
    }
    for (const Layer* layer : {&sources.command_line, &sources.environment}) {
        for (const char* name : {"listen", "upstream"}) {
            if (const auto found = layer->find(name); found != layer->end()) {
                refuse(
                    fmt::format("{}: the file has {} listeners, and this would be the same for "
                                "all: change it there",
                                found->second.origin, sources.file.listeners.size()));
            }
        }
    }
}

std::vector<Listener> configure_listeners(const Sources& sources, const ReadFile& read) {
    check_overrides(sources);
    // A file without such tables describes one listener at its top.
    const std::vector<Layer> one(1);
    const auto& tables = sources.file.listeners.empty() ? one : sources.file.listeners;
    std::vector<Listener> listeners;
    std::set<std::string> taken;
    for (const Layer& table : tables) {
        const Choice choice(
            {&sources.command_line, &sources.environment, &table, &sources.file.top});
        const Listener& made = listeners.emplace_back(configure_listener(choice, sources, read));
        const std::string where = to_string(made.listen);
        if (!taken.insert(where).second && (made.listen.is_unix() || made.listen.port != 0)) {
            refuse(fmt::format("two listeners want {}: give each its own address", where));
        }
    }
    return listeners;
}

}  // namespace

std::string read_small_file(const std::string& path) {
    constexpr std::size_t most = 1U << 20U;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                               std::fclose);
    if (!file) {
        refuse(fmt::format("cannot read {} ({}): check its path and its permissions", path,
                           std::generic_category().message(errno)));
    }
    std::string text(most + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0) {
        refuse(fmt::format("cannot read {}: name a file", path));
    }
    if (text.size() > most) {
        refuse(fmt::format("{} is larger than 1 MiB: name another file", path));
    }
    return text;
}

ProxyOptions configure(const Sources& sources, const ReadFile& read) {
    const Choice choice({&sources.command_line, &sources.environment, &sources.file.top});
    ProxyOptions options;
    options.relay.listeners = configure_listeners(sources, read);
    options.relay.threads = std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1,
                                                    1U << history::TransactionIds::thread_bits);
    choice.read("threads", options.relay.threads, parse_threads);
    choice.read("io", options.relay.io, parse_io);
    choice.read("admin", options.admin,
                [](std::string_view text) { return to_string(parse_admin_address(text)); });
    choice.read("admin-token-file", options.admin_token,
                [&](const std::string& path) { return parse_secret(read, path); });
    choice.read("log-format", options.log_format, parse_log_format);
    choice.read("log-level", options.log_level, parse_log_level);
    choice.read("drain-timeout", options.drain_timeout, parse_duration);
    read_tap(choice, read, options.tap);
    if (changes_schema(options.relay.listeners)) {
        options.relay.limits.plan_wait = plan_wait_for_columns;
    }
    for (const Setting& setting : settings()) {
        constexpr std::string_view prefix = "limits.";
        if (const std::string_view name = setting.name; name.starts_with(prefix)) {
            choice.read(name, options.relay.limits, [&](const std::string& text) {
                Limits limits = options.relay.limits;
                apply_limit(name.substr(prefix.size()), text, limits);
                return limits;
            });
        }
    }
    return options;
}

}  // namespace isotap::proxy
