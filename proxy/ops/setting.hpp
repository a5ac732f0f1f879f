#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

/// The options of `isotap proxy`: one table for the command line, the environment, the file and the
/// help, so that a name means the same everywhere.
namespace isotap::proxy {

/// A value as it was written, and where: `--listen`, `ISOTAP_LISTEN` or `proxy.toml:12: listen`.
struct Given {
    std::string text;
    std::string origin;
};

/// What one place says, by the name of the option.
using Layer = std::map<std::string, Given, std::less<>>;

enum class Scope : std::uint8_t {
    proxy,     ///< once
    listener,  ///< may stand in a [[listener]] table; above them it holds for all of them
};

struct Setting {
    std::string name;  ///< `drain-timeout`, `limits.sessions`
    std::string argument;
    std::string help;
    Scope scope = Scope::proxy;
};

/// Every option that may stand in a file, in the order of the help. Made once; thread-safe.
std::span<const Setting> settings();

/// Null when there is none of that name.
const Setting* find_setting(std::string_view name);

/// The values that variables of the environment give: ISOTAP_DRAIN_TIMEOUT for `drain-timeout`.
/// Variables that are no option are somebody else's.
Layer settings_in_environment(const std::function<const char*(const std::string&)>& get);

}  // namespace isotap::proxy
