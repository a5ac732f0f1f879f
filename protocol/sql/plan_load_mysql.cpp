#include <string>

#include "protocol/sql/draft.hpp"
#include "protocol/sql/noted_rows.hpp"

/// LOAD DATA of the MySQL family. On MariaDB it names its rows itself, as an INSERT does; on MySQL
/// triggers tell of them. How many it skipped or removed is in the server's own count.
namespace isotap::sql {
namespace {

/// A file of the client's is loaded as if under IGNORE.
bool skips_rows(const Draft& draft, const Block& block) {
    const TokenRange head{block.all.first, block[Clause::target].first};
    return block.kind != BlockKind::replace &&
           (draft.plan.asks_for_file || draft.find(head, Keyword::ignore) != no_token);
}

}  // namespace

void note_load(Draft& draft, const Block& block, std::string_view untold) {
    const TokenRange head{block.all.first, block[Clause::target].first};
    draft.plan.loads = true;
    draft.plan.asks_for_file = draft.find(head, Keyword::local) != no_token;
    draft.note_other_reads(draft.structure.id_of(block));
    draft.plan.full_when_none_skipped = draft.plan.coverage == history::Coverage::full;
    draft.partial_if(untold);
    draft.partial_if(skips_rows(draft, block) ? "rows that IGNORE skips" : "");
}

void plan_mariadb_load(Draft& draft, const Block& block, const Table& table) {
    draft.insert_stamped(
        block.all.last,
        (block.has(Clause::set) ? ", " : " set ") + draft.quote(table.writers) + "=",
        ", " + draft.quote(table.row_id) + "=" + noted_name() + " ");
    draft.add_table(table, history::AccessKind::insert);
    draft.plan.afterwards = ask_for_noted_rows();
    note_load(draft, block, block.kind == BlockKind::replace ? "rows that REPLACE removes" : "");
}

}  // namespace isotap::sql
