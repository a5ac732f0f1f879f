// Addresses and URLs, as people write them and as they do not.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "isotap/base/bytes.hpp"
#include "isotap/proxy/startup_error.hpp"

#include "proxy/ops/address.hpp"
#include "proxy/ops/upstream_url.hpp"

namespace {

using isotap::proxy::Address;

/// What was read is written so that it is read as the same again.
void check(const Address& address) {
    const std::string text = to_string(address);
    if (isotap::proxy::parse_address(text) != address) {
        std::abort();
    }
}

template <typename Read>
void check_what(Read read) {
    Address address;
    try {
        address = read();
    } catch (const isotap::proxy::StartupError&) {
        return;
    }
    check(address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = isotap::as_text({data, size});
    check_what([&] { return isotap::proxy::parse_address(text); });
    check_what([&] { return isotap::proxy::parse_admin_address(text); });
    check_what([&] { return isotap::proxy::parse_upstream_url(text).address; });
    return 0;
}
