#pragma once

#include <string>

namespace isotap::proxy {

/// A report into the file that an option names; nothing where it names none. Throws StartupError
/// (usage) where it cannot be written.
void write_file(const std::string& path, const std::string& text);

}  // namespace isotap::proxy
