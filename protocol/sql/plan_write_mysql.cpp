#include <algorithm>

#include "protocol/sql/assigned_image.hpp"
#include "protocol/sql/assignment_order.hpp"
#include "protocol/sql/draft.hpp"
#include "protocol/sql/insert_stamp.hpp"
#include "protocol/sql/noted_rows.hpp"
#include "protocol/sql/reread.hpp"
#include "protocol/sql/user_variables.hpp"

/// INSERT, REPLACE, UPDATE and DELETE of MariaDB, whose rows carry wList in invisible columns.
/// RETURNING tells what INSERT and DELETE touched; an UPDATE collects it in a user variable.
/// MySQL has neither RETURNING nor a way to collect without a warning: there, triggers do it
/// (plan_write_told.cpp).
namespace isotap::sql {
namespace {

constexpr std::uint32_t knows_returning = 100500;

class MariadbWrite {
  public:
    MariadbWrite(Draft& draft, const Block& block, const Relation& target, const Table& table)
        : draft_(draft),
          block_(block),
          table_(table),
          qualifier_(draft.qualifier(target)),
          row_id_(qualifier_ + "." + draft.quote(table.row_id)),
          writers_(qualifier_ + "." + draft.quote(table.writers)) {}

    void plan() {
        switch (block_.kind) {
            case BlockKind::update: update(); break;
            case BlockKind::remove: report(history::AccessKind::remove); break;
            default:
                if (loads()) {
                    plan_mariadb_load(draft_, block_, table_);
                } else {
                    insert();
                }
        }
        if (!draft_.given_up()) {
            if (!loads()) note_reads();
            note_triggers();
        }
    }

  private:
    [[nodiscard]] bool loads() const noexcept {
        return draft_.structure.kind == StatementKind::load;
    }

    void note_reads() {
        const BlockId id = draft_.structure.id_of(block_);
        Rereads rereads(draft_, Reread::Hold::locks);
        if (source_told_ == no_node) {
            rereads.add_all_of(id);
        }
        std::vector<BlockId> told = rereads.blocks();
        told.push_back(source_told_);
        draft_.note_other_reads(id, told);
        rereads.finish();
    }

    void note_triggers() {
        if (table_.has_triggers) {
            draft_.partial("rows that triggers write");
            draft_.plan.full_when_known = 0;
            draft_.plan.full_when_none_skipped = false;
        }
    }

    void insert() {
        if (draft_.find(block_.all, Keyword::delayed) != no_token) {
            draft_.opaque("INSERT DELAYED");
            return;
        }
        if (block_.has(Clause::conflict)) {
            upsert();
            return;
        }
        if (block_.kind == BlockKind::replace && !block_.has(Clause::returning)) {
            replace();
            return;
        }
        const Plan before = draft_.plan;
        const StampedInsert stamped = stamp_mysql_insert(draft_, block_, table_);
        if (!stamped.obstacle.empty()) {
            draft_.opaque(stamped.obstacle);
            return;
        }
        if (!block_.has(Clause::returning)) {
            if (ignores() && (stamped.rows == 0 || !may_return(stamped))) {
                draft_.opaque("rows that IGNORE skips");
                return;
            }
            if (!may_return(stamped)) {
                draft_.plan = before;
                note_made_rows("insert id of several rows");
                return;
            }
        }
        report(history::AccessKind::insert, stamped.read);
        draft_.plan.counts_records = stamped.rows != 1;
        if (block_.kind == BlockKind::replace) {
            draft_.partial("rows that REPLACE removes");
        }
        if (ignores()) {
            draft_.partial("rows that IGNORE skips");
            draft_.plan.full_when_known = reads_nothing() ? stamped.rows : 0;
            draft_.plan.records = stamped.rows;
        }
    }

    [[nodiscard]] bool reads_nothing() const { return draft_.structure.relations.size() == 1; }

    /// RETURNING would hide how many rows were removed, which the client is told. Of those nothing
    /// tells; but the server's count tells whether there were any.
    void replace() {
        constexpr std::string_view why = "rows that REPLACE removes";
        const StampedInsert stamped = note_made_rows(why);
        if (!draft_.given_up()) {
            draft_.partial(why);
            draft_.plan.full_when_known = reads_nothing() ? stamped.rows : 0;
        }
    }

    /// Each row by the name that it gets in the making: the client has the server's own completion.
    /// All rows are made, or none. `why` they would not be told otherwise.
    StampedInsert note_made_rows(std::string_view why) {
        StampedInsert stamped = stamp_mysql_insert(draft_, block_, table_, noted_name());
        if (!stamped.obstacle.empty()) {
            draft_.opaque(stamped.rows == 0 ? why : stamped.obstacle);
        } else {
            draft_.add_table(table_, history::AccessKind::insert);
            draft_.plan.afterwards = ask_for_noted_rows();
        }
        return stamped;
    }

    /// What is there is collected as by an UPDATE. A row that is made is collected by the name that
    /// it gets in the making; one that then meets another row is no row, and what follows says so.
    void upsert() {
        constexpr std::string_view why = "ON DUPLICATE KEY UPDATE";
        if (block_.has(Clause::returning) || ignores()) {
            draft_.opaque(why);
            return;
        }
        const StampedInsert stamped = stamp_mysql_insert(draft_, block_, table_, noted_name());
        if (!stamped.obstacle.empty() || stamped.rows == 0) {
            draft_.opaque(why);
            return;
        }
        const TokenRange conflict = block_[Clause::conflict];
        overwrite({conflict.first + 3, conflict.last});  // behind UPDATE
    }

