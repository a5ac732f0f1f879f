#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/sql/assignments.hpp"
#include "protocol/sql/blocks.hpp"
#include "protocol/sql/draft.hpp"

/// INSERT, UPDATE, DELETE and MERGE of PostgreSQL: RETURNING tells what was written. The
/// overwritten version comes from the write itself: `old` since 18, wList, what its condition has
/// noted, or rows locked by a FROM.
namespace isotap::sql {
namespace {

constexpr std::uint32_t knows_old = 180000;
/// Names of ours within a statement; a client that uses them makes its statement opaque.
constexpr std::string_view locked = "isotap_locked";
constexpr std::string_view overwritten = "isotap_seen";
/// A parameter of the session that is ours, for as long as the statement runs.
constexpr std::string_view setting = "'isotap.seen'";
constexpr std::string_view changes_key = "changed key";

class PostgresWrite {
  public:
    PostgresWrite(Draft& draft, const Block& block, const Relation& target, const Table& table)
        : draft_(draft),
          block_(block),
          table_(table),
          target_(target),
          qualifier_(draft.qualifier(target)) {}

    void plan() {
        const bool partitioned = table_.kind == TableKind::partitioned;
        switch (block_.kind) {
            case BlockKind::insert:
                index_ = draft_.add_table(table_, history::AccessKind::insert);
                columns_ = key();
                insert(partitioned);
                break;
            case BlockKind::update:
                if (table_.by_place) {
                    move();
                    break;
                }
                index_ = draft_.add_table(table_, history::AccessKind::update);
                columns_ = key();
                update(partitioned);
                break;
            case BlockKind::merge:
                index_ = draft_.add_table(table_, history::AccessKind::update);
                merge(partitioned);
                break;
            default:
                index_ = draft_.add_table(table_, history::AccessKind::remove);
                columns_ = key();
                columns_ += table_.source == VersionSource::columns ? writers() : seen("xmin");
        }
        if (draft_.given_up()) {
            return;
        }
        if (table_.source == VersionSource::system) {
            const bool knows_xid8 = draft_.options.postgres_version >= 130000;
            columns_ += draft_.added(
                ColumnRole::transaction, AddedColumn::no_table,
                needless_cast(knows_xid8 ? "pg_current_xact_id()::text" : "txid_current()::text"));
        }
        read_joined();
        draft_.note_other_reads(draft_.structure.id_of(block_));
        report();
    }

  private:
    std::string key() { return draft_.key_columns(table_, qualifier_, index_); }
    std::string writers() {
        return draft_.added(ColumnRole::writers, index_,
                            qualifier_ + "." + draft_.quote(table_.writers));
    }
    std::string seen(const std::string& column) {
        return draft_.added(ColumnRole::seen, index_,
                            needless_cast(qualifier_ + "." + column + "::text"));
    }
    std::string made() {
        return draft_.added(ColumnRole::made, index_, needless_cast(qualifier_ + ".xmin::text"));
    }
    [[nodiscard]] bool has_old() const {
        return draft_.options.postgres_version >= knows_old &&
               draft_.name(target_.alias) != "old" && draft_.name(target_.alias) != "new";
    }
    std::string old_and_new() {
        std::string both = draft_.added(ColumnRole::seen, index_, needless_cast("old.xmin::text"));
        return both += draft_.added(ColumnRole::made, index_, needless_cast("new.xmin::text"));
    }

    /// The version that is about to be overwritten, noted where the row is met: by a condition that
    /// always holds. After a wait for another transaction the server tests it once more, on the row
    /// that it finds then; RETURNING is next, row by row (decision 0020).
    std::string noted_seen() {
        draft_.plan.calls_set_config = true;
        return draft_.added(
            ColumnRole::seen, index_,
            "nullif(pg_catalog.current_setting(" + std::string(setting) + ", true), '')");
    }
    void note_where(TokenRange where, TokenIndex behind) {
        const std::string note = "pg_catalog.set_config(" + std::string(setting) + ", " +
                                 qualifier_ + ".xmin::text, true) is not null ";
        if (where.empty()) {
            draft_.insert(behind, " where " + note);
        } else {
            draft_.insert(where.first + 1, " (");
            draft_.insert(where.last, ") and " + note);
        }
    }

    /// One relation alone is read, whose rows are tested one by one, each right before it is
    /// written.
    [[nodiscard]] bool tests_row_by_row() const {
        const TokenRange where = block_[Clause::where];
        return !block_.has(Clause::from) && !block_.current_of &&
               std::none_of(draft_.structure.blocks.begin(), draft_.structure.blocks.end(),
                            [where](const Block& inner) {
                                return inner.all.first >= where.first &&
                                       inner.all.last <= where.last;
                            });
    }

