#include "proxy/ops/percent.hpp"

#include <charconv>

#include <fmt/format.h>

#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {

std::string percent_decoded(std::string_view text, std::string_view what) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = static_cast<unsigned char>(text[i]);
        if (byte == '%') {
            const std::string_view code = text.substr(i + 1, 2);
            const auto [end, error] =
                std::from_chars(code.data(), code.data() + code.size(), byte, 16);
            if (code.size() != 2 || error != std::errc{} || end != code.data() + 2) {
                refuse(
                    fmt::format("the {} has a '%' without two hexadecimal digits: write %25 "
                                "for the sign itself",
                                what));
            }
            i += 2;
        }
        if (byte == 0) {
            refuse(fmt::format("the {} has a NUL in it: leave it out", what));
        }
        decoded.push_back(static_cast<char>(byte));
    }
    return decoded;
}

}  // namespace isotap::proxy
