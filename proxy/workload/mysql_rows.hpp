#pragma once

#include <map>
#include <string>
#include <vector>

#include "proxy/workload/server.hpp"

namespace isotap::proxy {

/// The rows of one database whose tables carry the columns of `isotap schema`, and what conditions
/// say of images of them. Uses a connection, and what is known of its server, that outlive it. One
/// thread.
class MysqlRows {
  public:
    MysqlRows(Client& control, const workload::ServerPattern& server, std::string database)
        : control_(control), server_(server), database_(std::move(database)) {}

    /// The database has been emptied: what is known of its tables is.
    void forget() { shapes_.clear(); }

    /// What has been committed. A table that somebody has locked has no rows, nor has one with
    /// columns that cannot be written back from their text.
    std::vector<SeenRow> rows();

    /// See Server::matches.
    std::vector<bool> matches(const std::string& table, const std::string& alias,
                              const std::string& condition, const std::vector<std::string>& images);

  private:
    struct Shape {
        std::string list;          ///< the columns of the client, as a select list
        std::vector<bool> binary;  ///< by column
    };

    const std::map<std::string, Shape>& shapes();
    [[nodiscard]] std::string spelled(const std::string& table) const;
    [[nodiscard]] std::string_view impatient_select() const;

    Client& control_;
    const workload::ServerPattern& server_;
    std::string database_;
    std::map<std::string, Shape> shapes_;
};

}  // namespace isotap::proxy
