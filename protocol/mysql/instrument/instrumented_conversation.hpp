#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isotap/protocol/reporting.hpp"

#include "protocol/mysql/conversation.hpp"
#include "protocol/mysql/instrument/access_recorder.hpp"
#include "protocol/mysql/instrument/reply_rewriter.hpp"
#include "protocol/mysql/instrument/script.hpp"
#include "protocol/mysql/instrument/session_context.hpp"
#include "protocol/mysql/instrument/statement_numbers.hpp"
#include "protocol/mysql/messages/load_counts.hpp"
#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::mysql::instrument {

/// A conversation whose statements tell which rows they touched. Statements are withheld until they
/// are complete, planned, and rewritten where the plan is proved; what the rewriting adds to a
/// reply is taken out again.
///
/// One command at a time is with the server: what a client sends ahead waits here for the reply
/// (at most `Limits::pipelined_bytes`, then the client is held). So the transaction that a
/// statement runs in is known before it goes, and our own commands never come between two of the
/// client that are under way. The server reads them one after the other all the same.
class InstrumentedConversation final : public Conversation {
  public:
    /// All of `reporting` is set. The observation outlives the conversation.
    InstrumentedConversation(history::SessionId session, const ChannelFacts& channel,
                             const Limits& limits, const protocol::Reporting& reporting,
                             Observation& observation);

    void feed(protocol::Side from, Bytes bytes, Time now, protocol::Actions& actions) override;
    void on_released(Time now, protocol::Actions& actions) override;
    void on_woken(Time now, protocol::Actions& actions) override;
    void on_client_end(Time now, protocol::Actions& actions) override;
    [[nodiscard]] bool owes_server() const noexcept override;
    void on_closed(Time now) override;
    [[nodiscard]] protocol::Phase phase() const noexcept override;

  private:
    static constexpr std::size_t header_size = 4;
    /// What an EXECUTE must show before it goes: header, command, statement, flags.
    static constexpr std::size_t execute_head = header_size + 6;
    static constexpr std::size_t statement_at = header_size + 1;
    static constexpr std::size_t statement_end = statement_at + 4;

    /// What becomes of the client's packet that is arriving.
    enum class Fate : std::uint8_t {
        undecided,  ///< its first byte has not come
        withhold,   ///< it is kept until it is complete
        execute,    ///< it is kept until it has told which statement it runs
        pass,       ///< it goes as it comes, as soon as nothing of ours must go before
        beside,     ///< it goes as it comes, before what is ours: it is no statement
        passing,
    };

    /// What was decided for the statement that is about to go, or is with the server.
    struct Decision {
        std::shared_ptr<const sql::Plan> plan;  ///< null: it goes as it came, for `reason`
        bool rewritten = false;
        bool told = false;  ///< it goes as it came, and triggers tell what it wrote
        history::Coverage coverage = history::Coverage::opaque;
        std::string_view reason;                     ///< a literal, or of `plan`
        sql::Question reread;                        ///< that of `plan->reread`
        std::vector<std::uint8_t> reread_execution;  ///< of a question that has parameters
        StatementEffect effect;
        std::size_t begin = 0;  ///< the statement alone, in the client's text
        std::size_t end = 0;
        bool counts_mentioned = false;
        bool diagnostics_mentioned = false;
        bool only_reads = false;
        bool wait = false;  ///< the plan is being made
        /// Of the statements behind the first, in a text of several.
        std::vector<std::pair<history::Coverage, std::string_view>> others{};
    };

    struct Prepared {
        Decision decision;
        std::vector<Column> columns;  ///< of the result, ours as well
        history::StatementRef executed;
        // Of one that is rewritten, for the day when the server refuses our text.
        std::string text;  ///< the client's
        sql::ContextId context{};
        std::size_t parameters = 0;
        std::vector<std::uint8_t> types;  ///< of the parameters, as the client has told them last
        std::size_t description = 0;      ///< of the result, as the client knows it
        bool long_data = false;           ///< some of the next execution has been sent ahead
        bool may_be_bulk = false;         ///< MariaDB may be asked to execute it many times at once
        /// By which number the server knows what is asked behind it, once that has been asked.
        std::optional<std::uint32_t> question;
    };

    /// The client's own text is being prepared, in place of ours.
    struct Repair {
        PrepareOk statement;
        std::size_t description = 0;
        /// Not because the server has refused ours: what waits is to find the client's.
        std::optional<std::uint32_t> for_bulk;
    };

