#pragma once

#include <string_view>

#include <boost/json.hpp>

#include "tests/support/isotap_process.hpp"

namespace isotap::test {

/// What the admin address answers for a path under /api.
boost::json::value ask(IsotapProcess& isotap, std::string_view path);

/// Until no client is left in what was analysed, and time enough has passed by the proxy's own
/// clock for what only time decides: of whom versions are that nobody knows. Call it when all
/// clients have gone. Fails the test when it does not come to that.
void await_analysis(IsotapProcess& isotap);

}  // namespace isotap::test
