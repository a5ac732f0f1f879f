#pragma once

#include <vector>

#include <prometheus/metric_family.h>

#include "proxy/tap/tap.hpp"

namespace isotap::proxy {

/// What lies behind the relay threads, as Prometheus reads it.
void add_tap_metrics(const Tap& tap, std::vector<prometheus::MetricFamily>& all);

}  // namespace isotap::proxy
