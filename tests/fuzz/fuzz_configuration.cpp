// A configuration file of any content is refused with its place, or makes options that hold what
// they promise.
#include <cstdint>
#include <cstdlib>

#include "isotap/base/bytes.hpp"
#include "isotap/proxy/startup_error.hpp"

#include "proxy/ops/configuration.hpp"

namespace {

bool sound(const isotap::proxy::ProxyOptions& options) {
    const auto& relay = options.relay;
    return !relay.listeners.empty() && relay.threads >= 1 && relay.threads <= 64 &&
           relay.limits.read_chunk > 0 && relay.limits.sessions > 0 &&
           options.drain_timeout.count() >= 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    isotap::proxy::Sources sources;
    try {
        sources.file =
            isotap::proxy::parse_configuration_file(isotap::as_text({data, size}), "fuzz.toml");
        // No file of this machine: the input decides what is read.
        const auto content = [](const std::string& path) { return path; };
        if (!sound(isotap::proxy::configure(sources, content))) {
            std::abort();
        }
    } catch (const isotap::proxy::StartupError& error) {
        if (error.exit_code() != 2) {
            std::abort();
        }
    }
    return 0;
}
