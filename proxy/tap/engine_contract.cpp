#include "proxy/tap/engine_contract.hpp"

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "analysis/anomalies/built_in_contracts.hpp"

namespace isotap::proxy {

const analysis::Contract& engine_contract(std::string_view engine) {
    const analysis::Contract* contract = analysis::built_in_contract(engine);
    if (contract == nullptr) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("there is no contract of an engine '{}'", engine));
    }
    return *contract;
}

}  // namespace isotap::proxy