    /// How many rows the INSERT has when all are spelled out, and nothing else is read; else 0.
    [[nodiscard]] std::size_t rows_spelled_out() const {
        const TokenRange source = block_[Clause::source];
        if (draft_.structure.relations.size() != 1 || source.empty() ||
            !draft_.tokens[source.first].is(Keyword::values)) {
            return 0;
        }
        std::size_t rows = 0;
        std::size_t depth = 0;
        for (TokenIndex i = source.first + 1; i < source.last; ++i) {
            if (draft_.tokens[i].is(TokenKind::open_paren)) {
                rows += depth++ == 0 ? 1 : 0;
            } else if (draft_.tokens[i].is(TokenKind::close_paren)) {
                --depth;
            } else if (depth == 0 && !draft_.tokens[i].is(TokenKind::comma)) {
                return 0;  // ORDER BY, LIMIT
            }
        }
        return rows;
    }

    void insert(bool partitioned) {
        const bool conflict = block_.has(Clause::conflict);
        const TokenIndex set = draft_.find(block_[Clause::conflict], Keyword::set);
        const bool updates = conflict && set != no_token;
        if (table_.source == VersionSource::columns) {
            if (updates) {
                append_writer(conflict_set_end(set));
            }
            columns_ += writers();
        } else if (partitioned) {
            // System columns do not come back from an INSERT through the parent.
            updates ? draft_.opaque("upsert of a partitioned table") : void();
        } else if (updates && assigns_key({set, conflict_set_end(set)})) {
            columns_ += made();
            draft_.partial(changes_key);
        } else if (updates && has_old() && !table_.by_place) {
            columns_ += old_and_new();
        } else {
            columns_ += made();
            if (updates && table_.by_place) {
                draft_.partial("overwritten version");
            } else if (updates) {
                const TokenIndex last = block_[Clause::conflict].last;
                note_where({conflict_set_end(set), last}, last);
                columns_ += noted_seen();
            }
        }
        if (updates && !partitioned) {
            columns_ +=
                draft_.added(ColumnRole::updated, index_, "(" + qualifier_ + ".xmax<>0)::text");
        } else if (conflict) {
            draft_.partial("ON CONFLICT DO NOTHING");
        }
        if (draft_.plan.coverage == history::Coverage::partial) {
            draft_.plan.full_when_known = rows_spelled_out();
        }
    }

    /// The conflict action's SET ends at its WHERE.
    TokenIndex conflict_set_end(TokenIndex set) {
        const TokenRange rest{set, block_[Clause::conflict].last};
        const TokenIndex where = draft_.find(rest, Keyword::where);
        return where == no_token ? rest.last : where;
    }

    void update(bool partitioned) {
        if (table_.source == VersionSource::columns) {
            append_writer(block_[Clause::set].last);
            columns_ += writers();
        } else if (assigns_key(block_[Clause::set])) {
            columns_ += made();
            draft_.partial(changes_key);
        } else if (has_old()) {
            columns_ += old_and_new();
        } else if (tests_row_by_row()) {
            note_where(block_[Clause::where], block_[Clause::set].last);
            columns_ += noted_seen();
            columns_ += made();
        } else if (block_.has(Clause::from) || block_.current_of || partitioned) {
            columns_ += made();
            draft_.partial("overwritten version");
        } else {
            lock_in_from();
        }
    }

    /// The version at one place ends, another one begins elsewhere. Before 18 nothing tells the
    /// first place: it cannot be locked beforehand, as keys are, because it moves while we wait.
    void move() {
        if (has_old()) {
            index_ = draft_.add_table(table_, history::AccessKind::remove);
            columns_ = draft_.key_columns(table_, "old", index_);
            columns_ += draft_.added(ColumnRole::seen, index_, "old.xmin::text");
        } else {
            draft_.partial("overwritten version");
        }
        index_ = draft_.add_table(table_, history::AccessKind::insert);
        columns_ += draft_.key_columns(table_, has_old() ? "new" : qualifier_, index_);
        columns_ += draft_.added(ColumnRole::made, index_,
                                 (has_old() ? std::string("new") : qualifier_) + ".xmin::text");
    }

    /// Each row says what was done to it. Before 18, RETURNING does not know the version that was
    /// overwritten, before 17 a MERGE has none.
    void merge(bool partitioned) {
        if (draft_.options.postgres_version < knows_old) {
            draft_.opaque("MERGE before PostgreSQL 18");
        } else if (table_.source != VersionSource::system) {
            draft_.opaque("MERGE of version columns");
        } else if (partitioned || !has_old() || table_.by_place) {
            draft_.opaque("MERGE");
        } else if (merges_into_key()) {
            draft_.opaque(changes_key);
        }
        if (draft_.given_up()) {
            return;
        }
        columns_ = draft_.added(ColumnRole::action, index_, "merge_action()");
        const std::vector<std::string> before = draft_.key_parts(table_, "old");
        const std::vector<std::string> after = draft_.key_parts(table_, "new");
        for (std::size_t i = 0; i < before.size(); ++i) {
            columns_ += draft_.added(ColumnRole::key, index_,
                                     "coalesce(" + before[i] + ", " + after[i] + ")");
        }
        columns_ += old_and_new();
    }

