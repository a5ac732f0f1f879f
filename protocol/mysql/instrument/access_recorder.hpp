#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"

#include "protocol/mysql/instrument/result_row.hpp"
#include "protocol/mysql/instrument/told_write.hpp"
#include "protocol/mysql/instrument/writer_list.hpp"
#include "protocol/sql/plan.hpp"

namespace isotap::mysql::instrument {

/// Collects what a statement says about the rows that it touched, and tells it as events once the
/// statement has succeeded: a write that fails half-way has written nothing. Believes nothing: a
/// value that is not what the plan promised is refused.
class AccessRecorder {
  public:
    AccessRecorder(history::EventSink& events, history::Names& names, const Limits& limits) noexcept
        : events_(events), names_(names), rows_max_(limits.rows_per_statement) {}

    /// The rows that follow are those of `statement`; what was not told is forgotten. `plan` must
    /// live until the next call.
    void begin(const sql::Plan& plan, const history::StatementRef& statement);

    /// What this transaction reads from now on may be under a write of its own that nobody told of:
    /// each plain read is told as a doubtful one.
    void note_untold_writes(history::TransactionId transaction) noexcept {
        wrote_untold_ = transaction;
    }

    /// One row of the result: the values of the plan's added columns.
    [[nodiscard]] bool record(std::span<const Value> added);

    /// How many rows were told of in the tables that the plan names.
    struct ToldRows {
        std::uint64_t inserted = 0;
        std::uint64_t updated = 0;
        std::uint64_t kept = 0;
        std::uint64_t removed = 0;

        [[nodiscard]] std::uint64_t& of(ToldKind kind) noexcept;
    };

    /// What `Plan::afterwards` gave: the rows as they were before they were written. Nothing if it
    /// cannot be read.
    [[nodiscard]] std::optional<ToldRows> record_written(std::string_view packed);

    /// The same where triggers tell, see told_write.hpp. Rows of other tables were written by
    /// triggers and functions of the client's.
    [[nodiscard]] std::optional<ToldRows> record_told(std::string_view told);

    /// What `Plan::reread` gave. Rows that the statement has changed since it read them are left
    /// out and counted as lost.
    [[nodiscard]] bool record_reread(std::span<const std::optional<std::string>> columns);

    /// Tells all that was collected.
    void tell();

    /// The statement has succeeded and left the tables of its plan empty.
    void tell_emptied(const sql::Plan& plan, const history::StatementRef& statement);

    /// Tells that as many rows of the statement are missing, for that reason.
    void tell_gap(history::SessionId session, Time at, std::uint64_t rows, std::string_view why);

    /// A `packed_if_short` was too long: its rows are those of `Plan::reread`, or lost.
    [[nodiscard]] bool cut() const noexcept { return cut_; }

    /// Rows that will be told.
    [[nodiscard]] std::size_t collected() const noexcept { return touched_.size(); }

    /// Rows of the statement that were beyond `Limits::rows_per_statement`.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

    /// Rows without a rowId: `isotap schema add` has not come to them.
    [[nodiscard]] std::uint64_t nameless() const noexcept { return nameless_; }

  private:
    struct Touched {
        history::NameId table{};
        history::RowKey row;
        history::AccessKind kind{};
        history::Version before;
        history::Version after;
        std::uint64_t trimmed = 0;
        std::size_t writers_first = 0;
        std::size_t writers = 0;
    };

    [[nodiscard]] bool record_row(std::size_t table, std::string_view key, const Value& writers);
    [[nodiscard]] bool record_row(Touched touched, std::string_view key, const Value& writers);
    [[nodiscard]] bool record_made(std::string_view key);
    [[nodiscard]] bool record_overwritten(std::string_view one);
    [[nodiscard]] bool record_told(const ToldRow& told, history::NameId table);
    [[nodiscard]] bool names(std::string_view identity) const;
    [[nodiscard]] bool record_packed(std::size_t table, std::string_view packed);
    [[nodiscard]] bool record_if_short(std::size_t table, const Value& packed);
    [[nodiscard]] bool name_versions(Touched& touched) const;
    void keep(Touched& touched);

    history::EventSink& events_;
    history::Names& names_;
    std::size_t rows_max_;

    const sql::Plan* plan_ = nullptr;
    history::StatementRef statement_;
    history::TransactionId wrote_untold_{};
    std::uint64_t lost_ = 0;
    std::uint64_t nameless_ = 0;
    bool cut_ = false;
    bool first_row_ = true;
    WriterList list_;
    std::vector<Touched> touched_;
    std::vector<history::Version> writers_;  ///< of all rows
};

}  // namespace isotap::mysql::instrument