    [[nodiscard]] bool ignores() const {
        return draft_.find({block_.all.first, block_[Clause::target].first}, Keyword::ignore) !=
               no_token;
    }

    /// The client is told how many rows were made and what number the first one got: what RETURNING
    /// tells must be enough for that.
    [[nodiscard]] bool may_return(const StampedInsert& stamped) const {
        return (!stamped.sets_insert_id || stamped.rows == 1) && !chooses_insert_id();
    }

    /// LAST_INSERT_ID(value) says what the client is told.
    [[nodiscard]] bool chooses_insert_id() const {
        return std::any_of(
            draft_.structure.calls.begin(), draft_.structure.calls.end(), [&](const Call& call) {
                return keyword_of(draft_.tokens.text(call.name)) == Keyword::last_insert_id &&
                       !draft_.tokens[call.name + 2].is(TokenKind::close_paren);
            });
    }

    void report(history::AccessKind kind, const std::vector<const Relation*>& read = {}) {
        if (draft_.state.server_version < knows_returning) {
            draft_.opaque("no RETURNING");
            return;
        }
        // RETURNING knows the columns of the one table, without its name.
        const std::size_t index = draft_.add_table(table_, kind);
        std::string columns = draft_.added(ColumnRole::key, index, draft_.quote(table_.row_id));
        columns += draft_.added(ColumnRole::writers, index, draft_.quote(table_.writers));
        for (std::size_t i = 0; i < read.size(); ++i) {
            columns += noted_rows(i, *read[i]);
        }
        if (kind == history::AccessKind::insert && !table_.auto_increment.empty()) {
            columns +=
                draft_.added(ColumnRole::insert_id, index, draft_.quote(table_.auto_increment));
        }
        if (block_.has(Clause::returning)) {
            draft_.insert(block_[Clause::items].last, columns + " ");
            draft_.plan.reply = ReplyChange::strip;
        } else {
            draft_.insert(block_.all.last, " returning " + columns.substr(2) + " ");
            draft_.plan.reply = ReplyChange::rebuild;
        }
    }

    /// The rows that the source gave since the last returned row. It reads what is current.
    std::string noted_rows(std::size_t number, const Relation& relation) {
        std::string_view why;
        const std::size_t index =
            draft_.add_table(*draft_.table(relation, why), history::AccessKind::locking_read);
        source_told_ = relation.block;
        const std::string variable = "@isotap_read" + std::to_string(number);
        return draft_.added(ColumnRole::packed, index,
                            "concat(if(0," + in_ascii(variable + ":=''") + "," +
                                in_ascii(variable) + ")," + unseen(variable + ":=''") + ")");
    }

    void update() {
        const TokenRange set = block_[Clause::set];
        if (draft_.find({block_.all.first, set.first}, Keyword::ignore) != no_token) {
            draft_.opaque("UPDATE IGNORE");
            return;
        }
        if (!assigns_in_order(draft_, block_, table_)) {
            draft_.opaque("several tables");
            return;
        }
        overwrite(set);
    }

    /// SET wList = wList (noting it, and the old image), what the client assigns, wList = a longer
    /// one if the image has changed. Assignments run from left to right, so that counts, time
    /// stamps and 'rows matched' stay what they were: a row that does not change gets no new
    /// version, nor does one that the statement itself has made or changed before.
    void overwrite(TokenRange set) {
        const std::string image = assigned_image(draft_, set, table_);
        if (image.empty()) {
            draft_.opaque("SET list");
            return;
        }
        draft_.add_table(table_, history::AccessKind::update);
        draft_.insert(set.first + 1, " " + writers_ + "=concat(" + writers_ + "," +
                                         noted_row(row_id_, writers_) + "," +
                                         unseen("@isotap_old:=" + image) + "), ");
        Quoting longer;
        longer.add(", " + writers_ + "=if(binary @isotap_old<=>binary " + image + ",concat(" +
                   writers_ + "," + noted_as_kept() + "),");
        if (block_.has(Clause::conflict)) {
            longer.add("if(substring_index(" + writers_ + ",',',-1)=");
            longer.stamp();
            longer.add("," + writers_ + ",");
        }
        longer.add("concat(" +
                   trimmed_writers(writers_, draft_.options.wlist_entries, Dialect::mysql) +
                   ",',',");
        longer.stamp();
        longer.add(block_.has(Clause::conflict) ? "))) " : ")) ");
        draft_.insert_quoting(set.last, std::move(longer));
        draft_.plan.afterwards = ask_for_noted_rows();
    }

    Draft& draft_;
    const Block& block_;
    const Table& table_;
    std::string qualifier_;
    std::string row_id_;
    std::string writers_;
    BlockId source_told_ = no_node;
};

}  // namespace

void plan_mysql_write(Draft& draft) {
    const Block& block = *draft.structure.single_block();
    if (!draft.state.mariadb) {
        plan_told_write(draft, block);
        return;
    }
    if (block.multi_table) {
        draft.opaque("several tables");
        return;
    }
    const Relation* target = draft.target(draft.structure.id_of(block));
    if (target == nullptr) {
        draft.opaque("target");
        return;
    }
    std::string_view why;
    const Table* table = draft.table(*target, why);
    if (table == nullptr) {
        draft.opaque(why);
    } else if (table->source != VersionSource::columns) {
        draft.opaque("table without versions");
    } else {
        MariadbWrite(draft, block, *target, *table).plan();
    }
}

}  // namespace isotap::sql