    /// The key names the row: with another one it is another row, and the version that it has
    /// overwritten is none of that row's.
    [[nodiscard]] bool assigns_key(TokenRange set) const {
        return assigns_any(draft_, set, table_.key);
    }

    [[nodiscard]] bool merges_into_key() const {
        const TokenIndex end =
            block_.has(Clause::returning) ? block_[Clause::returning].first : block_.all.last;
        for (TokenIndex i = block_.all.first; i < end; ++i) {
            if (draft_.tokens[i].is(Keyword::set) && assigns_key({i, end})) {
                return true;
            }
        }
        return false;
    }

    void append_writer(TokenIndex behind) {
        const std::string column = qualifier_ + "." + draft_.quote(table_.writers);
        draft_.insert_stamped(
            behind,
            ", " + draft_.quote(table_.writers) + " = " +
                trimmed_writers(column, draft_.options.wlist_entries, Dialect::postgres) +
                "||','||",
            " ");
    }

    /// UPDATE t SET … FROM (SELECT key, xmin FROM t WHERE … FOR NO KEY UPDATE) l WHERE l.key =
    /// t.key: the rows are locked and re-read before the update sees them, so that xmin is the
    /// version that it overwrites even after a wait.
    void lock_in_from() {
        const std::string alias(locked);
        std::string list = " from (select ";
        std::string match;
        for (std::size_t i = 0; i < table_.key.size(); ++i) {
            const std::string column = draft_.quote(table_.key[i]);
            const std::string ours = "isotap_key" + std::to_string(i);
            list.append(qualifier_).append(".").append(column).append(" as ").append(ours);
            list.append(", ");
            match.append(i == 0 ? "" : " and ").append(alias).append(".").append(ours);
            match.append(" = ").append(qualifier_).append(".").append(column);
        }
        if (table_.has_children) {
            list += qualifier_ + ".tableoid as isotap_table, ";
            match += " and " + alias + ".isotap_table = " + qualifier_ + ".tableoid";
        }
        list += qualifier_ + ".xmin as " + std::string(overwritten) + " from " +
                std::string(draft_.tokens.text(block_[Clause::target])) + " ";
        const std::string close = " for no key update) as " + alias + " where " + match + " ";
        const TokenRange where = block_[Clause::where];
        if (where.empty()) {
            draft_.insert(block_[Clause::set].last, list + close);
        } else {
            draft_.insert(where.first, list);
            draft_.insert(where.last, close);
        }
        columns_ += draft_.added(ColumnRole::seen, index_,
                                 alias + "." + std::string(overwritten) + "::text");
        columns_ += made();
        only_target_in_stars();
    }

    /// RETURNING * would show the columns of our FROM.
    void only_target_in_stars() {
        for (const Item& item : draft_.structure.items) {
            if (item.block == draft_.structure.id_of(block_) && item.star == Star::all) {
                draft_.replace(item.all, qualifier_ + ".*");
            }
        }
    }

    /// The tables of FROM and USING: one row of each for a row that is written.
    void read_joined() {
        const BlockId id = draft_.structure.id_of(block_);
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block != id || relation.role != RelationRole::read) {
                continue;
            }
            if (relation.kind == RelationKind::derived &&
                !reads_tables(draft_.structure, relation.query)) {
                continue;  // (VALUES …) AS given
            }
            std::string_view why;
            const Table* table = draft_.table(relation, why);
            if (table != nullptr) {
                columns_ += draft_.read_columns(*table, draft_.qualifier(relation),
                                                history::AccessKind::read);
                why = "joined rows";
            }
            draft_.partial(why);
        }
    }

    void report() {
        if (block_.has(Clause::returning)) {
            draft_.insert(block_[Clause::items].last, columns_ + " ");
            draft_.plan.reply = ReplyChange::strip;
        } else {
            draft_.insert(block_.all.last, " returning " + columns_.substr(2) + " ");
            draft_.plan.reply = ReplyChange::swallow;
        }
    }

    Draft& draft_;
    const Block& block_;
    const Table& table_;
    const Relation& target_;
    std::string qualifier_;
    std::size_t index_ = 0;
    std::string columns_;
};

}  // namespace

void plan_postgres_write(Draft& draft) {
    const Block& block = *draft.structure.single_block();
    const Relation* target = draft.target(draft.structure.id_of(block));
    if (target == nullptr) {
        draft.opaque("target");
        return;
    }
    std::string_view why;
    const Table* table = draft.table(*target, why);
    if (table == nullptr) {
        draft.opaque(why);
        return;
    }
    PostgresWrite(draft, block, *target, *table).plan();
}

}  // namespace isotap::sql
