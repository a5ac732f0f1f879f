#pragma once

#include <filesystem>
#include <string>

namespace isotap::test {

/// The source of an application's suite, fetched once, as `suite_source.py` names it. Empty, with
/// the reason on stderr, where it cannot be had.
std::filesystem::path source_of_suite(const std::string& name);

}  // namespace isotap::test
