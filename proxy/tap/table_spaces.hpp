#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// Tells apart the tables of the databases of one PostgreSQL server: sessions name a table by its
/// schema, and every database may have a `public.account`. The first database keeps the plain
/// names; a session whose database is not known has tables of its own, so that nothing is joined
/// by mistake. One thread.
class TableSpaces {
  public:
    /// Before anything else is done with the event.
    void note(const history::Event& event);

    /// What stands before the names of the tables that the event mentions: empty for the first
    /// database.
    [[nodiscard]] std::string prefix_of(const history::Event& event) const;

    /// All prefixes are empty.
    [[nodiscard]] bool plain() const noexcept { return plain_; }

  private:
    [[nodiscard]] std::string prefix_of(history::SessionId id) const;

    std::string first_;
    bool any_ = false;
    bool plain_ = true;
    std::unordered_map<std::uint64_t, std::string> sessions_;      ///< prefix of each open one
    std::unordered_map<std::uint64_t, std::string> transactions_;  ///< those with a prefix
};

}  // namespace isotap::proxy
