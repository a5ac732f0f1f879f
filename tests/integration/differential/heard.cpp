#include "tests/integration/differential/heard.hpp"

#include <algorithm>
#include <cstdlib>

namespace isotap::test {
namespace {

std::string first_difference(const std::vector<std::string>& direct,
                             const std::vector<std::string>& through) {
    for (std::size_t i = 0; i < std::max(direct.size(), through.size()); ++i) {
        const std::string one = i < direct.size() ? direct[i] : "nothing more";
        const std::string other = i < through.size() ? through[i] : "nothing more";
        if (one != other) {
            return "\n  direct:  " + one + "\n  through: " + other + "\n";
        }
    }
    return {};
}

}  // namespace

std::string difference(Heard direct, Heard through, bool ordered) {
    if (!ordered) {
        std::sort(direct.rows.begin(), direct.rows.end());
        std::sort(through.rows.begin(), through.rows.end());
    }
    return first_difference(direct.lines, through.lines) +
           first_difference(direct.rows, through.rows);
}

std::uint64_t asked(const char* name, std::uint64_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

}  // namespace isotap::test
