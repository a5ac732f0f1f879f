#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/catalog/mysql_login.hpp"

namespace isotap::proxy {

/// A connection to a server of the MySQL family that changes tables. Nobody waits long behind it:
/// a lock that it does not get is an error, and the work may be started again. Blocks; one thread.
/// Throws TableRefused with the server's words, or, where the error would meet every table,
/// StartupError (failure).
class MysqlSchemaSession {
  public:
    using Row = std::vector<std::string>;

    /// With user, password and database of the URL.
    MysqlSchemaSession(const Upstream& upstream, TableWait wait);

    [[nodiscard]] const std::string& database() const noexcept { return database_; }
    [[nodiscard]] bool is_mariadb() const;
    /// As in 80023.
    [[nodiscard]] unsigned long version() const;

    /// Rows that were changed.
    std::uint64_t run(const std::string& text);
    /// NULL is an empty text.
    std::vector<Row> ask(const std::string& text);

    [[nodiscard]] std::string literal(const std::string& text) const;
    static std::string spelled(const AuxiliaryState& table);

    /// Of the tables that are `ready` at a glance: has every row its name?
    void look_at_rows(std::vector<AuxiliaryState>& tables);
    /// Names the rows that have none, in batches.
    void name_rows(const AuxiliaryState& table, const AuxiliaryColumns::Progress& progress);

  private:
    [[noreturn]] void fail();
    bool concerns_one_table(unsigned error);
    bool has_rights_on_single_tables();
    bool all_named(const AuxiliaryState& table);
    std::string unchanged_times(const AuxiliaryState& table);

    std::string database_;
    MysqlConnection connection_;
};

std::unique_ptr<AuxiliaryColumns> mariadb_auxiliary_columns(MysqlSchemaSession session);
std::unique_ptr<AuxiliaryColumns> triggered_auxiliary_columns(MysqlSchemaSession session);

}  // namespace isotap::proxy
