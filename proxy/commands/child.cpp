#include "proxy/commands/child.hpp"

#include <cassert>
#include <csignal>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

constexpr int passed_on[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        out += plain ? std::string(1, c)
                     : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
    return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

/// Our environment with changes, as `posix_spawn` takes it.
class Environment {
  public:
    explicit Environment(const std::map<std::string, std::string>& changes) {
        for (char** entry = environ; *entry != nullptr; ++entry) {
            const std::string_view text(*entry);
            if (!changes.contains(std::string(text.substr(0, text.find('='))))) {
                texts_.emplace_back(text);
            }
        }
        for (const auto& [name, value] : changes) {
            if (!value.empty()) {
                texts_.push_back(name + "=" + value);
            }
        }
        for (std::string& text : texts_) {
            pointers_.push_back(text.data());
        }
        pointers_.push_back(nullptr);
    }
    [[nodiscard]] char** get() noexcept { return pointers_.data(); }

  private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

/// The child begins as it would without us: no signal blocked, none ignored.
class SpawnAttributes {
  public:
    SpawnAttributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t none{};
        sigset_t all{};
        sigemptyset(&none);
        sigemptyset(&all);
        for (const int signal : passed_on) {
            sigaddset(&all, signal);
        }
        sigaddset(&all, SIGPIPE);
        sigaddset(&all, SIGXFSZ);
        sigaddset(&all, SIGCHLD);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;

    [[nodiscard]] const posix_spawnattr_t* get() const noexcept { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

pid_t spawn(const std::vector<std::string>& words,
            const std::map<std::string, std::string>& variables) {
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    arguments.reserve(copies.size() + 1);
    for (std::string& word : copies) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    Environment environment(variables);
    const SpawnAttributes attributes;
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments.front(), nullptr, attributes.get(),
                                   arguments.data(), environment.get());
    if (error != 0) {
        throw StartupError(StartupError::Kind::usage,
                           fmt::format("cannot run {} ({}): name a program behind --",
                                       words.front(), std::generic_category().message(error)));
    }
    return child;
}

int code_of(int status) noexcept {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string url_through(const Upstream& upstream, const Address& proxy) {
    std::string url = upstream.dialect == history::Dialect::mysql ? "mysql://" : "postgres://";
    if (!upstream.user.empty()) {
        url += percent_encoded(upstream.user);
        if (!upstream.password.empty()) {
            url += ":" + percent_encoded(upstream.password);
        }
        url += "@";
    }
    url += to_string(proxy);
    return upstream.database.empty() ? url : url + "/" + percent_encoded(upstream.database);
}

std::vector<std::string> filled_in(std::vector<std::string> words, const Upstream& upstream,
                                   const Address& proxy) {
    for (std::string& word : words) {
        replace_all(word, "{host}", proxy.host);
        replace_all(word, "{port}", std::to_string(proxy.port));
        replace_all(word, "{url}", url_through(upstream, proxy));
    }
    return words;
}

std::map<std::string, std::string> variables_for(const Upstream& upstream, const Address& proxy) {
    std::map<std::string, std::string> variables{{"DATABASE_URL", url_through(upstream, proxy)},
                                                 // What is ours alone is not the child's business.
                                                 {"ISOTAP_UPSTREAM_PASSWORD", ""}};
    const std::string port = std::to_string(proxy.port);
    const auto add = [&variables](const char* name, const std::string& value) {
        if (!value.empty()) {
            variables[name] = value;
        }
    };
    if (upstream.dialect == history::Dialect::mysql) {
        add("MYSQL_HOST", proxy.host);
        add("MYSQL_TCP_PORT", port);
        add("MYSQL_USER", upstream.user);
        add("MYSQL_DATABASE", upstream.database);
        add("MYSQL_PWD", upstream.password);
        variables["MYSQL_UNIX_PORT"] = "";
        return variables;
    }
    add("PGHOST", proxy.host);
    add("PGPORT", port);
    add("PGUSER", upstream.user);
    add("PGDATABASE", upstream.database);
    add("PGPASSWORD", upstream.password);
    variables["PGHOSTADDR"] = "";
    variables["PGSERVICE"] = "";
    return variables;
}

int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& variables) {
    assert(!words.empty());
    const pid_t child = spawn(words, variables);
    sigset_t awaited{};
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    for (const int signal : passed_on) {
        sigaddset(&awaited, signal);
    }
    while (true) {
        int status = 0;
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return code_of(status);
        }
        siginfo_t came{};
        const int signal = sigwaitinfo(&awaited, &came);
        // A key on the terminal reaches the whole foreground group: the child has it already.
        const bool from_terminal = came.si_code == SI_KERNEL;
        if (signal > 0 && signal != SIGCHLD && !from_terminal) {
            kill(child, signal);
        }
    }
}

}  // namespace isotap::proxy
