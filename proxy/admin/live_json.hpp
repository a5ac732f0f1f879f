#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "proxy/tap/anomaly_record.hpp"

namespace isotap::proxy {

/// An anomaly with all that a person wants to see of it: what `check --json` says, and besides the
/// times of its statements, the reason of each edge and what would have prevented it. Times are
/// microseconds since 1970.
boost::json::object live_json(const AnomalyRecord& record);

/// A transaction and its statements, with times.
boost::json::object live_json(const KeptTransaction& transaction);

}  // namespace isotap::proxy
