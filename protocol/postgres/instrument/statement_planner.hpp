#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/ids.hpp"

#include "protocol/postgres/instrument/copy_command.hpp"
#include "protocol/postgres/instrument/names_in_use.hpp"
#include "protocol/postgres/instrument/planned_text.hpp"
#include "protocol/postgres/instrument/session_context.hpp"
#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/structure.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// How the texts of a session are written, as the server has told.
struct TextEncoding {
    bool client_utf8 = false;
    bool server_counts_bytes = false;  ///< SQL_ASCII: no characters, only bytes

    void on_parameter(std::string_view name, std::string_view value) noexcept {
        if (name == "client_encoding") {
            client_utf8 = value == "UTF8";
        } else if (name == "server_encoding") {
            server_counts_bytes = value == "SQL_ASCII";
        }
    }
    [[nodiscard]] bool positions_in_utf8() const noexcept {
        return client_utf8 && !server_counts_bytes;
    }
};

/// Splits a text into statements and decides for each how it is captured.
class StatementPlanner {
  public:
    /// What a text meets on its way, besides what the session means by its names.
    struct Situation {
        std::string_view stopped;          ///< why nothing is rewritten at all; empty: it may be
        bool behind_change = false;        ///< an unanswered statement may change what names mean
        bool insist = false;               ///< there was waiting enough
        bool alone = true;                 ///< no other statement stands in the text
        bool renamed = false;              ///< one in front of it has changed what it executes
        bool in_text = false;              ///< its results are text: those of a Query
        bool kept = false;                 ///< it is prepared under a name
        std::string_view parameter_types;  ///< as `sql::PlanQuestion` has them
        const sql::LexerState& lexing;
        const TextEncoding& encoding;
        std::string_view whole{};  ///< the client's text, all of it
    };

    StatementPlanner(history::SessionId session, sql::PlanSource& plans,
                     const SessionContext& context, const NamesInUse& statements,
                     const NamesInUse& portals) noexcept
        : session_(session),
          plans_(plans),
          context_(context),
          statements_(statements),
          portals_(portals) {}

    /// False when a plan is being made that is worth waiting for. Fills `planned`, and `out` with
    /// the text to send where that differs: then `changed()`.
    [[nodiscard]] bool plan(std::string_view text, const Situation& situation,
                            std::vector<PlannedStatement>& planned, std::string& out);
    [[nodiscard]] bool changed() const noexcept { return changed_; }

    [[nodiscard]] sql::ContextId context();

    /// Names in the plan may stand for other tables now than when it was made, long ago: what was
    /// prepared before another search path, role or temporary table came up.
    [[nodiscard]] bool means_others(const PlannedStatement& statement);

  private:
    [[nodiscard]] bool decide(std::string_view text, const Situation& situation,
                              PlannedStatement& statement);
    [[nodiscard]] bool ask(std::string_view text, const Situation& situation,
                           PlannedStatement& statement);
    [[nodiscard]] bool within_session(const Situation& situation, PlannedStatement& statement);
    static void use(std::shared_ptr<const sql::Plan> plan, PlannedStatement& statement);
    [[nodiscard]] bool declare(std::string_view text, const Situation& situation,
                               PlannedStatement& statement);
    [[nodiscard]] bool prepare(std::string_view text, const Situation& situation,
                               PlannedStatement& statement);
    void execute(const Situation& situation, PlannedStatement& statement) const;
    [[nodiscard]] bool copy(std::string_view text, const Situation& situation,
                            PlannedStatement& statement);
    [[nodiscard]] std::string_view why_untold(const CopyCommand& command,
                                              const Situation& situation);
    [[nodiscard]] std::string_view obstacle(std::string_view text,
                                            const Situation& situation) const;
    [[nodiscard]] bool touches_no_table(const Situation& situation);

    history::SessionId session_;
    sql::PlanSource& plans_;
    const SessionContext& context_;
    const NamesInUse& statements_;
    const NamesInUse& portals_;
    sql::ContextId context_id_{};
    std::uint64_t context_generation_ = 0;
    sql::TokenList tokens_;
    sql::Structure structure_;
    std::string statement_text_;
    bool changed_ = false;
};

}  // namespace isotap::postgres::instrument
