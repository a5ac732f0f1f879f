#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/document_reports.hpp"
#include "analysis/report/json_report.hpp"
#include "analysis/report/short_names.hpp"
#include "analysis/report/text_report.hpp"
#include "proxy/catalog/table_lender.hpp"
#include "proxy/commands/child.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/commands/output_file.hpp"
#include "proxy/commands/settings_said.hpp"
#include "proxy/ops/configuration.hpp"
#include "proxy/ops/log.hpp"
#include "proxy/ops/option_values.hpp"
#include "proxy/ops/process.hpp"
#include "proxy/ops/refuse.hpp"
#include "proxy/relay/relay.hpp"
#include "proxy/tap/live_findings.hpp"
#include "proxy/tap/tap.hpp"

namespace isotap::proxy {
namespace {

/// Where the options of `proxy` make sense for a proxy that lives as long as one program.
constexpr std::string_view taken_over[] = {"upstream",
                                           "upstream-password-file",
                                           "mode",
                                           "tls",
                                           "tls-certificate",
                                           "tls-key",
                                           "engine",
                                           "record",
                                           "threads",
                                           "log-level",
                                           "log-format",
                                           "on-overload",
                                           "record-values"};

/// The program has ended: how long its sessions may still take to say what is theirs to say.
constexpr std::chrono::seconds drain_patience{5};

constexpr int anomalies_found = 1;

struct ExecLine {
    Layer given;
    std::optional<Given> schema;
    std::string fail_on = "violation";
    std::string json_file;
    std::string junit_file;
    std::string html_file;
};

std::unique_ptr<CLI::App> make_app(ExecLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Runs a program behind a proxy of its own, and reports what its transactions did to one "
        "another:\nisotap exec --upstream URL [OPTIONS] -- COMMAND [ARGUMENTS]…",
        "isotap exec");
    for (const std::string_view name : taken_over) {
        take_setting(*app, *find_setting(name), line.given);
    }
    app->add_option_function<std::string>(
           "--schema",
           [&line](const std::string& how) {
               line.schema = Given{how, "--schema"};
           },
           "Columns that name rows and versions: 'auto' lends them for the run where they "
           "cannot be seen (MariaDB, MySQL), 'add' puts them on for good, 'none' leaves all as it "
           "is (auto)")
        ->check(CLI::IsMember({"auto", "add", "none"}))
        ->type_name("HOW");
    app->add_option("--fail-on", line.fail_on,
                    "End with 1 on a violation, or on a hazard as well (violation)")
        ->check(CLI::IsMember({"violation", "hazard"}))
        ->type_name("SEVERITY");
    app->add_option("--json", line.json_file, "Write the report as JSON")->type_name("FILE");
    app->add_option("--junit", line.junit_file, "Write it as JUnit")->type_name("FILE");
    app->add_option("--html", line.html_file, "Write it as a page")->type_name("FILE");
    app->footer(
        "The program finds the proxy by PGHOST, PGPORT, MYSQL_HOST, MYSQL_TCP_PORT, DATABASE_URL "
        "and\ntheir like, or by {host}, {port} and {url} in its arguments. Its exit code is ours; "
        "0 becomes 1\nwhen anomalies were found. The report goes to stderr.");
    return app;
}

/// What a test suite needs where nothing else is said: nothing is lost, and everything is shown.
Sources gather(const ExecLine& line) {
    Sources sources = said_by_environment();
    const Given ours{"", "isotap exec"};
    sources.command_line = line.given;
    sources.command_line["listen"] = {"127.0.0.1:0", ours.origin};
    for (const auto& [name, text] : {std::pair{"mode", "instrument"},
                                     {"on-overload", "block"},
                                     {"record-values", "true"},
                                     {"limits.plan-wait", "5s"},
                                     {"log-level", "error"}}) {
        if (!sources.environment.contains(name)) {
            sources.command_line.try_emplace(name, Given{text, ours.origin});
        }
    }
    return sources;
}

/// What the environment says of `schema` means the same as the option here, and is kept from the
/// proxy, which would give the columns for good.
SchemaChange take_schema(const ExecLine& line, Layer& environment) {
    const auto said = environment.extract("schema");
    const Given ours{"auto", "isotap exec"};
    const Given how = line.schema.value_or(said.empty() ? ours : said.mapped());
    try {
        return parse_schema(how.text);
    } catch (const StartupError& error) {
        refuse(fmt::format("{}: {}", how.origin, error.what()));
    }
}

/// Keeps signals for `run_child`: threads that are started later never see them.
void block_signals() {
    sigset_t held{};
    sigemptyset(&held);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) {
        sigaddset(&held, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

void report(const Tap& tap, const std::string& command, const ExecLine& line) {
    const LiveFindings live = live_findings(tap, command);
    const analysis::ShortNames labels(live.names, live.findings.anomalies);
    std::ostringstream text;
    write_text_report(live.findings, labels, text);
    std::cerr << "\nisotap: " << text.str();
    if (!line.json_file.empty()) {
        write_file(line.json_file, json_report(live.findings, live.names) + "\n");
    }
    if (!line.html_file.empty()) {
        write_file(line.html_file, html_report(live.findings, labels));
    }
    if (!line.junit_file.empty()) {
        const analysis::JunitCase one{&live.findings, text.str()};
        write_file(line.junit_file,
                   analysis::junit_report({&one, 1}, line.fail_on == "hazard"
                                                         ? analysis::Severity::hazard
                                                         : analysis::Severity::violation));
    }
}

bool fails(const Tap& tap, const std::string& fail_on) {
    const analysis::Verdict verdict = tap.status().verdict;
    return verdict == analysis::Verdict::violation ||
           (fail_on == "hazard" && verdict == analysis::Verdict::hazard);
}

/// The columns of tables while the program runs, as `--schema` has it.
class LentColumns {
  public:
    LentColumns(const Listener& listener, SchemaChange how, Log& log)
        : keeps_(how == SchemaChange::add), database_(listener.upstream.database) {
        // PostgreSQL names rows and versions by itself; and there everybody would see the columns.
        const bool needed = listener.mode == Mode::instrument &&
                            listener.upstream.dialect == history::Dialect::mysql;
        if (needed && how != SchemaChange::none) {
            lender_.emplace(listener.upstream, TableLender::Which::every, log);
        }
    }
    ~LentColumns() { end(); }
    LentColumns(const LentColumns&) = delete;
    LentColumns& operator=(const LentColumns&) = delete;

    /// For tables that are there, now; for those that come, before their statements are planned.
    void begin(Listener& listener) {
        if (lender_) {
            lender_->lend_to_what_is_there(database_);
            lender_->follow(listener);
        }
    }

    /// Nobody uses the tables through us any more.
    void end() {
        if (lender_ && !keeps_ && !lender_->take_back()) {
            std::cerr << "isotap: tables have columns that were lent to them: take them away with "
                         "'isotap schema drop URL'\n";
        }
    }

  private:
    bool keeps_;
    std::string database_;
    std::optional<TableLender> lender_;
};

/// A report about nothing says too little to whoever has mistaken an address.
void tell_of_connections(const Relay& relay, const Upstream& upstream, const Address& proxy,
                         const std::string& command) {
    std::uint64_t opened = 0;
    std::uint64_t failed = 0;
    for (const RelayCounters* counters : relay.counters()) {
        opened += counters->sessions_opened.value();
        failed += counters->dial_failures.value();
    }
    if (opened == 0) {
        std::cerr << fmt::format(
            "\nisotap: {} has made no connection to {}: 'isotap help exec' says how programs find "
            "the way\n",
            command, to_string(proxy));
    } else if (failed > 0) {
        std::cerr << fmt::format(
            "\nisotap: {} of {} connections found no server at {}: does it run there, as "
            "--upstream says?\n",
            failed, opened, to_string(upstream.address));
    }
}

int run_behind_proxy(ProxyOptions options, SchemaChange schema,
                     const std::vector<std::string>& words, const ExecLine& line) {
    block_signals();
    raise_descriptor_limit();
    Log log(options.log_format, options.log_level);
    Tap tap(options, log);
    if (const auto recording = tap.recording(); recording && !recording->error.empty()) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("cannot record into {} ({}): choose another file",
                                       recording->path, recording->error));
    }
    LentColumns columns(options.relay.listeners.front(), schema, log);
    columns.begin(options.relay.listeners.front());
    Relay relay(
        options.relay, [&tap](RelayCounters& counters) { return tap.sink_of_thread(counters); },
        log);
    const Address proxy = relay.addresses().front();
    const Upstream& upstream = options.relay.listeners.front().upstream;
    tap.start();
    relay.start();
    const int code = run_child(filled_in(words, upstream, proxy), variables_for(upstream, proxy));
    relay.finish(drain_patience);
    columns.end();
    tap.stop();
    tell_of_connections(relay, upstream, proxy, words.front());
    report(tap, words.front(), line);
    return code == 0 && fails(tap, line.fail_on) ? anomalies_found : code;
}

}  // namespace

int run_exec(const std::vector<std::string>& arguments) {
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    ExecLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(std::make_reverse_iterator(end), arguments.rend()));
    if (end == arguments.end() || end + 1 == arguments.end()) {
        refuse("there is no program to run: write it behind --, as in 'isotap exec … -- pytest'");
    }
    Sources sources = gather(line);
    const SchemaChange schema = take_schema(line, sources.environment);
    return run_behind_proxy(configure(sources, read_small_file), schema, {end + 1, arguments.end()},
                            line);
}

std::string help_for_exec() {
    ExecLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
