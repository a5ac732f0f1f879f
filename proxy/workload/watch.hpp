#pragma once

#include <optional>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "analysis/workload/run.hpp"

namespace isotap::proxy {

/// What stands between the sessions of a scenario and the server. One thread.
class Watch {
  public:
    virtual ~Watch() = default;

    /// Where sessions connect to.
    [[nodiscard]] virtual const Upstream& address() const noexcept = 0;

    /// Called when every session of a run has ended: the anomalies found since the last call.
    /// Nothing: nobody looked.
    virtual std::optional<std::vector<workload::FoundAnomaly>> collect() = 0;
};

/// Nothing at all: `--direct`.
class NoWatch final : public Watch {
  public:
    explicit NoWatch(Upstream server) : server_(std::move(server)) {}

    [[nodiscard]] const Upstream& address() const noexcept override { return server_; }
    std::optional<std::vector<workload::FoundAnomaly>> collect() override { return std::nullopt; }

  private:
    Upstream server_;
};

}  // namespace isotap::proxy
