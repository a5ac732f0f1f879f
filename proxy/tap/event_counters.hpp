#pragma once

#include "isotap/history/events.hpp"
#include "isotap/proxy/counters.hpp"

namespace isotap::proxy {

/// Counts what sessions tell: all that `observe` needs for metrics. On the thread that owns the
/// counters, which must outlive it.
class EventCounters final : public history::EventSink {
  public:
    explicit EventCounters(RelayCounters& counters) noexcept : counters_(counters) {}

    void accept(const history::Event& event) noexcept override;

  private:
    void count(const history::StatementEnded& ended) noexcept;
    void count(const history::TransactionEnded& ended) noexcept;

    RelayCounters& counters_;
};

}  // namespace isotap::proxy
