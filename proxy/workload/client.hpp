#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "analysis/workload/run.hpp"

namespace isotap::proxy {

/// One connection of a scenario, through the engine's own client library. Calls wait for the
/// server. One thread at a time.
class Client {
  public:
    virtual ~Client() = default;

    /// Never throws because of what the server says: that is the answer, without its notices. A
    /// connection that is gone is StartupError (failure).
    virtual workload::Answer execute(const std::string& sql) = 0;

    /// The notices since the last call, also of a statement that runs. Any thread.
    virtual std::vector<std::string> hear() { return {}; }

    /// Whether the server holds a transaction open, good or failed.
    [[nodiscard]] virtual bool in_transaction() const = 0;

    /// As the server counts its connections. Any thread.
    [[nodiscard]] virtual std::uint64_t id() const noexcept = 0;
};

/// `scratch` is the schema or database that statements without one mean; empty: the URL's. Throws
/// StartupError (failure) when the connection cannot be made.
std::unique_ptr<Client> connect_postgres(const Upstream& where, const std::string& scratch);
std::unique_ptr<Client> connect_mysql(const Upstream& where, const std::string& scratch);

}  // namespace isotap::proxy
