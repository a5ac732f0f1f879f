#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/ops/log.hpp"

namespace isotap::proxy {

/// Puts auxiliary columns on the tables of a server while clients use it, on those too that they
/// make, and takes them away again when it is asked to. Tables that had them before keep them.
///
/// Any thread; calls wait for one another and for the server, but for `table_made`. Throws nothing:
/// what cannot be done is said in the log, and such a table is left alone from then on.
class TableLender {
  public:
    enum class Which : std::uint8_t {
        every,  ///< table of a database in use
        made,   ///< those that `table_made` names
    };

    /// `log` must outlive it.
    TableLender(Upstream upstream, Which which, Log& log)
        : upstream_(std::move(upstream)), which_(which), log_(log) {}
    ~TableLender() = default;
    TableLender(const TableLender&) = delete;
    TableLender& operator=(const TableLender&) = delete;

    /// Has the listener's proxy say when there is something to do. Must outlive that proxy.
    void follow(Listener& listener);

    /// Before clients come: tables in use are waited for.
    void lend_to_what_is_there(const std::string& database) noexcept;

    /// From all databases that anything was lent to; nothing is lent any more. False when something
    /// had to stay.
    bool take_back() noexcept;

  private:
    using Table = std::pair<std::string, std::string>;  ///< schema, name
    struct Database {
        bool known = false;            ///< what it had
        std::set<Table> had;           ///< the columns, before we came
        std::set<Table> made;          ///< by clients, and not lent to yet
        std::map<Table, int> refused;  ///< how often it did not work
        std::size_t lent = 0;
    };

    /// Bounded: a client may make tables that nobody ever plans for.
    static constexpr std::size_t most_made = 10'000;

    void table_made(const std::string& database, const std::string& table) noexcept;
    /// Every table of the database that shall have the columns and can has them afterwards, and so
    /// has every one that was made elsewhere. Cheap where nothing is missing.
    void lend(const std::string& database) noexcept;
    void lend_in(const std::string& database, TableWait wait) noexcept;
    void lend_to(Database& state, AuxiliaryColumns& columns, const AuxiliaryState& table);
    [[nodiscard]] bool wants(const Database& state, const AuxiliaryState& table) const;
    std::set<std::string> take_notice();
    [[nodiscard]] bool is_there(const std::string& database) const;
    bool take_back_from(const Database& state, const std::string& name);
    bool take_back(AuxiliaryColumns& columns, const AuxiliaryState& table);
    [[nodiscard]] Upstream at(const std::string& database) const;

    Upstream upstream_;
    Which which_;
    Log& log_;

    std::mutex mutex_;
    std::map<std::string, Database> databases_;  // locked
    bool over_ = false;                          // locked

    std::mutex made_mutex_;    // held for a moment only
    std::vector<Table> made_;  // locked by it
};

}  // namespace isotap::proxy
