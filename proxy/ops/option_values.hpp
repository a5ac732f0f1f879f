#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

/// What the words of options mean. All throw StartupError (usage) and say which words there are;
/// where the wrong one stands, the caller knows.
Mode parse_mode(std::string_view text);
Versions parse_versions(std::string_view text);
SchemaChange parse_schema(std::string_view text);
Prove parse_prove(std::string_view text);
protocol::TlsPolicy parse_tls(std::string_view text);
Io parse_io(std::string_view text);
LogFormat parse_log_format(std::string_view text);
LogLevel parse_log_level(std::string_view text);
OnOverload parse_on_overload(std::string_view text);
bool parse_bool(std::string_view text);
/// A contract that the program carries.
std::string parse_engine(std::string_view text);
std::chrono::milliseconds parse_flush(std::string_view text);
std::string parse_http_url(std::string_view text);
std::size_t parse_threads(std::string_view text);

}  // namespace isotap::proxy
