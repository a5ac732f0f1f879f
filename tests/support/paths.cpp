#include "tests/support/paths.hpp"

#include <cstdlib>

namespace isotap::test {
namespace {

std::filesystem::path said_or(const char* variable, const char* compiled) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    return value == nullptr ? compiled : value;
}

}  // namespace

std::filesystem::path source_folder() {
    return said_or("ISOTAP_SOURCE", ISOTAP_SOURCE_FOLDER);
}
std::filesystem::path build_folder() {
    return said_or("ISOTAP_BUILD", ISOTAP_BUILD_FOLDER);
}

}  // namespace isotap::test
