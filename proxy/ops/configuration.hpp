#pragma once

#include <functional>
#include <string>

#include "isotap/proxy/options.hpp"

#include "proxy/ops/configuration_file.hpp"
#include "proxy/ops/setting.hpp"

namespace isotap::proxy {

/// Everything that was said about a proxy, strongest first.
struct Sources {
    Layer command_line;
    Layer environment;
    ConfigurationFile file;
    const char* password = nullptr;  ///< ISOTAP_UPSTREAM_PASSWORD, or null
};

/// Gives what a file holds; throws StartupError (usage) when it cannot.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Reads a small file from disk: configuration, a password, a certificate.
std::string read_small_file(const std::string& path);

/// Merges, checks and reads what the options refer to. Throws StartupError (usage); the message
/// begins with the place where the wrong value stands.
ProxyOptions configure(const Sources& sources, const ReadFile& read);

}  // namespace isotap::proxy
