#include <algorithm>
#include <string_view>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/carry.hpp"
#include "protocol/sql/companion.hpp"
#include "protocol/sql/constant_column.hpp"
#include "protocol/sql/draft.hpp"
#include "protocol/sql/reread.hpp"
#include "protocol/sql/subquery_use.hpp"

/// SELECT, TABLE and VALUES. Columns of the tables ride along with the rows where that changes
/// nothing; what they do not reach is read again in the same statement.
namespace isotap::sql {
namespace {

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

    void plan() {
        if (writes_somewhere()) {
            draft_.partial("write in a common table expression");
        }
        tell_result();
        for (QueryId id = 0; id < structure_.queries.size() && !draft_.given_up(); ++id) {
            if (structure_.queries[id].role == QueryRole::expression) {
                draft_.partial_if(tell_subquery(id));
            }
        }
        if (draft_.given_up()) {
            return;
        }
        note_what_is_left();
        if (!untold_result_.empty()) {
            read_result_again();
            return;
        }
        companions_.wrap();
        if (draft_.plan.added.empty()) {
            const bool reread = !rereads_.blocks().empty();
            reread                       ? rereads_.finish()
            : draft_.plan.reason.empty() ? void()
                                         : draft_.opaque(draft_.plan.reason);
            return;
        }
        if (draft_.packs && mysql()) {
            lift_limit_of_group_concat();
            if (draft_.given_up()) {
                return;
            }
        }
        draft_.plan.reply = ReplyChange::strip;
        rereads_.finish();
    }

  private:
    [[nodiscard]] bool mysql() const { return draft_.state.dialect == Dialect::mysql; }
    [[nodiscard]] bool told(BlockId block) const { return carrier_.tells(block) || beside_[block]; }

    /// For this statement alone. MySQL takes it as a hint in the outermost block.
    void lift_limit_of_group_concat() {
        if (draft_.state.mariadb) {
            draft_.insert(0, "set statement group_concat_max_len=1073741824 for ");
            return;
        }
        const TokenIndex select = outermost_select();
        if (select == no_token) {
            draft_.opaque("aggregate");
            return;
        }
        draft_.insert(select + 1, " /*+ SET_VAR(group_concat_max_len=1073741824) */ ");
        draft_.plan.hints = true;
    }

    [[nodiscard]] TokenIndex outermost_select() const {
        QueryId query = structure_.top;
        while (query != no_node) {
            const Block& block = structure_.blocks[structure_.queries[query].body];
            if (block.kind == BlockKind::select &&
                draft_.tokens[block.all.first].is(Keyword::select)) {
                return block.all.first;
            }
            query = block.kind == BlockKind::nested ? block.nested : no_node;
        }
        return no_token;
    }

    [[nodiscard]] bool writes_somewhere() const {
        return std::any_of(
            structure_.blocks.begin(), structure_.blocks.end(), [](const Block& block) {
                return block.kind == BlockKind::insert || block.kind == BlockKind::update ||
                       block.kind == BlockKind::remove || block.kind == BlockKind::merge;
            });
    }

    [[nodiscard]] bool locks() const {
        return std::any_of(structure_.queries.begin(), structure_.queries.end(),
                           [](const Query& query) { return !query.locking.empty(); });
    }

    /// A statement can be wrapped, and read something again, only where that is possible at all:
    /// not around writes and SELECT INTO, and not where locks make later versions visible. In the
    /// MySQL family the wrapped columns would lose their tables' names.
    [[nodiscard]] std::string_view no_wrap() const {
        if (mysql()) {
            return "subquery";
        }
        return writes_somewhere() ? "write in a common table expression"
               : locks()          ? "lock"
                                  : std::string_view{};
    }

    /// The rows that the statement's own blocks read.
    void tell_result() {
        const QueryId top = structure_.top;
        std::string_view why = carrier_.obstacle(top);
        if (mysql() && ask_for_result(why)) {
            return;
        }
        const bool hides_groups = has_having(top) && !mysql();
        if (!why.empty() || hides_groups) {
            const std::string_view beside = why == "INTO" || why == "empty select list" || mysql()
                                                ? why
                                                : first(no_wrap(), companions_.obstacle(top));
            if (beside.empty()) {
                read_beside(top);
                draft_.plan.silent_when_empty = hides_groups || drops_rows(top);
                return;
            }
            why = why.empty() ? why : beside;
        }
        if (why.empty()) {
            carrier_.carry_top();
            tell_skipped();
            tell_left();
        } else if (is_subquery_only(top)) {
            draft_.partial(why);
        } else {
            draft_.opaque(why);
        }
    }

