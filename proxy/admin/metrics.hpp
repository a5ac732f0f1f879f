#pragma once

#include <string>
#include <vector>

#include <prometheus/metric_family.h>

#include "isotap/proxy/counters.hpp"

#include "proxy/ops/log.hpp"
#include "proxy/tap/tap.hpp"

namespace isotap::proxy {

/// The numbers of the relay threads and of the process, as Prometheus reads them. Any thread. The
/// counters, the log and the tap must outlive it.
class Metrics {
  public:
    /// `tap` may be null: then there are only the numbers of the relay.
    Metrics(std::vector<const RelayCounters*> counters, const Log& log, const Tap* tap = nullptr)
        : counters_(std::move(counters)), log_(log), tap_(tap) {}

    [[nodiscard]] std::vector<prometheus::MetricFamily> families() const;

    /// In the text format of Prometheus.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<const RelayCounters*> counters_;
    const Log& log_;
    const Tap* tap_;
};

}  // namespace isotap::proxy
