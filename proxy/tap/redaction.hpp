#pragma once

#include <string>
#include <string_view>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// The statement with `?` in place of its literals and without its comments. From where on it is
/// not certain how the server reads the text, there is only `…`: rather nothing than a secret.
std::string redacted(std::string_view statement, history::Dialect dialect);

}  // namespace isotap::proxy
