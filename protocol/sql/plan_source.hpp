#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "isotap/history/ids.hpp"

#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/plan.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::sql {

/// What decides, besides its text, which tables a statement means and what it may do to them.
struct PlanContext {
    std::string database;
    std::string user;  ///< who logged in
    std::string role;  ///< as SET ROLE or SET SESSION AUTHORIZATION named it; empty: `user`
    std::string
        search_path;  ///< PostgreSQL: the list behind SET search_path TO; empty: the default
    std::string server_version;  ///< PostgreSQL: as the server reports it; empty: not known
    std::string sql_mode;        ///< MySQL family: as the session set it; empty: the default
    /// MySQL family: of the client's text, by name or by the number of a collation; empty: not
    /// known.
    std::string character_set{};

    friend bool operator==(const PlanContext&, const PlanContext&) = default;
};

/// A context that a source has been told of; stays valid as long as the source.
enum class ContextId : std::uint32_t {};

struct PlanQuestion {
    history::SessionId session{};  ///< who is to be released once the answer is there
    ContextId context{};
    std::string_view text;  ///< the statement alone, as the client sent it
    const TokenList& tokens;
    const LexerState& lexing;
    /// PostgreSQL: the types that a Parse gives to its parameters, four bytes each as they came;
    /// empty where the server chooses all of them.
    std::string_view parameter_types{};
};

/// Where a session gets its plans from. One per relay thread, and called on it alone: a plan that
/// is known is found without a lock. Making and proving one happens elsewhere.
class PlanSource {
  public:
    PlanSource() = default;
    PlanSource(const PlanSource&) = delete;
    PlanSource& operator=(const PlanSource&) = delete;
    virtual ~PlanSource() = default;

    [[nodiscard]] virtual ContextId context(const PlanContext& context) = 0;

    /// The plan of the statement's shape: proved, or one that adds nothing and says why. Null when
    /// it is being made and the statement is worth waiting for: the session holds its client and
    /// asks again when it is released, at the latest after `Limits::plan_wait`. Whoever asks for
    /// the last time (`insist`) gets a plan in any case.
    [[nodiscard]] virtual std::shared_ptr<const Plan> find(const PlanQuestion& question,
                                                           bool insist) = 0;

    /// A statement that may have changed tables, views, types or grants has taken effect: what was
    /// known of the database is not used any more.
    virtual void on_schema_changed(ContextId context) noexcept = 0;

    /// A statement has made a table that others see. Said before `on_schema_changed`. An empty
    /// schema is that of the context.
    virtual void on_table_made(ContextId /*context*/, const std::string& /*schema*/,
                               const std::string& /*table*/) noexcept {}
};

}  // namespace isotap::sql
