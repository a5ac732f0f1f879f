#include "proxy/ops/option_values.hpp"

#include <initializer_list>

#include <fmt/format.h>

#include "isotap/history/transaction_ids.hpp"

#include "analysis/anomalies/built_in_contracts.hpp"
#include "proxy/ops/quantity.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

using protocol::TlsPolicy;

template <typename Value>
struct Word {
    std::string_view word;
    Value value;
};

template <typename Value>
Value one_of(std::initializer_list<Word<Value>> words, std::string_view text) {
    std::string known;
    for (const auto& [word, value] : words) {
        if (word == text) {
            return value;
        }
        known.append(known.empty() ? "" : ", ").append(word);
    }
    refuse(fmt::format("'{}' is not known: use one of {}", text, known));
}

}  // namespace

Mode parse_mode(std::string_view text) {
    return one_of<Mode>(
        {{"relay", Mode::relay}, {"observe", Mode::observe}, {"instrument", Mode::instrument}},
        text);
}

Versions parse_versions(std::string_view text) {
    return one_of<Versions>({{"auto", Versions::automatic},
                             {"columns", Versions::columns},
                             {"system", Versions::system}},
                            text);
}

SchemaChange parse_schema(std::string_view text) {
    return one_of<SchemaChange>({{"none", SchemaChange::none},
                                 {"auto", SchemaChange::automatic},
                                 {"add", SchemaChange::add}},
                                text);
}

Prove parse_prove(std::string_view text) {
    return one_of<Prove>({{"now", Prove::now}, {"later", Prove::later}}, text);
}

TlsPolicy parse_tls(std::string_view text) {
    return one_of<TlsPolicy>({{"opaque", TlsPolicy::opaque},
                              {"mirror", TlsPolicy::mirror},
                              {"same-certificate", TlsPolicy::same_certificate},
                              {"terminate", TlsPolicy::terminate}},
                             text);
}

Io parse_io(std::string_view text) {
    return one_of<Io>({{"auto", Io::automatic}, {"io_uring", Io::io_uring}, {"epoll", Io::epoll}},
                      text);
}

LogFormat parse_log_format(std::string_view text) {
    return one_of<LogFormat>({{"text", LogFormat::text}, {"json", LogFormat::json}}, text);
}

LogLevel parse_log_level(std::string_view text) {
    return one_of<LogLevel>({{"debug", LogLevel::debug},
                             {"info", LogLevel::info},
                             {"warning", LogLevel::warning},
                             {"error", LogLevel::error}},
                            text);
}

OnOverload parse_on_overload(std::string_view text) {
    return one_of<OnOverload>({{"shed", OnOverload::shed}, {"block", OnOverload::block}}, text);
}

bool parse_bool(std::string_view text) {
    return one_of<bool>({{"true", true}, {"false", false}}, text);
}

/// A contract that the program carries.
std::string parse_engine(std::string_view text) {
    if (analysis::built_in_contract(text) == nullptr) {
        refuse(fmt::format("there is no contract of an engine '{}': 'isotap help proxy' names them",
                           text));
    }
    return std::string(text);
}

std::chrono::milliseconds parse_flush(std::string_view text) {
    constexpr std::uint64_t most = 60'000;
    const std::uint64_t count = parse_count(text);
    if (count < 1 || count > most) {
        refuse(fmt::format("{} is out of range: write 1 to {} milliseconds", text, most));
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(count));
}

std::string parse_http_url(std::string_view text) {
    if (!text.starts_with("http://") && !text.starts_with("https://")) {
        refuse("an alert goes to http://host:port/path or https://host/path");
    }
    return std::string(text);
}

std::size_t parse_threads(std::string_view text) {
    // Transaction ids have room for so many.
    constexpr std::uint64_t most = 1U << history::TransactionIds::thread_bits;
    const std::uint64_t threads = parse_count(text);
    if (threads < 1 || threads > most) {
        refuse(fmt::format("{} is out of range: write 1 to {}", text, most));
    }
    return static_cast<std::size_t>(threads);
}

}  // namespace isotap::proxy
