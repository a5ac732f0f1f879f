#pragma once

#include <string>
#include <vector>

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include "isotap/proxy/counters.hpp"

#include "proxy/ops/log.hpp"

namespace isotap::proxy {

/// The numbers of the relay threads and of the process, as Prometheus reads them. Any thread. The
/// counters and the log must outlive it.
class Metrics : public prometheus::Collectable {
  public:
    Metrics(std::vector<const RelayCounters*> counters, const Log& log)
        : counters_(std::move(counters)), log_(log) {}

    [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

    /// In the text format of Prometheus.
    [[nodiscard]] std::string text() const;

  private:
    std::vector<const RelayCounters*> counters_;
    const Log& log_;
};

}  // namespace isotap::proxy
