#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "proxy/admin/http_server.hpp"
#include "proxy/admin/live_api.hpp"
#include "proxy/admin/metrics.hpp"
#include "proxy/catalog/table_lender.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/commands/settings_said.hpp"
#include "proxy/ops/address.hpp"
#include "proxy/ops/configuration.hpp"
#include "proxy/ops/embedded_text.hpp"
#include "proxy/ops/log.hpp"
#include "proxy/ops/process.hpp"
#include "proxy/ops/supervisor.hpp"
#include "proxy/ops/systemd.hpp"
#include "proxy/relay/relay.hpp"
#include "proxy/tap/tap.hpp"

namespace isotap::proxy {
namespace {

/// What stands on the command line of `isotap proxy`.
struct CommandLine {
    Layer given;
    std::string configuration;  ///< path; empty: none
    bool check_only = false;
};

/// The options of the table, and the two that make no sense in a file.
void define_options(CLI::App& app, CommandLine& line) {
    app.add_option("--config", line.configuration, "Read options from this TOML file")
        ->type_name("FILE");
    app.add_flag("--check-config", line.check_only,
                 "Check the options, say what is wrong, and end");
    for (const Setting& setting : settings()) {
        take_setting(app, setting, line.given)
            ->group(setting.name.starts_with("limits.") ? "Limits" : "Options");
    }
}

std::unique_ptr<CLI::App> make_app(CommandLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Stands between clients and one database server, and forwards what they say.",
        "isotap proxy");
    app->footer(
        "Every option may also stand in the file, under the same name, and in the "
        "environment:\nISOTAP_DRAIN_TIMEOUT for --drain-timeout. The command line counts "
        "first, then the\nenvironment, then the file.");
    define_options(*app, line);
    return app;
}

Sources gather(const CommandLine& line) {
    Sources sources = said_by_environment();
    sources.command_line = line.given;
    if (!line.configuration.empty()) {
        sources.file =
            parse_configuration_file(read_small_file(line.configuration), line.configuration);
    }
    return sources;
}

/// What is allowed but rarely meant.
void warn(const ProxyOptions& options, Log& log) {
    for (const Listener& listener : options.relay.listeners) {
        const bool opaque = listener.tls == protocol::TlsPolicy::opaque;
        if (opaque && listener.upstream.tls == protocol::ServerTls::require) {
            log.line(LogLevel::warning,
                     "sslmode is left to the clients of " + to_string(listener.listen),
                     "with tls = opaque the proxy asks for no TLS itself");
        }
    }
    if (!options.admin.empty() && options.admin_token.empty() &&
        !is_loopback(parse_admin_address(options.admin))) {
        log.line(LogLevel::warning, "the admin page is open to the network",
                 "add --admin-token-file or serve it on a loopback address");
    }
}

void announce(const Relay& relay, const HttpServer* admin) {
    for (const Address& address : relay.addresses()) {
        fmt::print("isotap: listening on {}\n", to_string(address));
    }
    if (admin != nullptr) {
        fmt::print("isotap: admin on http://{}\n", to_string(admin->address()));
    }
    std::fflush(stdout);
    notify_systemd("READY=1");
}

/// The columns of tables, as each listener's `schema` has it. They stay when the proxy ends.
std::vector<std::unique_ptr<TableLender>> lend_columns(std::vector<Listener>& listeners, Log& log) {
    std::vector<std::unique_ptr<TableLender>> lenders;
    for (Listener& listener : listeners) {
        // PostgreSQL names rows and versions by itself.
        if (listener.schema == SchemaChange::none ||
            listener.upstream.dialect != history::Dialect::mysql) {
            continue;
        }
        const bool every = listener.schema == SchemaChange::add;
        const auto which = every ? TableLender::Which::every : TableLender::Which::made;
        lenders.push_back(std::make_unique<TableLender>(listener.upstream, which, log));
        if (every) {
            lenders.back()->lend_to_what_is_there(listener.upstream.database);
        }
        lenders.back()->follow(listener);
    }
    return lenders;
}

int serve(ProxyOptions options) {
    const HeldSignals signals;
    raise_descriptor_limit();
    Log log(options.log_format, options.log_level);
    warn(options, log);
    Tap tap(options, log);
    const auto lenders = lend_columns(options.relay.listeners, log);
    const auto into_tap = [&tap](RelayCounters& counters) { return tap.sink_of_thread(counters); };
    Relay relay(options.relay, into_tap, log);
    Supervisor supervisor(signals.descriptor(), options.drain_timeout, relay, log);
    const Metrics metrics(relay.counters(), log, &tap);
    const LiveApi api(tap);
    const Pages pages({.metrics = [&] { return metrics.text(); },
                       .ready = [&] { return !supervisor.draining(); },
                       .page = embedded_text("page.html"),
                       .api = [&](std::string_view path) { return api.answer(path); },
                       .feed = [&](std::uint64_t after) { return api.feed(after); }},
                      options.admin_token);
    std::optional<HttpServer> admin;
    if (!options.admin.empty()) {
        admin.emplace(supervisor.io(), parse_admin_address(options.admin), pages);
    }
    tap.start();
    relay.start();
    announce(relay, admin ? &*admin : nullptr);
    const std::size_t cut = supervisor.run();
    tap.stop();
    return cut == 0 ? 0 : 3;
}

}  // namespace

int run_proxy(const std::vector<std::string>& arguments) {
    CommandLine line;
    const auto app = make_app(line);
    // CLI11 takes them from the back.
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    ProxyOptions options = configure(gather(line), read_small_file);
    if (line.check_only) {
        fmt::print("isotap: the configuration is good: {} listeners\n",
                   options.relay.listeners.size());
        return 0;
    }
    return serve(std::move(options));
}

std::string help_for_proxy() {
    CommandLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
