#include "isotap/proxy/version.hpp"

namespace isotap::proxy {

std::string_view version() noexcept {
    return ISOTAP_VERSION;
}

}  // namespace isotap::proxy
