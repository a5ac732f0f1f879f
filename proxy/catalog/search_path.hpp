#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isotap::proxy {

/// The list behind SET search_path TO, as the setting's value spells it: names in double quotes.
/// Nothing when it is no plain list of names, or when functions of the client would come before
/// the server's own. What a client wrote is read, never run.
std::optional<std::string> search_path_value(std::string_view list);

}  // namespace isotap::proxy
