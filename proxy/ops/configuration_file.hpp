#pragma once

#include <string_view>
#include <vector>

#include "proxy/ops/setting.hpp"

namespace isotap::proxy {

/// What a TOML file says: the options at its top, and those of each [[listener]] table.
struct ConfigurationFile {
    Layer top;
    std::vector<Layer> listeners;
};

/// Reads the text of a configuration file; `name` is what errors call it. Throws StartupError
/// (usage) with name and line for what is no TOML, for unknown options and for values that are
/// neither text nor a whole number. The values themselves are looked at by `configure`.
ConfigurationFile parse_configuration_file(std::string_view text, std::string_view name);

}  // namespace isotap::proxy
