#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/postgres/frontend/startup.hpp"
#include "protocol/postgres/instrument/session_tables.hpp"
#include "protocol/postgres/instrument/statement_effect.hpp"
#include "protocol/sql/plan_source.hpp"

namespace isotap::postgres::instrument {

/// What names mean in a session at this moment, as far as the server has confirmed it: database,
/// user, role, search path, temporary tables, schema changes that only this session sees.
class SessionContext {
  public:
    void on_start(const frontend::Startup& startup);

    /// A statement with that effect has succeeded.
    void on_effect(const StatementEffect& effect);
    /// The server's word on a setting (search_path: since 18).
    void on_parameter(std::string_view name, std::string_view value);

    /// The open transaction has ended, or the one that a statement was by itself. True when a
    /// change of the schema has taken effect by that.
    [[nodiscard]] bool on_transaction_end(bool committed);

    /// Why no statement can be planned now; empty when it can.
    [[nodiscard]] std::string_view obstacle() const noexcept;

    /// A table that other sessions do not see, or see otherwise, may be meant by one of these
    /// names: then `meaning_of` says more.
    [[nodiscard]] bool mentions_own(const sql::TokenList& tokens) const {
        return tables_.mentioned_in(tokens);
    }
    [[nodiscard]] SessionTables::Meaning meaning_of(const sql::TokenList& tokens,
                                                    const sql::Structure& structure) const;
    /// False when a name may stand for anything.
    [[nodiscard]] bool names_known() const noexcept { return now_.known; }
    /// A temporary table has the name of this one, `schema.name`.
    [[nodiscard]] bool hides(std::string_view identity) const { return tables_.hides(identity); }
    [[nodiscard]] std::string_view why_unsure() const noexcept { return tables_.reason(); }

    /// Something would be undone if the open transaction were rolled back.
    [[nodiscard]] bool changed_in_transaction() const noexcept { return changed_; }

    [[nodiscard]] const sql::PlanContext& context() const noexcept { return now_.context; }
    /// Counts the transactions, from 1.
    [[nodiscard]] std::uint64_t transaction() const noexcept { return transaction_; }
    /// Grows when `context` has changed.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

  private:
    struct State {
        sql::PlanContext context;
        bool known = true;

        friend bool operator==(const State&, const State&) = default;
    };

    /// What holds when the server returns to a savepoint.
    struct Saved {
        std::string name;
        State now;
        State session;
        bool changed = false;
        bool schema_changed = false;
        SessionTables tables;
    };

    void save(const std::string& name);
    void release(const std::string& name);
    void return_to(const std::string& name);
    void set_search_path(const StatementEffect& effect);
    void set_role(const StatementEffect& effect);

    static constexpr std::size_t savepoints_max = 256;

    sql::PlanContext initial_;
    State now_;
    State session_;              ///< what holds when SET LOCAL is over
    State before_;               ///< `session_` when the open transaction began
    std::vector<Saved> saved_;   ///< oldest first
    bool forgot_saved_ = false;  ///< there were more
    bool changed_ = false;
    bool schema_changed_ = false;  ///< in the open transaction
    bool path_reported_ = false;   ///< the server tells each change of the search path
    SessionTables tables_;
    SessionTables tables_before_;  ///< when the open transaction began
    std::uint64_t generation_ = 1;
    std::uint64_t transaction_ = 1;
};

}  // namespace isotap::postgres::instrument
