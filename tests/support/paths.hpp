#pragma once

#include <filesystem>

namespace isotap::test {

/// Roots of the source and the build tree. ctest says them (ISOTAP_SOURCE, ISOTAP_BUILD); a program
/// started by hand finds them as they were when it was compiled.
std::filesystem::path source_folder();
std::filesystem::path build_folder();

/// The program under test.
inline std::filesystem::path isotap_program() {
    return build_folder() / "isotap";
}

}  // namespace isotap::test
