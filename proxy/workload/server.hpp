#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/workload/scenario.hpp"
#include "proxy/workload/client.hpp"

namespace isotap::proxy {

/// One connection waits for another, by the server's numbers.
struct LockWait {
    std::uint64_t waiter = 0;
    std::uint64_t blocker = 0;  ///< 0: the server knows that it waits, not for whom
};

/// The server that scenarios run on, over a connection of its own: what it is, who waits for whom
/// there, and a scratch schema that nobody else has. The destructor removes the schema. One thread.
class Server {
  public:
    /// Throws StartupError (server) when it cannot be reached.
    static std::unique_ptr<Server> open(const Upstream& target);

    virtual ~Server() = default;

    /// What it says that it is.
    [[nodiscard]] const workload::ServerPattern& what() const noexcept { return what_; }
    [[nodiscard]] virtual std::vector<history::IsolationLevel> levels() const = 0;

    /// Empties the scratch schema. Nobody may be connected to it.
    virtual void renew_scratch() = 0;

    /// A connection that means the scratch schema; `where` is this server, or a proxy before it.
    virtual std::unique_ptr<Client> connect(const Upstream& where) = 0;

    virtual void set_level(Client& client, history::IsolationLevel level) = 0;

    /// Called before a statement goes to an idle session; `others_wait`: some other session does.
    /// Makes the server choose the victim of a deadlock the same way each time, if it needs that.
    virtual void before_statement(Client& client, bool others_wait) = 0;

    /// Who of these waits, and for whom, as of now.
    virtual std::vector<LockWait> waits(std::span<const std::uint64_t> connections) = 0;

    /// Ends the statement that a connection is at.
    virtual void cancel(std::uint64_t connection) = 0;

  protected:
    workload::ServerPattern what_;
};

std::unique_ptr<Server> open_postgres_server(const Upstream& target);
std::unique_ptr<Server> open_mysql_server(const Upstream& target);

/// The answer of a statement that must work; throws StartupError (server) when it does not.
workload::Answer must(Client& client, const std::string& sql);

/// The name of the scratch schema: one for each process.
std::string scratch_name();

}  // namespace isotap::proxy
