#include "proxy/commands/output_file.hpp"

#include <fstream>

#include <fmt/format.h>

#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {

void write_file(const std::string& path, const std::string& text) {
    if (path.empty()) {
        return;
    }
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
        refuse(fmt::format("{} cannot be written: choose another place", path));
    }
}

}  // namespace isotap::proxy
