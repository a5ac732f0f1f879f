#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/protocol/reporting.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/backend/ready_for_query.hpp"
#include "protocol/postgres/frontend/startup.hpp"
#include "protocol/postgres/instrument/access_recorder.hpp"
#include "protocol/postgres/instrument/added_columns.hpp"
#include "protocol/postgres/instrument/asked.hpp"
#include "protocol/postgres/instrument/copy_rows.hpp"
#include "protocol/postgres/instrument/names_in_use.hpp"
#include "protocol/postgres/instrument/session_context.hpp"
#include "protocol/postgres/instrument/statement_planner.hpp"
#include "protocol/postgres/message_type.hpp"
#include "protocol/postgres/observation.hpp"
#include "protocol/postgres/reply.hpp"

namespace isotap::postgres::instrument {

/// What a conversation does to its messages when statements are captured: requests are rewritten as
/// their plans want it, and what that adds to the answers is taken out again and told as events.
///
/// Is told by the conversation what passes, in order, on both sides. Keeps, beside the ledger, one
/// `Asked` for each request that it `takes`, pushed and popped with the ledger's entry.
class Instrument {
  public:
    /// `reporting.plans` and `.names` are set. `observation` outlives this.
    Instrument(history::SessionId session, const Limits& limits,
               const protocol::Reporting& reporting, Observation& observation);

    void on_start(const frontend::Startup& startup) { context_.on_start(startup); }

    /// The requests that may have to change, or say what later ones mean.
    [[nodiscard]] static bool takes(std::uint8_t type) noexcept;
    [[nodiscard]] static bool takes(Reply request) noexcept;

    /// Of a whole message: what to send in its place; nothing: the message itself. `wait` is set
    /// when a plan is being made: then hold the client, keep the message, and ask again.
    [[nodiscard]] std::optional<Bytes> prepare(std::uint8_t type, Bytes body, bool insist,
                                               bool& wait, protocol::Actions& actions);
    /// Of a message that was too long to be kept and goes as it came; `body` is its beginning.
    void prepare_too_long(std::uint8_t type, Bytes body);
    /// The ledger has taken the request that was prepared.
    void on_owed();
    void on_sync() noexcept { ++unit_; }

    /// Must the whole of such a message be seen before it goes on? `front`: what the server is
    /// answering.
    [[nodiscard]] bool changes(std::uint8_t type, Reply front) const noexcept;

    /// What becomes of a message of the server.
    enum class Fate : std::uint8_t { forward, replace, swallow };
    struct Answer {
        Fate fate = Fate::forward;
        Bytes bytes;  ///< to send instead
    };
    /// `kept`: the body of the request that is being answered, as far as the ledger has it.
    [[nodiscard]] Answer answer(std::uint8_t type, Bytes body, Bytes kept, bool kept_cut,
                                protocol::Actions& actions);

    /// A statement is through; called before the observation is.
    void on_completed(std::string_view tag, Time now);
    void on_suspended(Time now);
    /// The request at the front has failed, and all of its unit behind it with it.
    void on_error(Reply failed);
    void on_ready(backend::TransactionStatus status);
    void on_parameter(Bytes body);
    /// The ledger has dropped a request that we took.
    void on_popped();

  private:
    [[nodiscard]] bool plan(std::string_view text, std::string_view parameter_types, bool kept,
                            bool insist);
    [[nodiscard]] std::optional<Bytes> prepare_query(Bytes body, bool insist, bool& wait,
                                                     protocol::Actions& actions);
    [[nodiscard]] std::optional<Bytes> prepare_parse(Bytes body, bool insist, bool& wait,
                                                     protocol::Actions& actions);
    [[nodiscard]] std::optional<Bytes> prepare_bind(Bytes body, protocol::Actions& actions);
    void prepare_describe(Bytes body);
    [[nodiscard]] std::optional<Bytes> prepare_execute(Bytes body, protocol::Actions& actions);
    void begin_in_pieces(std::string_view portal);
    void prepare_close(Bytes body);
    void name_by_sql(const PlannedStatement& statement, std::shared_ptr<const Prepared> declared);
    [[nodiscard]] std::shared_ptr<const Prepared> now_meant(
        std::shared_ptr<const Prepared> meaning) const;
    [[nodiscard]] std::shared_ptr<const Prepared> meaning_of(PlannedStatement statement,
                                                             std::string_view text) const;
    void give_meaning(Asked::Names names, std::string_view name, PlannedStatement statement,
                      std::string_view text);
    void name_again(const PlannedStatement& statement);
    void take_back(Asked& asked);
    void count_effects(const Asked& asked, int by) noexcept;

    [[nodiscard]] const PlannedStatement* answering() const noexcept;
    [[nodiscard]] bool anything_rewritten() const noexcept;
    [[nodiscard]] bool runs_rewritten() const noexcept;
    Answer describe(Bytes body, protocol::Actions& actions);
    Answer row(Bytes body, protocol::Actions& actions);
    Answer begin_copy(Bytes body, protocol::Actions& actions);
    Answer copied(Bytes body, protocol::Actions& actions);
    Answer end_copy(protocol::Actions& actions);
    void tell(const PlannedStatement& statement, std::optional<std::span<const Field>> added);
    Answer error(Bytes body, Bytes kept, bool kept_cut, protocol::Actions& actions);
    [[nodiscard]] bool points_to_addition(Bytes body, Bytes kept, bool kept_cut) const;
    [[nodiscard]] std::size_t place_of(std::size_t position, Bytes kept, bool kept_cut) const;
    Answer at_position(std::uint8_t type, Bytes body, Bytes kept, bool kept_cut,
                       protocol::Actions& actions) const;
    void begin_recording(const PlannedStatement& statement);
    void tell_emptied(const PlannedStatement& statement);
    void cover(const PlannedStatement* statement, Time now);
    void take_effect(const PlannedStatement& statement, std::string_view tag);
    void end_transaction(bool committed);
    NamesInUse& names_of(Asked::Names names) noexcept {
        return names == Asked::Names::portals ? portals_ : statements_;
    }
    void blow(std::string_view why);

    history::SessionId session_;
    protocol::Reporting reporting_;
    Observation& observation_;
    SessionContext context_;
    TextEncoding encoding_;
    NamesInUse statements_;
    NamesInUse portals_;
    StatementPlanner planner_;
    AccessRecorder recorder_;

    AskedQueue asked_;
    Asked next_;       ///< the request that is being prepared
    std::string out_;  ///< its text, where that changes
    std::uint64_t unit_ = 0;
    int changes_in_flight_ = 0;  ///< unanswered statements that may change what names mean
    int ends_in_flight_ = 0;     ///< and those that may undo such a change

    std::vector<Field> values_;       ///< of the row at hand
    std::unique_ptr<CopyRows> copy_;  ///< what comes are rows of a COPY
    bool recording_ = false;          ///< the statement that is being answered has shown a row
    bool broken_ = false;             ///< its result is not what was planned: it passes as it is
    bool fused_ = false;
    history::TransactionId rolled_back_{};  ///< the last one of those
    bool ready_ = false;  ///< logged in: the server has told how texts are to be read
};

}  // namespace isotap::postgres::instrument
