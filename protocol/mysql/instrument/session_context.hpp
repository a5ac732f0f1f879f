#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/mysql/channel.hpp"
#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::mysql::instrument {

/// What a statement does, if it succeeds, to what later ones mean.
struct StatementEffect {
    enum class Kind : std::uint8_t {
        none,
        database,   ///< USE `value`
        temporary,  ///< makes the temporary table `value`; empty: of any name
        settings,   ///< sql_mode, character set
        schema,     ///< tables, views, grants
        tracking,   ///< the client is told of all that changes in its session, from now on
    };

    struct Made {
        std::string schema;  ///< empty: the database in use
        std::string table;
        bool unless_there = false;  ///< IF NOT EXISTS
    };

    Kind kind = Kind::none;
    std::string value;
    std::vector<Made> made{};                    ///< tables that others see; of `schema`
    std::optional<std::string> sql_mode{};       ///< of `settings`
    std::optional<std::string> character_set{};  ///< of `settings`
};

/// Reads one statement, as far as needed: most are `none` at their first word.
StatementEffect effect_of(const sql::TokenList& tokens, const sql::LexerState& lexing);

/// What names mean in a session at this moment, as far as the server has confirmed it.
class SessionContext {
  public:
    explicit SessionContext(const ChannelFacts& channel);

    void on_effect(const StatementEffect& effect);
    /// COM_RESET_CONNECTION has succeeded.
    void on_reset();
    /// Nobody knows any more, for this reason: a literal.
    void on_lost(std::string_view reason) noexcept { obstacle_ = reason; }

    /// Why no statement can be planned now; empty when it can.
    [[nodiscard]] std::string_view obstacle() const noexcept { return obstacle_; }

    /// A table that other sessions do not see may be meant by one of these names.
    [[nodiscard]] bool mentions_temporary(const sql::TokenList& tokens) const;
    /// Such a table is meant for sure by this name, quoted or not, without a schema.
    [[nodiscard]] bool is_temporary(std::string_view name) const;

    [[nodiscard]] sql::ContextId id(sql::PlanSource& plans);

  private:
    static constexpr std::size_t temporary_max = 64;

    sql::PlanContext context_;
    sql::ContextId id_{};
    bool id_known_ = false;
    struct Temporary {
        std::string name;
        std::string letters;  ///< of it, all small: some servers do not tell more apart
        bool there = true;    ///< else it may have been dropped
    };

    [[nodiscard]] const Temporary* find_temporary(const std::string& name) const;

    std::vector<Temporary> temporary_;
    bool any_temporary_ = false;
    std::string_view obstacle_;
};

}  // namespace isotap::mysql::instrument
