#include "protocol/sql/reread.hpp"

#include <string>
#include <utility>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/isolation_variable.hpp"

namespace isotap::sql {

void Rereads::add(QueryId id, std::string_view reason) {
    const Query& query = draft_.structure.queries[id];
    const Block& block = draft_.structure.blocks[query.body];
    const Relation& relation = *only_relation(id);
    std::string_view why;
    const Table& table = *draft_.table(relation, why);
    const bool locks = hold_ == Reread::Hold::locks;
    std::vector<Told> rows;
    tell_rows(draft_, table, draft_.qualifier(relation),
              locks ? history::AccessKind::locking_read : history::AccessKind::read, rows);
    Quoting source;
    source.add(" ");
    source.quote(block[Clause::from]);
    source.add(locks && !table.key.empty() ? " force index (primary) " : " ");
    source.quote(block[Clause::where]);
    if (locks) {
        source.add(draft_.state.mariadb ? " lock in share mode skip locked"
                                        : " for share skip locked");
    }
    ask_for(packed(rows, draft_.state.dialect).front(), source);
    blocks_.push_back(query.body);
    reason_ = reason_.empty() ? reason : reason_;
}

void Rereads::ask_for(const Told& rows, const Quoting& source) {
    list_.add((list_.text.empty() ? "(select " : ",(select ") + rows.text);
    list_.add(source);
    list_.add(")");
    tables_.push_back(rows.table);
}

/// A join has a row for each pair of rows: each of them is told once.
void Rereads::add_arms(QueryId id, std::string_view reason) {
    for (const BlockId arm : arms_of(draft_.structure, id)) {
        std::vector<Told> rows;
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block == arm) {
                std::string_view why;
                tell_rows(draft_, *draft_.table(relation, why), draft_.qualifier(relation),
                          history::AccessKind::read, rows);
            }
        }
        std::vector<Told> all = packed(rows, draft_.state.dialect);
        for (Told& one : all) {
            ask_for(all.size() > 1 ? each_once(std::move(one)) : one, companions_.source_of(arm));
        }
        blocks_.push_back(arm);
    }
    reason_ = reason;
}

void Rereads::add_spare(QueryId id, std::string_view reason) {
    add(id, reason);
    ++spares_;
}

void Rereads::add_all_of(BlockId block) {
    for (QueryId id = 0; const Query& query : draft_.structure.queries) {
        const bool reads = query.role == QueryRole::expression || query.role == QueryRole::source;
        if (reads && query.parent == block && can(id)) {
            add(id, query.role == QueryRole::source ? "insert from select" : "subquery");
        }
        ++id;
    }
}

/// Bounded in time, so that the client's next command does not wait for long. The variable names
/// the level of the transaction where nobody has set it since.
void Rereads::finish() {
    if (tables_.empty() || draft_.given_up()) {
        return;
    }
    const bool mariadb = draft_.state.mariadb;
    const std::string bytes = std::to_string(Reread::bytes_max);
    Quoting text;
    text.add(mariadb ? "set statement group_concat_max_len=" + bytes +
                           ",max_statement_time=1,lock_wait_timeout=0 for select "
                     : "select /*+ SET_VAR(group_concat_max_len=" + bytes +
                           ") MAX_EXECUTION_TIME(1000) */ ");
    text.add(list_);
    text.add(" from dual where @@session.");
    text.add(isolation_variable(draft_.state));
    text.add(hold_ == Reread::Hold::locks ? " in ('REPEATABLE-READ','SERIALIZABLE')"
                                          : "='REPEATABLE-READ'");
    if (hold_ == Reread::Hold::snapshot) {
        // A limit for every result ends the reading of rows; one out of the cache opens no
        // snapshot.
        text.add(" and @@sql_select_limit=18446744073709551615");
        text.add(mariadb ? " and @@query_cache_type='OFF'" : "");
    }
    Reread& reread = draft_.plan.reread;
    reread.text = std::move(text.text);
    reread.quotes = std::move(text.quotes);
    reread.spare = spares_ == tables_.size();
    reread.tables = std::move(tables_);
    reread.hold = hold_;
    reread.completes = draft_.plan.coverage == history::Coverage::full;
    draft_.partial(reason_);
}

}  // namespace isotap::sql
