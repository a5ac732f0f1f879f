#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/draft.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/reread.hpp"
#include "protocol/sql/user_variables.hpp"

/// Writes of Oracle's MySQL: `isotap schema add` has put triggers on the tables, which name the
/// writer in each row and collect what was written. The statement goes as the client sent it.
namespace isotap::sql {
namespace {

class ToldWrite {
  public:
    ToldWrite(Draft& draft, const Block& block)
        : draft_(draft), block_(block), id_(draft.structure.id_of(block)) {}

    void plan() {
        std::size_t joined = 0;
        for (const Relation& relation : draft_.structure.relations) {
            if (relation.block != id_ || relation.role == RelationRole::deleted) {
                continue;
            }
            if (may_be_written(relation)) {
                enter(relation);
            } else {
                ++joined;
            }
        }
        if (draft_.given_up()) {
            return;
        }
        if (draft_.plan.tables.empty()) {
            draft_.opaque("target");
            return;
        }
        draft_.plan.told_by_triggers = true;
        draft_.plan.afterwards =
            "select concat(" + in_ascii("@isotap_done") + "," + in_ascii("@isotap_rows") + ")";
        if (joined > 0 || draft_.plan.tables.size() > 1) {
            draft_.partial("joined rows");
        }
        if (draft_.structure.kind == StatementKind::load) {
            note_load(draft_, block_);
            note_cascades();
            return;
        }
        Rereads rereads(draft_, Reread::Hold::locks);
        rereads.add_all_of(id_);
        draft_.note_other_reads(id_, rereads.blocks());
        note_cascades();
        if (ignores()) {
            draft_.partial("rows that IGNORE skips");
        }
        rereads.finish();
    }

  private:
    /// Which table an assignment of a joined UPDATE means, only the server knows.
    [[nodiscard]] bool may_be_written(const Relation& relation) const {
        if (relation.role == RelationRole::target) {
            return relation.kind == RelationKind::table && !draft_.is_cte(relation);
        }
        const std::string name = draft_.name(called(relation));
        return std::any_of(draft_.structure.relations.begin(), draft_.structure.relations.end(),
                           [&](const Relation& one) {
                               return one.block == id_ && one.role == RelationRole::deleted &&
                                      same_word(draft_.name(one.name), name);
                           });
    }

    void enter(const Relation& relation) {
        std::string_view why;
        const Table* table = draft_.table(relation, why);
        if (table == nullptr) {
            draft_.opaque(why);
        } else if (table->source != VersionSource::columns) {
            draft_.opaque("table without versions");
        } else if (!table->told_by_triggers) {
            draft_.opaque("write without a trigger");
        } else if (!draft_.given_up()) {
            draft_.add_table(*table, kind());
            cascades_ = cascades_ || (updates() && table->update_cascades) ||
                        (deletes() && table->delete_cascades);
        }
    }

    [[nodiscard]] history::AccessKind kind() const noexcept {
        switch (block_.kind) {
            case BlockKind::update: return history::AccessKind::update;
            case BlockKind::remove: return history::AccessKind::remove;
            default: return history::AccessKind::insert;
        }
    }

    [[nodiscard]] bool updates() const noexcept {
        return block_.kind == BlockKind::update || block_.has(Clause::conflict);
    }
    [[nodiscard]] bool deletes() const noexcept {
        return block_.kind == BlockKind::remove || block_.kind == BlockKind::replace;
    }

    void note_cascades() {
        if (cascades_) {
            draft_.partial("rows that foreign keys change");
            draft_.plan.full_when_none_skipped = false;
        }
    }

    [[nodiscard]] bool ignores() const {
        for (TokenIndex i = block_.all.first; i < block_[Clause::target].first; ++i) {
            if (draft_.tokens[i].is(Keyword::ignore)) {
                return true;
            }
        }
        return false;
    }

    Draft& draft_;
    const Block& block_;
    BlockId id_;
    bool cascades_ = false;
};

}  // namespace

void plan_told_write(Draft& draft, const Block& block) {
    ToldWrite(draft, block).plan();
}

}  // namespace isotap::sql
