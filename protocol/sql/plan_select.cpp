#include <algorithm>
#include <string_view>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/select_plan.hpp"

/// What the statement's own blocks read.
namespace isotap::sql {
namespace {

std::string_view first(std::string_view one, std::string_view other) {
    return one.empty() ? other : one;
}

}  // namespace

void SelectPlan::plan() {
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
        if (!rereads_.blocks().empty()) {
            rereads_.finish();
        } else if (!draft_.plan.reason.empty()) {
            draft_.opaque(draft_.plan.reason);
        }
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

/// For this statement alone. MySQL takes it as a hint in the outermost block.
void SelectPlan::lift_limit_of_group_concat() {
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

TokenIndex SelectPlan::outermost_select() const {
    QueryId query = structure_.top;
    while (query != no_node) {
        const Block& block = structure_.blocks[structure_.queries[query].body];
        if (block.kind == BlockKind::select && draft_.tokens[block.all.first].is(Keyword::select)) {
            return block.all.first;
        }
        query = block.kind == BlockKind::nested ? block.nested : no_node;
    }
    return no_token;
}

/// The rows that the statement's own blocks read.
void SelectPlan::tell_result() {
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
void SelectPlan::tell_left() {
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
void SelectPlan::tell_skipped() {
    constexpr std::string_view why = "OFFSET hides rows";
    Plan& plan = draft_.plan;
    if (plan.reason == why && constants_.can_tell_skipped()) {
        constants_.tell_skipped();
        plan.silent_when_empty = plan.reread.spare = plan.reread.completes = true;
    }
}

/// SELECT EXISTS (…): the statement's own blocks read nothing.
bool SelectPlan::is_subquery_only(QueryId query) const {
    const auto arms = arms_of(structure_, query);
    return std::none_of(structure_.relations.begin(), structure_.relations.end(),
                        [&arms](const Relation& relation) {
                            return std::find(arms.begin(), arms.end(), relation.block) !=
                                   arms.end();
                        });
}

bool SelectPlan::has_having(QueryId query) const {
    const auto arms = arms_of(structure_, query);
    return std::any_of(arms.begin(), arms.end(),
                       [this](BlockId arm) { return structure_.blocks[arm].has(Clause::having); });
}

/// EXCEPT and INTERSECT read rows that leave no trace in the result.
bool SelectPlan::drops_rows(QueryId query) const {
    const TokenRange all = structure_.queries[query].all;
    for (TokenIndex i = all.first; i < all.last; ++i) {
        if (draft_.tokens[i].is(Keyword::except) || draft_.tokens[i].is(Keyword::intersect)) {
            return true;
        }
    }
    return false;
}

void SelectPlan::read_beside(QueryId query) {
    companions_.read_beside(query);
    tell_beside(query);
}

void SelectPlan::tell_beside(QueryId query) {
    for (const BlockId arm : arms_of(structure_, query)) {
        beside_[arm] = true;
    }
}

/// Behind the statement, which goes as it is. `why` its own columns tell nothing.
bool SelectPlan::ask_for_result(std::string_view why) {
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
void SelectPlan::read_result_again() {
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

bool SelectPlan::has_any_having() const {
    return std::any_of(structure_.blocks.begin(), structure_.blocks.end(),
                       [](const Block& block) { return block.has(Clause::having); });
}

void plan_select(Draft& draft) {
    const QueryId top = draft.structure.top;
    if (top == no_node || !reads_tables(draft.structure, top)) {
        return;  // nothing to capture: SELECT 1
    }
    SelectPlan(draft).plan();
}

}  // namespace isotap::sql
