#pragma once

#include <string>

#include "proxy/tap/anomaly_record.hpp"

namespace isotap::proxy {

/// One anomaly as a JSON object, in the shape that `check --json` gives it.
std::string document_of(const AnomalyRecord& record);

}  // namespace isotap::proxy
