#pragma once

#include <string_view>
#include <vector>

#include "protocol/sql/carry.hpp"
#include "protocol/sql/companion.hpp"
#include "protocol/sql/constant_column.hpp"
#include "protocol/sql/draft.hpp"
#include "protocol/sql/reread.hpp"
#include "protocol/sql/subquery_use.hpp"

namespace isotap::sql {

/// SELECT, TABLE and VALUES. Columns of the tables ride along with the rows where that changes
/// nothing; what they do not reach is read again, in the same statement or behind it.
class SelectPlan {
  public:
    explicit SelectPlan(Draft& draft)
        : draft_(draft),
          structure_(draft.structure),
          carrier_(draft),
          companions_(draft),
          constants_(draft),
          rereads_(draft, Reread::Hold::snapshot),
          beside_(draft.structure.blocks.size(), false) {}

    void plan();

  private:
    // What keeps rows from being read again in the statement (plan_subqueries.cpp).
    [[nodiscard]] bool mysql() const { return draft_.state.dialect == Dialect::mysql; }
    [[nodiscard]] bool writes_somewhere() const;
    [[nodiscard]] bool locks() const;
    [[nodiscard]] std::string_view no_wrap() const;

    // The rows of the result (plan_select.cpp).
    void tell_result();
    void tell_left();
    void tell_skipped();
    bool ask_for_result(std::string_view why);
    void read_result_again();
    void read_beside(QueryId query);
    void tell_beside(QueryId query);
    void lift_limit_of_group_concat();
    [[nodiscard]] TokenIndex outermost_select() const;
    [[nodiscard]] bool is_subquery_only(QueryId query) const;
    [[nodiscard]] bool has_having(QueryId query) const;
    [[nodiscard]] bool has_any_having() const;
    [[nodiscard]] bool drops_rows(QueryId query) const;

    // Those of subqueries in its expressions (plan_subqueries.cpp). Each gives what keeps them from
    // being told; empty: nothing does.
    std::string_view tell_subquery(QueryId id);
    std::string_view ask_for_subquery(QueryId id, std::string_view why);
    std::string_view tell_deciding(QueryId id, std::string_view why);
    std::string_view tell_in_list(QueryId id, const SubqueryUse& use, bool correlated);

    void note_what_is_left();
    [[nodiscard]] bool told(BlockId block) const { return carrier_.tells(block) || beside_[block]; }

    Draft& draft_;
    const Structure& structure_;
    Carrier carrier_;
    Companions companions_;
    ConstantColumns constants_;
    Rereads rereads_;
    std::vector<bool> beside_;
    /// Why the result does not tell what it came from, though that can be read again.
    std::string_view untold_result_;
};

}  // namespace isotap::sql
