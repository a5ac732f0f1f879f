#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace isotap::test {

/// A folder that looks like the root of a newer Debian with these packages in it, made once per
/// machine (debian_folder.py says how, and what a package may be); empty, with the reason on
/// stderr, when this machine cannot have it: tests then skip, loudly.
std::filesystem::path debian_folder(const std::string& name,
                                    const std::vector<std::string>& packages);

/// How a program of such a folder starts, with the dynamic linker and the libraries that it was
/// made for: no chroot, so no root, and it sees our files.
std::vector<std::string> program_of(const std::filesystem::path& folder,
                                    const std::string& program);

}  // namespace isotap::test