    /// What could not be carried is read again where all of its rows were read: it is all that its
    /// block reads, without a condition.
    void tell_left() {
        const auto arms = arms_of(structure_, structure_.top);
        for (const Carrier::Left& left : carrier_.left()) {
            const BlockId block = structure_.relations[left.relation].block;
            const auto others =
                std::count_if(structure_.relations.begin(), structure_.relations.end(),
                              [block](const Relation& one) { return one.block == block; });
            const bool all_read = others == 1 && !structure_.blocks[block].has(Clause::where) &&
                                  std::find(arms.begin(), arms.end(), block) != arms.end() &&
                                  !has_limit(structure_, structure_.top);
            if (all_read && first(no_wrap(), companions_.obstacle(left.query)).empty() &&
                !companions_.is_correlated(left.query)) {
                read_beside(left.query);
                draft_.plan.silent_when_empty = true;
            } else {
                draft_.partial(left.why);
            }
        }
    }

    /// Until the result has come, coverage is what it would be without that.
    void tell_skipped() {
        constexpr std::string_view why = "OFFSET hides rows";
        Plan& plan = draft_.plan;
        if (plan.reason == why && constants_.can_tell_skipped()) {
            constants_.tell_skipped();
            plan.silent_when_empty = plan.reread.spare = plan.reread.completes = true;
        }
    }

    static std::string_view first(std::string_view one, std::string_view other) {
        return one.empty() ? other : one;
    }

    /// SELECT EXISTS (…): the statement's own blocks read nothing.
    [[nodiscard]] bool is_subquery_only(QueryId query) const {
        const auto arms = arms_of(structure_, query);
        return std::none_of(structure_.relations.begin(), structure_.relations.end(),
                            [&arms](const Relation& relation) {
                                return std::find(arms.begin(), arms.end(), relation.block) !=
                                       arms.end();
                            });
    }

    [[nodiscard]] bool has_having(QueryId query) const {
        const auto arms = arms_of(structure_, query);
        return std::any_of(arms.begin(), arms.end(), [this](BlockId arm) {
            return structure_.blocks[arm].has(Clause::having);
        });
    }

    /// EXCEPT and INTERSECT read rows that leave no trace in the result.
    [[nodiscard]] bool drops_rows(QueryId query) const {
        const TokenRange all = structure_.queries[query].all;
        for (TokenIndex i = all.first; i < all.last; ++i) {
            if (draft_.tokens[i].is(Keyword::except) || draft_.tokens[i].is(Keyword::intersect)) {
                return true;
            }
        }
        return false;
    }

    void read_beside(QueryId query) {
        companions_.read_beside(query);
        tell_beside(query);
    }

    void tell_beside(QueryId query) {
        for (const BlockId arm : arms_of(structure_, query)) {
            beside_[arm] = true;
        }
    }

    /// Behind the statement, which goes as it is. `why` its own columns tell nothing.
    bool ask_for_result(std::string_view why) {
        const QueryId source = rereads_.source_of_result();
        why = first(why, carrier_.obstacle(source));
        if (why.empty() || locks() || !rereads_.can_read_arms(source)) {
            return false;
        }
        untold_result_ = why;
        rereads_.add_arms(source, why);
        tell_beside(structure_.top);
        tell_beside(source);
        return true;
    }

    /// All of it, or none.
    void read_result_again() {
        rereads_.finish();
        if (!draft_.plan.reread.completes) {
            draft_.opaque(untold_result_);
            return;
        }
        draft_.plan.coverage = history::Coverage::opaque;
        draft_.plan.reread.of_result = true;
        if (const QueryId source = rereads_.source_of_result(); constants_.can_tell(source)) {
            constants_.tell(source);
            lift_limit_of_group_concat();
            draft_.plan.reply = ReplyChange::strip;
            draft_.plan.reread.spare = true;
            draft_.plan.silent_when_empty = has_any_having();
        }
    }

