#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/postgres/instrument/statement_effect.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::postgres::instrument {

/// Tables that a session sees otherwise than all others do: its temporary ones, and what its open
/// transaction has made or changed. A value: copied at savepoints, put back by a rollback.
class SessionTables {
  public:
    /// What the tables of a statement are.
    enum class Meaning : std::uint8_t {
        shared,   ///< what other sessions see as well
        session,  ///< temporary, all of them: no other transaction has a part in their rows
        own,      ///< those, or made by the open transaction, at least one of them
        unsure,   ///< that of another session, or this one's, or both together
    };

    /// A statement with that effect has succeeded; what it does to tables.
    void on_effect(const StatementEffect& effect);
    /// Names may stand for tables of other schemas from now on.
    void on_names_moved();
    void on_committed();

    /// Nothing is known, or names are, that could be those of any table.
    [[nodiscard]] std::string_view obstacle() const noexcept;
    /// One of the names stands in the statement, as whatever: ask what it means.
    [[nodiscard]] bool mentioned_in(const sql::TokenList& tokens) const;
    [[nodiscard]] Meaning meaning_of(const sql::TokenList& tokens,
                                     const sql::Structure& structure) const;
    /// The name of `schema.name` leads to a temporary table, where no schema is spelled.
    [[nodiscard]] bool hides(std::string_view identity) const;
    /// Why a statement is `unsure`.
    [[nodiscard]] std::string_view reason() const noexcept;

  private:
    struct Temporary {
        std::string name;
        bool table = false;  ///< else a view or a sequence
        bool until_commit = false;
    };
    struct Own {
        std::string schema;  ///< as it was spelled; empty: where the search path leads
        std::string name;
    };

    void on_schema(const StatementEffect& effect);
    [[nodiscard]] Meaning meaning_of(std::string_view schema, std::string_view name) const;
    [[nodiscard]] bool knows(std::string_view name) const;

    static constexpr std::size_t names_max = 64;

    std::vector<Temporary> temporary_;
    std::vector<Own> own_;
    std::vector<std::string> changed_;
    bool any_temporary_ = false;  ///< of a name that we do not know
    bool any_changed_ = false;
};

}  // namespace isotap::postgres::instrument
