#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "isotap/analysis/contract.hpp"

#include "proxy/ops/log.hpp"
#include "proxy/relay/relay.hpp"
#include "proxy/workload/condition_witness.hpp"
#include "proxy/workload/kept_events.hpp"
#include "proxy/workload/watch.hpp"

namespace isotap::proxy {

/// A private isotap before the server, a new one for each run, so that no run knows of another.
/// Tables whose rows have no name get the columns of `isotap schema` first. Nothing is lost and no
/// statement passes before its plan is proved: time is not what scenarios are about. Events are
/// kept until the run has ended, since what conditions would have matched is known only then.
class TapWatch final : public Watch {
  public:
    /// `engine` as workloads call it. Throws StartupError where there is no contract of it.
    TapWatch(Upstream server, const std::string& engine, Versions versions);

    /// Throws StartupError when a port cannot be had. The server outlives the run.
    void begin(Server& server) override;
    [[nodiscard]] const Upstream& address() const noexcept override { return address_; }
    void look() override;
    workload::Sighting end() override;

  private:
    struct Close {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    void name_rows(Server& server);

    Upstream server_;
    Versions versions_;
    Upstream address_;
    std::unique_ptr<std::FILE, Close> nowhere_;  ///< what the log says stands in the sighting
    Log log_;
    analysis::Contract contract_;
    std::optional<KeptEvents> events_;
    std::optional<ConditionWitness> witness_;
    std::unique_ptr<Relay> relay_;
    std::string obstacle_;  ///< why rows of this run got no names
};

}  // namespace isotap::proxy