    [[nodiscard]] bool has_any_having() const {
        return std::any_of(structure_.blocks.begin(), structure_.blocks.end(),
                           [](const Block& block) { return block.has(Clause::having); });
    }

    /// Gives what keeps a subquery in an expression from being told.
    std::string_view tell_subquery(QueryId id) {
        const Query& query = structure_.queries[id];
        if (!reads_tables(structure_, id)) {
            return {};
        }
        if (query.parent == no_node || !told(query.parent)) {
            return "nested subquery";
        }
        if (const std::string_view why = companions_.obstacle(id); !why.empty()) {
            return ask_for_subquery(id, why);
        }
        const SubqueryUse use = use_of(draft_, id);
        const bool correlated = companions_.is_correlated(id);
        if (use.evaluated && !correlated && no_wrap().empty()) {
            read_beside(id);
            draft_.plan.silent_when_empty = true;
            return {};
        }
        const std::string_view why =
            use.evaluated ? tell_in_list(id, use, correlated) : "subquery that may be skipped";
        if (why.empty() || ask_for_subquery(id, why).empty()) {
            return {};
        }
        return !correlated || !no_wrap().empty() ? why : tell_deciding(id, why);
    }

    /// Behind the statement. Gives `why` it is not told in another way where it cannot be asked
    /// for.
    std::string_view ask_for_subquery(QueryId id, std::string_view why) {
        if (!mysql() || locks() || !rereads_.can(id)) {
            return why;
        }
        rereads_.add(id, why);
        beside_[structure_.queries[id].body] = true;
        return {};
    }

    /// The rows by which EXISTS keeps or rejects others. `why` they are not told in another way.
    std::string_view tell_deciding(QueryId id, std::string_view why) {
        if (const std::string_view obstacle = companions_.obstacle_of_deciding(id);
            !obstacle.empty()) {
            return obstacle == "nested subquery" ? why : obstacle;
        }
        companions_.read_deciding(id);
        tell_beside(id);
        draft_.plan.silent_when_empty = true;
        return {};
    }

    /// A subquery of the statement's only block, again as a column of its list.
    std::string_view tell_in_list(QueryId id, const SubqueryUse& use, bool correlated) {
        const Block* block = structure_.single_block();
        const BlockId parent = structure_.queries[id].parent;
        if (block == nullptr || structure_.id_of(*block) != parent || !carrier_.tells(parent)) {
            return "nested subquery";
        }
        if (locks() || writes_somewhere()) {
            return "lock";
        }
        const bool one_row = !block->has(Clause::from) ||
                             (is_grouped(draft_, parent) && !block->has(Clause::group_by));
        if (correlated ? is_grouped(draft_, parent) : !one_row && !mysql()) {
            return "subquery";
        }
        if (correlated && !use.matches && !use.in_list) {
            return "rows that a subquery rejects";
        }
        if (mysql() && draft_.concatenates()) {
            return "subquery";
        }
        const bool once = !correlated && !one_row;
        if (once && has_limit(structure_, structure_.top)) {
            return "LIMIT hides rows";
        }
        companions_.read_in_list(id, *block, once);
        if (once && !draft_.state.mariadb && rereads_.can(id)) {
            rereads_.add_spare(id, "subquery");
        }
        draft_.plan.silent_when_empty = draft_.plan.silent_when_empty || once;
        tell_beside(id);
        return {};
    }

    /// Every table that is read and not told lowers coverage.
    void note_what_is_left() {
        for (const Relation& relation : structure_.relations) {
            if (relation.kind != RelationKind::table || draft_.is_cte(relation) ||
                told(relation.block)) {
                continue;
            }
            switch (structure_.queries[structure_.blocks[relation.block].query].role) {
                case QueryRole::derived: draft_.partial("derived table"); break;
                case QueryRole::expression: draft_.partial("subquery"); break;
                case QueryRole::cte: draft_.partial("common table expression"); break;
                default: draft_.partial("nested query");
            }
        }
    }

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

}  // namespace

void plan_select(Draft& draft) {
    const QueryId top = draft.structure.top;
    if (top == no_node || !reads_tables(draft.structure, top)) {
        return;  // nothing to capture: SELECT 1
    }
    SelectPlan(draft).plan();
}

}  // namespace isotap::sql
