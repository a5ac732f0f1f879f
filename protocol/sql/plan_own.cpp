#include "protocol/sql/plan_own.hpp"

#include "protocol/sql/draft.hpp"

namespace isotap::sql {
namespace {

void tell_transaction(Draft& draft, const Block& block, const Relation& target) {
    const bool knows_xid8 = draft.options.postgres_version >= 130000;
    std::string columns =
        draft.added(ColumnRole::transaction, AddedColumn::no_table,
                    knows_xid8 ? "pg_current_xact_id()::text" : "txid_current()::text");
    // Within a savepoint rows carry the number of a transaction of its own.
    columns += draft.added(ColumnRole::transaction, AddedColumn::no_table,
                           draft.qualifier(target) + ".xmin::text");
    if (block.has(Clause::returning)) {
        draft.insert(block[Clause::items].last, columns + " ");
        draft.plan.reply = ReplyChange::strip;
    } else {
        draft.insert(block.all.last, " returning " + columns.substr(2) + " ");
        draft.plan.reply = ReplyChange::swallow;
    }
}

}  // namespace

Plan make_plan_for_own_table(const TokenList& tokens, const Structure& structure,
                             const LexerState& state, const PlannerOptions& options) {
    const NoTables tables;
    Draft draft(tokens, structure, state, tables, options);
    const Block* block = structure.sure() ? structure.single_block() : nullptr;
    const Relation* target = block == nullptr ? nullptr : draft.target(structure.id_of(*block));
    const bool known =
        block != nullptr && (block->kind == BlockKind::insert || block->kind == BlockKind::update ||
                             block->kind == BlockKind::remove);
    if (known && target != nullptr) {
        tell_transaction(draft, *block, *target);
    } else {
        draft.opaque("uncommitted schema change");
    }
    return draft.finish();
}

}  // namespace isotap::sql
