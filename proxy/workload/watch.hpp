#pragma once

#include <optional>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "analysis/workload/run.hpp"

namespace isotap::proxy {

class Server;

/// What stands between the sessions of a scenario and the server. One thread.
class Watch {
  public:
    virtual ~Watch() = default;

    /// Called before each run: the tables of the scenario are there, no session is.
    virtual void begin(Server& server) = 0;

    /// Where sessions connect to, from `begin` to `end`.
    [[nodiscard]] virtual const Upstream& address() const noexcept = 0;

    /// Called whenever everything under way has been answered or waits.
    virtual void look() = 0;

    /// Called when every session has ended: what was seen since `begin`.
    virtual workload::Sighting end() = 0;
};

/// Nothing at all: `--direct`.
class NoWatch final : public Watch {
  public:
    explicit NoWatch(Upstream server) : server_(std::move(server)) {}

    void begin(Server& /*server*/) override {}
    [[nodiscard]] const Upstream& address() const noexcept override { return server_; }
    void look() override {}
    workload::Sighting end() override { return {}; }

  private:
    Upstream server_;
};

}  // namespace isotap::proxy
