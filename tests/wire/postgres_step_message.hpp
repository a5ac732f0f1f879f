#pragma once

#include <optional>
#include <string>

#include "tests/wire/wire_script.hpp"

namespace isotap::test {

/// The bytes of a step that names a message (`Query "SELECT 1"`, `Bind …`, `Bytes 00 ff`); empty
/// when the step is none. Throws on arguments that do not fit.
std::optional<std::string> message_of(const Step& step);

/// The name of a message of the server, as the protocol document calls it.
std::string_view backend_name(char type);

/// The type byte of a server message by its name; throws when there is none.
char backend_type(std::string_view name);

}  // namespace isotap::test
