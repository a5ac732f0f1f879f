#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "isotap/proxy/options.hpp"

#include "proxy/ops/log.hpp"

namespace isotap::proxy {

/// Puts auxiliary columns on the tables of a server while a program runs, on those too that the
/// program makes, and takes them away afterwards. Tables that had them before keep them.
///
/// Any thread; calls wait for one another and for the server. Throws nothing: what cannot be done
/// is said in the log, and such a table is left alone from then on.
class TableLender {
  public:
    /// `log` must outlive it.
    TableLender(Upstream upstream, Log& log) : upstream_(std::move(upstream)), log_(log) {}
    ~TableLender() = default;
    TableLender(const TableLender&) = delete;
    TableLender& operator=(const TableLender&) = delete;

    /// Every table of the database that can have the columns has them afterwards. Cheap where
    /// nothing is missing.
    void lend(const std::string& database) noexcept;

    /// From all databases that anything was lent to; nothing is lent any more. False when something
    /// had to stay.
    bool take_back() noexcept;

  private:
    using Table = std::pair<std::string, std::string>;  ///< schema, name
    struct Database {
        bool known = false;    ///< what it had
        std::set<Table> had;   ///< the columns, before we came
        std::set<Table> left;  ///< alone: it did not work
        std::size_t lent = 0;
    };

    void lend_in(Database& state, const std::string& name);
    void take_back_from(const Database& state, const std::string& name);
    [[nodiscard]] Upstream at(const std::string& database) const;

    Upstream upstream_;
    Log& log_;
    std::mutex mutex_;
    std::map<std::string, Database> databases_;
    bool over_ = false;
};

}  // namespace isotap::proxy