    /// A statement that has succeeded, and whose rows have not been asked for yet.
    struct Unread {
        std::shared_ptr<const sql::Plan> plan;
        sql::Question reread;
        std::vector<std::uint8_t> reread_execution;
        Command command{};
        std::uint32_t statement = 0;  ///< prepared
        ReplyStep step;
        std::vector<std::uint8_t> session_state;
        Time at{};
        std::optional<std::uint64_t> records;  ///< that an INSERT says it has worked on
        std::optional<LoadCounts> loaded;      ///< of LOAD DATA
    };

    /// A question of ours that is with the server.
    enum class Asking : std::uint8_t {
        nothing,
        level,
        rows,
        number,  ///< of a question that is prepared, as it has parameters
        reread,
    };

    // The client's side.
    void take_client(Bytes bytes, bool ours);
    void on_client_piece(const Piece& piece);
    [[nodiscard]] std::size_t decide_fate(std::uint8_t first, std::uint32_t frame_size);
    void on_withheld(Bytes packet, const Piece& piece);
    [[nodiscard]] bool end_unread_for_execute();
    [[nodiscard]] std::uint32_t executed_statement() const;
    void on_execute_head();
    void on_beside_execution(Command command, std::uint32_t statement);
    void end_of_command(const Piece& piece);
    void on_end_of_execute(const Piece& piece);
    void forward(Bytes bytes);
    void forward_kept();
    [[nodiscard]] bool forward_head(const Piece& piece);
    void postpone(Bytes bytes);
    void keep(Bytes bytes) { kept_.insert(kept_.end(), bytes.begin(), bytes.end()); }
    void go_on();
    void settle();
    [[nodiscard]] bool must_wait() const noexcept;
    [[nodiscard]] bool may_ask() const noexcept;
    [[nodiscard]] bool nobody_would_notice() const noexcept;
    void wake();
    [[nodiscard]] bool would_show(const Decision& next) const noexcept;
    void hold();

    // A text of several statements.
    [[nodiscard]] std::optional<Script::Cut> cut_script(Bytes packet, std::string_view text) const;
    void run_part(Bytes packet, const Script::Cut& cut, Decision decision, const Piece& piece);
    void begin_part(Bytes head, std::string_view rest);
    void end_part(const ReplyStep& step);
    void drop_rest();
    void send_rest_as_it_came();
    [[nodiscard]] static std::vector<std::uint8_t> query_packet(Bytes head, std::string_view text);

    // Planning.
    [[nodiscard]] Decision decide(std::string_view text, Command command);
    void decide_by_plan(Decision& decision, std::string_view statement, Command command);
    void follow_plan(Decision& decision, std::string_view statement, Command command);
    [[nodiscard]] std::string_view obstacle(const Decision& decision, Command command) const;
    [[nodiscard]] bool bulk_is_in_the_way(const sql::Plan& plan) const noexcept;
    void run_query(Bytes packet, std::string_view text, Decision decision, const Piece& piece);
    void run_with_row_count(Bytes packet, std::string_view text);
    void run_prepare(Bytes packet, std::string_view text, Decision decision, const Piece& piece);
    bool send_rewritten(Bytes packet, std::string_view text, const Decision& decision,
                        std::string_view stamp);
    void send_own_query(std::string_view text);
    void send_own_command(Command command, Bytes payload);
    void name_writer(const history::StatementRef& statement);
    void unname_writer();
    [[nodiscard]] bool is_unnamed_behind_reply() const noexcept;
    void unname_writer_behind_reply();
    void ready_variables(const sql::Plan& plan);
    void cover(history::Coverage coverage, std::string_view reason);
    [[nodiscard]] bool empties_tables() const noexcept {
        return current_.plan && current_.plan->empties;
    }
    /// The rows that the statement writes are asked for behind it.
    [[nodiscard]] bool collects() const noexcept {
        return (current_.rewritten || current_.told) && current_.plan &&
               !current_.plan->afterwards.empty();
    }
    void push(Command command, const Piece& piece, std::uint32_t statement,
              protocol::Treatment treatment, Bytes keep);

