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

/// A version of a row of the scratch schema that had been committed when somebody looked.
struct SeenRow {
    std::string table;
    history::RowKey key;  ///< as accesses name it
    /// The last 32 bits of the server's number for its writer; of ours, where the row itself names
    /// him. 0: before us.
    std::uint32_t version = 0;
    std::string image;  ///< all columns, as `matches` takes them
};

/// The server that scenarios run on, over a connection of its own: what it is, who waits for whom
/// there, and a scratch schema that nobody else has. The destructor removes the schema. One thread.
class Server {
  public:
    /// Throws StartupError (failure) when it cannot be reached.
    static std::unique_ptr<Server> open(const Upstream& target);

    virtual ~Server() = default;

    /// How to reach it.
    [[nodiscard]] const Upstream& target() const noexcept { return target_; }

    /// What it says that it is.
    [[nodiscard]] const workload::ServerPattern& what() const noexcept { return what_; }
    [[nodiscard]] virtual std::vector<history::IsolationLevel> levels() const = 0;

    /// Empties the scratch schema. Nobody may be connected to it.
    virtual void renew_scratch() = 0;

    /// The tables of the scratch schema: those whose rows have no name of their own that the
    /// server would tell, or all.
    virtual std::vector<std::string> tables(bool all) = 0;

    /// Called when a table of the scratch schema has got a column that names its rows: makes what
    /// the server tells of versions worth something, if it tells anything.
    virtual void key_by(const std::string& table, const std::string& column) = 0;

    /// What is in the scratch schema, where the server tells versions; locks nothing that sessions
    /// ask for.
    virtual std::vector<SeenRow> rows() { return {}; }

    /// Which images of rows of a table meet a condition that calls it by `alias`. Empty when that
    /// cannot be said.
    virtual std::vector<bool> matches(const std::string& /*table*/, const std::string& /*alias*/,
                                      const std::string& /*condition*/,
                                      const std::vector<std::string>& /*images*/) {
        return {};
    }

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
    explicit Server(Upstream target) : target_(std::move(target)) {}

    workload::ServerPattern what_;

  private:
    Upstream target_;
};

std::unique_ptr<Server> open_postgres_server(const Upstream& target);
std::unique_ptr<Server> open_mysql_server(const Upstream& target);

/// The answer of a statement that must work; throws StartupError (failure) when it does not.
workload::Answer must(Client& client, const std::string& sql);

/// The name of the scratch schema: one for each process.
std::string scratch_name();

}  // namespace isotap::proxy
