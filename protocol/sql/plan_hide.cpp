#include <algorithm>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/draft.hpp"

/// Where auxiliary columns show in `*` (PostgreSQL), every star is spelled out, in every block of
/// every statement, captured or not. Where that cannot be done, the plan says that it leaks.
namespace isotap::sql {
namespace {

class Hide {
  public:
    explicit Hide(Draft& draft) noexcept : draft_(draft) {}

    void run() {
        for (const Relation& relation : draft_.structure.relations) {
            if (shows(relation) == nullptr) {
                continue;
            }
            found_ = true;
            if (block_of(relation).kind == BlockKind::table) {
                table_block(relation);
            } else if (relation.role == RelationRole::read && block_of(relation).joins_by_name &&
                       is_natural(block_of(relation))) {
                draft_.plan.leaks = true;
            }
            draft_.plan.leaks = draft_.plan.leaks || used_as_a_row(relation);
        }
        if (!found_) {
            return;
        }
        for (const Item& item : draft_.structure.items) {
            if (item.star != Star::none) {
                spell_out(item);
            }
        }
    }

  private:
    [[nodiscard]] const Block& block_of(const Relation& relation) const {
        return draft_.structure.blocks[relation.block];
    }

    /// The table behind a relation whose auxiliary columns would show; else null.
    [[nodiscard]] const Table* shows(const Relation& relation) const {
        if (relation.kind != RelationKind::table || draft_.is_cte(relation)) {
            return nullptr;
        }
        const Table* table =
            draft_.catalog.find(draft_.name(relation.schema), draft_.name(relation.name));
        return table != nullptr && table->shows_auxiliary ? table : nullptr;
    }

    [[nodiscard]] bool is_natural(const Block& block) const {
        return draft_.find(block[Clause::from], Keyword::natural) != no_token;
    }

    [[nodiscard]] std::string columns(const Table& table, const std::string& qualifier) const {
        std::string list;
        for (const std::string& column : table.columns) {
            list += list.empty() ? "" : ", ";
            list += qualifier + "." + draft_.quote(column);
        }
        return list;
    }

    /// TABLE name: SELECT its columns. COPY name: with a list of them.
    void table_block(const Relation& relation) {
        const Table& table = *shows(relation);
        const TokenIndex behind = relation.all.last;
        if (draft_.structure.kind == StatementKind::copy) {
            if (!draft_.tokens[behind].is(TokenKind::open_paren)) {
                std::string list;
                for (const std::string& column : table.columns) {
                    list += (list.empty() ? "" : ", ") + draft_.quote(column);
                }
                draft_.insert(behind, " (" + list + ") ");
            }
        } else if (draft_.structure.kind != StatementKind::ddl) {
            const TokenIndex word = block_of(relation).all.first;
            draft_.replace({word, word + 1},
                           "select " + columns(table, draft_.qualifier(relation)) + " from ");
        }
    }

    void spell_out(const Item& item) {
        const Block& block = draft_.structure.blocks[item.block];
        if (item.star == Star::composite || (item.star == Star::all && block.joins_by_name)) {
            draft_.plan.leaks = true;
            return;
        }
        std::string list;
        bool hidden = false;
        for (const Relation& relation : draft_.structure.relations) {
            const bool listed =
                relation.role == RelationRole::read || relation.role == RelationRole::target;
            if (relation.block != item.block || !listed || !matches(item, relation)) {
                continue;
            }
            const Table* table = shows(relation);
            hidden = hidden || table != nullptr;
            list += list.empty() ? "" : ", ";
            list += table != nullptr ? columns(*table, draft_.qualifier(relation))
                                     : draft_.qualifier(relation) + ".*";
        }
        if (hidden && !already_replaced(item)) {
            draft_.replace(item.all, list);
        } else if (hidden) {
            draft_.plan.leaks = true;
        }
    }

    [[nodiscard]] bool already_replaced(const Item& item) const {
        return std::any_of(draft_.plan.splices.begin(), draft_.plan.splices.end(),
                           [&](const Splice& splice) { return splice.tokens == item.all; });
    }

    /// A qualified star names one relation; a bare one, all.
    [[nodiscard]] bool matches(const Item& item, const Relation& relation) const {
        const TokenIndex star = item.all.last - 1;
        if (item.star == Star::all) {
            return relation.kind == RelationKind::table || relation.alias != no_token;
        }
        return called(relation) != no_token &&
               draft_.name(star - 2) == draft_.name(called(relation));
    }

    /// A bare name of a relation in an expression is its whole row: `row_to_json(t)`.
    [[nodiscard]] bool used_as_a_row(const Relation& relation) const {
        if (relation.role == RelationRole::ddl) {
            return false;
        }
        const std::string name = draft_.name(called(relation));
        const Table& table = *shows(relation);
        if (std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end()) {
            return false;  // a column takes precedence
        }
        for (TokenIndex i = 0; i < draft_.tokens.size(); ++i) {
            const bool bare = (draft_.tokens[i].is(TokenKind::word) ||
                               draft_.tokens[i].is(TokenKind::quoted_name)) &&
                              !draft_.tokens[i + 1].is(TokenKind::dot) &&
                              (i == 0 || !draft_.tokens[i - 1].is(TokenKind::dot));
            if (bare && draft_.name(i) == name && !names_a_relation(i)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool names_a_relation(TokenIndex token) const {
        const auto& relations = draft_.structure.relations;
        const auto& queries = draft_.structure.queries;
        return std::any_of(relations.begin(), relations.end(),
                           [token](const Relation& relation) {
                               return relation.name == token || relation.alias == token;
                           }) ||
               std::any_of(queries.begin(), queries.end(),
                           [token](const Query& query) { return query.locking.holds(token); });
    }

    Draft& draft_;
    bool found_ = false;
};

}  // namespace

void hide_auxiliary(Draft& draft) {
    if (draft.state.dialect == Dialect::postgres) {
        Hide(draft).run();
    }
}

}  // namespace isotap::sql