    // The server's side.
    void take_server(Bytes bytes);
    void on_altered_packet(const Piece& piece);
    void on_own_packet(ReplyReader::Stage stage, const ReplyStep& step, Bytes payload);
    void on_client_packet_of_plan(ReplyReader::Stage stage, const ReplyStep& step, Bytes payload);
    void on_captured_result(const Decision& decision, Command command);
    [[nodiscard]] bool send_again(const ReplyStep& step);
    void stop_rewriting(std::string_view reason);
    void note_refusal();
    void flush();
    /// Says what the recorder could not keep. `affected`: rows that the server says it wrote.
    bool cover_gaps(std::uint64_t affected = 0);
    void ask_for_level();
    void read_rows();
    void go_on_reading();
    void put_question();
    void execute_question(std::uint32_t question);
    void keep_question(std::uint32_t question);
    void read_answer(Bytes row);
    void end_unread(std::optional<std::string_view> rows);
    [[nodiscard]] bool record_written(const Unread& unread, std::string_view rows);
    [[nodiscard]] bool record_noted(const Unread& unread, std::string_view rows);
    [[nodiscard]] bool record_told(const sql::Plan& plan, std::string_view rows,
                                   std::uint64_t affected);
    bool believe_nothing(const sql::Plan& plan, std::string_view why);
    void record_reread(const sql::Plan& plan, bool whole);
    void note_untold_writes(bool writes);
    [[nodiscard]] bool can_reread(const ReplyStep& step) const;
    [[nodiscard]] bool may_read_twice() const;
    [[nodiscard]] static bool has_questions(const Unread& unread) noexcept {
        return !unread.plan->afterwards.empty() || unread.reread.wanted();
    }

    // A prepared text of ours that the server refuses.
    void remember_execute(Bytes bytes);
    void read_parameters();
    void prepare_again();
    [[nodiscard]] bool means_the_same(const Prepared& statement);
    void forget_prepared(std::uint32_t statement);
    void on_prepared_again(ReplyReader::Stage stage, const ReplyStep& step, Bytes payload);
    void execute_again(const Repair& repair);
    [[nodiscard]] bool prepare_for_bulk(std::uint32_t statement, std::string_view why);
    [[nodiscard]] bool prepare_all_for_bulk();
    void on_prepared_for_bulk(std::uint32_t statement, const PrepareOk* prepared);
    void send_prepare(const Prepared& statement);
    void demand_to_prepare_again();
    void close_at_server(std::uint32_t statement);
    void name_for_server(std::vector<std::uint8_t>& packet) const;

    void on_success(const Request& request, const ReplyStep& step, Time now) override;
    void on_failure(const Request& request, const ReplyStep& step, Time now) override;
    void on_prepared(const PrepareOk& prepared) override;
    void on_effect(const StatementEffect& effect);
    void cover_next_of_script();
    void tell_of_tables(const StatementEffect& effect, bool warned) noexcept;
    void blow_fuse(std::string_view why);
    void break_off(std::string_view why);

    history::SessionId session_;
    sql::PlanSource& plans_;
    history::Names& names_;
    SessionContext context_;
    AccessRecorder recorder_;
    ReplyRewriter rewriter_;
    protocol::Actions* actions_ = nullptr;  ///< of the call that is being answered
    sql::TokenList tokens_;
    std::string rewritten_;

    // The client's side.
    Fate fate_ = Fate::undecided;
    bool names_statement_ = false;       ///< by a number that may not be the server's
    std::vector<std::uint8_t> kept_;     ///< of the packet that is withheld
    std::vector<std::uint8_t> backlog_;  ///< what waits for its turn, from a packet's beginning
    bool ours_ = false;                  ///< what is being taken will not outlive the call
    bool holding_ = false;
    bool client_ended_ = false;
    bool insist_ = false;  ///< the next statement has waited for its plan

    // The command that is with the server, or being sent.
    Decision current_;
    std::vector<std::uint8_t> original_;  ///< the client's packet, where another one went
    std::size_t others_begun_ = 0;        ///< of the statements behind the first of its text
    std::uint32_t statement_ = 0;         ///< prepared, being executed
    bool executing_ = false;

    // The server's side.
    Script script_;
    const sql::Plan as_it_came_;     ///< of a reply that is numbered anew, and no more
    std::vector<std::uint8_t> out_;  ///< for the client
    std::unordered_map<std::uint32_t, Prepared> prepared_;  ///< by the client's number
    StatementNumbers numbers_;
    std::optional<Repair> repair_;
    std::optional<Unread> unread_;
    Asking asking_ = Asking::nothing;
    bool level_asked_ = false;  ///< or it is too late: something has run that the client may ask of
    bool wake_due_ = false;
    /// Those in which MariaDB's writes note their rows are there, and hold no rows of others.
    bool variables_ready_ = false;
    std::optional<std::string> read_;
    std::optional<std::uint32_t> question_;  ///< the number that the server gave it
    std::vector<std::optional<std::string>> reread_;
    bool sent_again_ = false;  ///< the client's own text, after ours was refused
    unsigned refusals_ = 0;
    bool fused_ = false;
    /// What ROW_COUNT() is for the client, where it is something else for the server.
    std::optional<std::uint64_t> row_count_;
    bool results_limited_ = false;  ///< sql_select_limit has been set
    bool counts_in_use_ = false;    ///< the client asks for ROW_COUNT() or FOUND_ROWS()
    bool over_ = false;
};

}  // namespace isotap::mysql::instrument
