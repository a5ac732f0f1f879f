#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/system/result.hpp>

#include "isotap/proxy/options.hpp"
#include "isotap/proxy/plan_outcome.hpp"

#include "protocol/sql/plan.hpp"
#include "protocol/sql/plan_source.hpp"
#include "proxy/catalog/table_facts.hpp"

namespace isotap::proxy {

/// Why the server did not do what it was asked on a side connection.
struct Trouble {
    PlanOutcome outcome = PlanOutcome::no_connection;
    std::string_view reason;  ///< a literal: it becomes the reason of plans
    std::string detail;       ///< the server's words, for the log
};

template <typename Value>
using Asked = boost::system::result<Value, Trouble>;

/// The names of one statement.
struct NamesAsked {
    std::vector<TableName> tables;
    std::vector<std::string> calls;
    bool referencing = false;  ///< what `TableFacts::referenced_by` holds matters
};

struct NamesKnown {
    std::vector<std::pair<TableName, TableFacts>> tables;  ///< those that are there
    std::vector<std::string> aggregates;                   ///< calls of aggregates of users
};

/// Two texts of which the server shall say that the client cannot tell them apart.
struct Proof {
    const std::string& original;
    const std::string& rewritten;
    const sql::Plan& plan;
    const std::vector<std::uint32_t>& parameter_types;  ///< PostgreSQL: by number; 0: not said
};

/// A connection of our own to one database of a server, for questions. Blocks, with short
/// time-outs, so that it neither waits for a client's locks nor makes a client wait. One thread.
class SideConnection {
  public:
    SideConnection() = default;
    SideConnection(const SideConnection&) = delete;
    SideConnection& operator=(const SideConnection&) = delete;
    virtual ~SideConnection() = default;

    /// As `sql::PlannerOptions` wants it.
    [[nodiscard]] virtual std::uint32_t postgres_version() const = 0;

    /// As `sql::Plan` wants it.
    [[nodiscard]] virtual std::size_t text_max() const { return SIZE_MAX; }

    /// Asks from now on as a session of this context would.
    virtual Asked<void> enter(const sql::PlanContext& context, const sql::LexerState& lexing) = 0;

    virtual Asked<NamesKnown> look_up(const NamesAsked& names) = 0;

    /// Prepares both texts, runs neither.
    virtual Asked<void> prove(const Proof& proof) = 0;

    /// A text that is another one after any change of the schema that plans depend on.
    virtual Asked<std::string> signature() = 0;
};

/// Opens one. Blocks for a few seconds at most.
Asked<std::unique_ptr<SideConnection>> connect_side(const Upstream& upstream,
                                                    const std::string& database);

}  // namespace isotap::proxy
