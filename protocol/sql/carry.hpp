#pragma once

#include <string_view>
#include <vector>

#include "protocol/sql/told.hpp"

namespace isotap::sql {

/// Makes the rows of a query tell, in columns behind the client's, which rows of tables they come
/// from: through the arms of UNION ALL, and through derived tables and common table expressions.
/// The query gives the same rows as before: wherever a column more would change them, nothing is
/// carried, and coverage says why.
class Carrier {
  public:
    explicit Carrier(Draft& draft) noexcept : draft_(draft) {}

    /// What keeps the rows of `query` from telling anything; empty: nothing does.
    [[nodiscard]] std::string_view obstacle(QueryId query) const;

    /// Adds columns to the result of the statement. Only without an obstacle.
    void carry_top();

    /// The reads of this block are told.
    [[nodiscard]] bool tells(BlockId block) const;

    /// A derived table or common table expression that nothing is carried out of.
    struct Left {
        RelationId relation = no_node;
        QueryId query = no_node;
        std::string_view why;
    };
    [[nodiscard]] const std::vector<Left>& left() const noexcept { return left_; }

  private:
    struct Rows {
        std::vector<Told> told;
        bool by_star = false;  ///< a `*` shows them already, under the names that they have
    };
    struct Inner {
        QueryId query = no_node;
        std::string_view obstacle;
    };

    [[nodiscard]] std::string_view obstacle_of_block(BlockId id) const;
    [[nodiscard]] std::string_view obstacle_on_mysql(BlockId id) const;
    [[nodiscard]] Inner inner_of(const Relation& relation) const;
    [[nodiscard]] std::string_view obstacle_of_names(const Relation& relation) const;

    std::vector<Told> carry(QueryId query, bool locked, bool top);
    void add_columns(const std::vector<BlockId>& arms, std::vector<Rows>& rows, bool top);
    Rows rows_of(BlockId id, bool locked);
    std::string_view rows_of(const Relation& relation, bool locked, Rows& rows);
    void note_hidden_rows(BlockId id);

    Draft& draft_;
    std::vector<BlockId> telling_;
    std::vector<Left> left_;
    std::size_t names_ = 0;
};

}  // namespace isotap::sql
