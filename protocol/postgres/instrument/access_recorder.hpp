#pragma once

#include <array>
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

#include "protocol/postgres/instrument/added_columns.hpp"
#include "protocol/sql/plan.hpp"

namespace isotap::postgres::instrument {

/// Tells as events what the added columns of a result say: which rows a statement touched, over
/// which versions, and what the server calls its transaction. Believes nothing: a value that is not
/// what the plan promised is a surprise.
class AccessRecorder {
  public:
    AccessRecorder(history::EventSink& events, history::Names& names, const Limits& limits) noexcept
        : events_(events), names_(names), rows_max_(limits.rows_per_statement) {}

    /// The rows that follow are those of `statement`. `plan` must live until the next call. Of a
    /// statement of a transaction that has ended, in that `session`, they are held reads.
    void begin(const sql::Plan& plan, const history::StatementRef& statement,
               std::optional<history::SessionId> held_in = std::nullopt);

    /// One row: the values of the plan's added columns. False when they are no such values; then
    /// nothing of the row was told.
    [[nodiscard]] bool record(std::span<const Field> added);

    /// A row that was too long to be read.
    void lose() noexcept { ++lost_; }

    /// Rows of the statement that were beyond `Limits::rows_per_statement`.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

    /// Rows that were inserted, or updated over a version that was told.
    [[nodiscard]] std::uint64_t known() const noexcept { return known_; }

  private:
    /// What one result row says about one table.
    struct Touched {
        std::string key;        ///< canonical, see row_key_of
        std::size_t parts = 0;  ///< of the key, so far
        bool absent = false;
        bool updated = false;
        std::optional<history::AccessKind> action;  ///< where each row has its own
        std::optional<std::uint64_t> seen;
        std::optional<std::uint64_t> made;
        std::string_view packed;
        bool hex = false;
    };

    [[nodiscard]] bool read(std::span<const Field> added);
    [[nodiscard]] bool read_one(const sql::AddedColumn& column, const Field& field);
    void tell(std::size_t table, const Touched& touched);
    [[nodiscard]] bool walk_packed(std::size_t table, const Touched& touched, bool telling);
    void tell_access(std::size_t table, std::string_view key, history::AccessKind kind,
                     const history::Version& before, const history::Version& after);
    void tell_alias(std::uint64_t server_transaction);
    void tell_label(history::NameId table, const history::RowKey& row, std::string_view key);

    struct Labelled {
        history::NameId table{};
        history::RowKey row;
    };
    static constexpr std::size_t labels_remembered = 64;
    static constexpr std::size_t label_bytes_max = 64;

    history::EventSink& events_;
    history::Names& names_;
    std::size_t rows_max_;

    const sql::Plan* plan_ = nullptr;
    history::StatementRef statement_;
    std::optional<history::SessionId> held_in_;
    std::uint64_t rows_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t known_ = 0;
    std::vector<history::NameId> tables_;      ///< of the plan
    std::vector<Touched> touched_;             ///< by table of the plan
    std::vector<std::uint64_t> transactions_;  ///< what the row calls its transaction
    std::string key_;                          ///< of a packed row
    std::string label_;

    history::TransactionId aliased_{};
    std::array<std::uint64_t, 2> aliases_{};  ///< of `aliased_`, the last ones told
    std::vector<Labelled> labelled_;          ///< by hash; empty until first used
};

}  // namespace isotap::postgres::instrument
