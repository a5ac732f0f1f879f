#pragma once

#include <vector>

#include "protocol/sql/companion.hpp"
#include "protocol/sql/draft.hpp"
#include "protocol/sql/told.hpp"

namespace isotap::sql {

/// MySQL family: what a statement reads out of sight, in a subquery or as the source of an INSERT,
/// or behind a DISTINCT, is asked for behind it. Only what must give the same rows then.
///
/// With `Hold::locks`, only what takes no lock that the statement has not taken: it has read all
/// rows that it found, by the primary key or from end to end, and the rows themselves, not those of
/// another index.
class Rereads {
  public:
    Rereads(Draft& draft, Reread::Hold hold) noexcept
        : draft_(draft), companions_(draft, Companions::Parameters::valued), hold_(hold) {}

    /// What this query reads can be read again.
    [[nodiscard]] bool can(QueryId id) const;

    /// Only where it can. `reason`: what coverage says until the answer comes.
    void add(QueryId id, std::string_view reason);

    /// The same of one whose result tells it, unless that is too long.
    void add_spare(QueryId id, std::string_view reason);

    /// The query whose rows the statement shows: its own, or that of the derived table which is all
    /// that it reads.
    [[nodiscard]] QueryId source_of_result() const;

    /// All rows that the arms of this query come from can be read again. In a snapshot only.
    [[nodiscard]] bool can_read_arms(QueryId id) const;
    void add_arms(QueryId id, std::string_view reason);

    /// Everything that stands directly in a block and can be read again.
    void add_all_of(BlockId block);

    /// The blocks that are read again.
    [[nodiscard]] const std::vector<BlockId>& blocks() const noexcept { return blocks_; }

    /// The question goes into the plan, whose coverage waits for the answer. Call it last.
    void finish();

  private:
    void ask_for(const Told& rows, const Quoting& source);
    [[nodiscard]] const Relation* only_relation(QueryId id) const;
    [[nodiscard]] bool is_sure_to_run(QueryId id) const;
    [[nodiscard]] bool stands_alone(QueryId id, TokenRange around) const;
    [[nodiscard]] bool is_bare(const Relation& relation, TokenRange from) const;
    [[nodiscard]] bool is_written(const Table& table) const;
    [[nodiscard]] bool reads_rows_themselves(const Table& table, BlockId id) const;
    [[nodiscard]] bool names(TokenRange range, const std::vector<std::string>& columns) const;
    [[nodiscard]] bool names_beyond(TokenRange range, const Table& table) const;
    [[nodiscard]] bool is_for_sure_a_column(TokenIndex i) const;

    Draft& draft_;
    Companions companions_;
    Reread::Hold hold_;
    Quoting list_;
    std::vector<std::size_t> tables_;
    std::vector<BlockId> blocks_;
    std::size_t spares_ = 0;
    std::string_view reason_;
};

}  // namespace isotap::sql
