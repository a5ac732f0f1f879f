#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/events.hpp"

#include "protocol/postgres/instrument/copy_format.hpp"
#include "protocol/postgres/instrument/statement_effect.hpp"
#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/plan.hpp"
#include "protocol/sql/plan_source.hpp"

namespace isotap::postgres::instrument {

struct Prepared;

/// One statement of a text, with what was decided for it.
struct PlannedStatement {
    std::size_t offset = 0;  ///< in the client's text
    std::size_t size = 0;
    std::shared_ptr<const sql::Plan> plan;  ///< null: it goes as it came, for `reason`
    bool rewritten = false;  ///< the server has the plan's text; else only its answer is changed
    history::Coverage coverage = history::Coverage::none;
    std::string_view reason;  ///< a literal, or of `plan`
    StatementEffect effect;
    std::string declares;  ///< the cursor of whose query this is the plan
    std::string fetches;   ///< the cursor whose rows it shows
    std::string closes;
    std::string prepares;                      ///< the statement whose body has this plan
    std::shared_ptr<const Prepared> prepared;  ///< what that name stands for once it is made
    std::string executes;                      ///< the statement that it runs
    std::string deallocates;
    /// Of a COPY to the client whose rows have the added columns: how they are written.
    std::shared_ptr<const CopyFormat> copies;
    /// Of an EXECUTE: what it runs in the end, where that is one of those that name something.
    std::shared_ptr<const Prepared> runs;
    /// The transaction that `SessionContext::transaction` counted: what was planned holds for no
    /// other one. 0: it does.
    std::uint64_t only_in = 0;
    bool of_cursor = false;  ///< the plan is that of a DECLARE
    /// Of a cursor, or of a portal that is run in pieces: the statement that began it, once it has.
    /// Whatever it shows later, that one saw.
    std::shared_ptr<history::StatementRef> begun_by;
    bool held = false;  ///< a cursor WITH HOLD
    /// What the names of `plan` were looked up in. The server looks them up again when that has
    /// changed.
    std::optional<sql::ContextId> looked_up;

    /// PREPARE has no rows: those of its body come when it is executed. COPY has none that are a
    /// result.
    [[nodiscard]] sql::ReplyChange change() const noexcept {
        return plan && prepares.empty() && !copies ? plan->reply : sql::ReplyChange::none;
    }
    [[nodiscard]] std::size_t added() const noexcept { return plan ? plan->added.size() : 0; }

    [[nodiscard]] bool names_something() const noexcept {
        return !(declares.empty() && closes.empty() && prepares.empty() && deallocates.empty());
    }
    /// Whose names are meant.
    [[nodiscard]] const PlannedStatement& naming() const noexcept;

    /// Its rows are those of the query that a cursor was made of, or of a statement that was
    /// prepared, `other`; null: not known, for `unknown`.
    void follow(const PlannedStatement* other, std::string_view unknown) {
        const bool known = other != nullptr;
        plan = known && other->rewritten ? other->plan : nullptr;
        of_cursor = plan && !other->declares.empty();
        coverage = known ? other->coverage : history::Coverage::opaque;
        reason = known ? other->reason : unknown;
        only_in = known ? other->only_in : 0;
        begun_by = known ? other->begun_by : nullptr;
        held = known && other->held;
        looked_up = known ? other->looked_up : std::nullopt;
    }
};

/// What a name of the extended protocol stands for.
struct Prepared {
    PlannedStatement statement;
    std::string text;  ///< of the client; only where it was rewritten
    sql::LexerState lexing;
};

inline const PlannedStatement& PlannedStatement::naming() const noexcept {
    return runs ? runs->statement : *this;
}

/// `text` with its statements as the plans want them, into `out`.
void rewrite(std::string_view text, const std::vector<PlannedStatement>& statements,
             const sql::LexerState& lexing, std::string& out);

/// The character of the client's text, from 1, that a character of the rewritten one stands for;
/// 0: none. `utf8`: a character is not a byte.
std::size_t original_position(std::string_view text,
                              const std::vector<PlannedStatement>& statements,
                              const sql::LexerState& lexing, bool utf8, std::size_t rewritten);

}  // namespace isotap::postgres::instrument
