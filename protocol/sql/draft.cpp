#include "protocol/sql/draft.hpp"

#include <algorithm>
#include <utility>

#include "protocol/sql/name.hpp"

namespace isotap::sql {
namespace {

/// Stands ahead of such a cast until the plan is finished. A client's name that holds it is not
/// found by the server, and its statement goes as it came.
constexpr char cast_mark = '\x1f';
constexpr std::string_view cast = "::text";

/// Takes out all marks, and as many bytes behind each.
void clean(Splice& splice, std::size_t behind) {
    for (std::size_t at = splice.text.find(cast_mark); at != std::string::npos;
         at = splice.text.find(cast_mark, at)) {
        splice.text.erase(at, 1 + behind);
        for (Quote& quote : splice.quotes) {
            quote.at -= quote.at > at ? 1 + behind : 0;
        }
    }
}

/// The plan without marks, and beside it the one without those casts.
void settle_casts(Plan& plan) {
    const auto marked = [](const Splice& splice) {
        return splice.text.find(cast_mark) != std::string::npos;
    };
    if (std::none_of(plan.splices.begin(), plan.splices.end(), marked)) {
        return;
    }
    auto in_text = std::make_shared<Plan>(plan);
    for (Splice& splice : in_text->splices) {
        clean(splice, cast.size());
    }
    for (Splice& splice : plan.splices) {
        clean(splice, 0);
    }
    plan.in_text = std::move(in_text);
}

}  // namespace

std::string needless_cast(std::string column) {
    if (column.ends_with(cast)) {
        column.insert(column.size() - cast.size(), 1, cast_mark);
    }
    return column;
}

void Quoting::add(const Quoting& more) {
    for (const Quote& one : more.quotes) {
        quotes.push_back({text.size() + one.at, one.tokens});
    }
    text += more.text;
}

void Draft::partial(std::string_view reason) {
    if (plan.coverage == history::Coverage::full) {
        plan.coverage = history::Coverage::partial;
        plan.reason = reason;
    }
}

void Draft::opaque(std::string_view reason) {
    if (given_up()) {
        return;
    }
    plan = Plan{};
    plan.reason = reason;
}

std::string Draft::name(TokenIndex token) const {
    return token == no_token ? std::string() : name_of(tokens.text(token), state.dialect);
}

std::string Draft::quote(std::string_view name) const {
    return quoted(name, state.dialect);
}

std::string Draft::qualifier(const Relation& relation) const {
    if (relation.alias != no_token) {
        return std::string(tokens.text(relation.alias));
    }
    std::string text;
    if (relation.schema != no_token) {
        text = std::string(tokens.text(relation.schema)) + ".";
    }
    return text + std::string(tokens.text(relation.name));
}

void Draft::insert(TokenIndex token, std::string text) {
    plan.splices.push_back({{token, token}, std::move(text), Splice::no_stamp});
}

void Draft::insert_quoting(TokenIndex token, Quoting addition) {
    plan.splices.push_back(
        {{token, token}, std::move(addition.text), Splice::no_stamp, std::move(addition.quotes)});
}

void Draft::insert_stamped(TokenIndex token, std::string before, std::string_view after) {
    const std::size_t stamp_at = before.size();
    before += after;
    plan.splices.push_back({{token, token}, std::move(before), stamp_at});
}

void Draft::replace(TokenRange range, std::string text) {
    plan.splices.push_back({range, std::move(text), Splice::no_stamp});
}

bool Draft::is_cte(const Relation& relation) const {
    return relation.schema == no_token &&
           std::any_of(structure.ctes.begin(), structure.ctes.end(),
                       [&](const Cte& cte) { return name(cte.name) == name(relation.name); });
}

const Table* Draft::table(const Relation& relation, std::string_view& why) const {
    if (relation.kind != RelationKind::table) {
        why = relation.kind == RelationKind::derived ? "derived table" : "function in FROM";
        return nullptr;
    }
    if (is_cte(relation)) {
        why = "common table expression";
        return nullptr;
    }
    const Table* found = catalog.find(name(relation.schema), name(relation.name));
    const bool system = found != nullptr && found->source == VersionSource::system;
    if (found == nullptr) {
        why = "unknown table";
    } else if (found->kind == TableKind::view) {
        why = "view";
    } else if (found->kind == TableKind::other || found->kind == TableKind::system ||
               found->source == VersionSource::none ||
               (system && state.dialect == Dialect::mysql)) {
        why = "table without versions";
    } else if (system && found->key.empty() && !found->by_place) {
        why = "no primary key";
    } else if (relation.renames_columns) {
        why = "renamed columns";
    } else {
        return found;
    }
    return nullptr;
}

const Relation* Draft::target(BlockId block) const noexcept {
    const Relation* found = nullptr;
    for (const Relation& relation : structure.relations) {
        if (relation.block == block && relation.role == RelationRole::target) {
            if (found != nullptr) {
                return nullptr;
            }
            found = &relation;
        }
    }
    return found;
}

bool Draft::aggregates(BlockId block) const {
    return std::any_of(structure.calls.begin(), structure.calls.end(), [&](const Call& call) {
        return call.block == block && !call.window &&
               (is_builtin_aggregate(tokens.text(call.name), state.dialect) ||
                catalog.is_user_aggregate(name(call.name)));
    });
}

bool Draft::concatenates() const {
    return std::any_of(structure.calls.begin(), structure.calls.end(), [&](const Call& call) {
        const Keyword keyword = keyword_of(tokens.text(call.name));
        return keyword == Keyword::group_concat || keyword == Keyword::json_arrayagg ||
               keyword == Keyword::json_objectagg;
    });
}

TokenIndex Draft::find(TokenRange range, Keyword keyword) const noexcept {
    std::size_t depth = 0;
    for (TokenIndex i = range.first; i < range.last; ++i) {
        if (tokens[i].is(TokenKind::open_paren)) {
            ++depth;
        } else if (tokens[i].is(TokenKind::close_paren)) {
            --depth;
        } else if (depth == 0 && tokens[i].is(keyword)) {
            return i;
        }
    }
    return no_token;
}

std::size_t Draft::add_table(const Table& table, history::AccessKind kind) {
    plan.tables.push_back({table.identity, table.source, kind});
    return plan.tables.size() - 1;
}

std::string Draft::added(ColumnRole role, std::size_t index, const std::string& expression) {
    return added(role, index, Quoting{expression, {}}).text;
}

Quoting Draft::added(ColumnRole role, std::size_t index, const Quoting& expression) {
    plan.added.push_back({role, index});
    Quoting text;
    text.add(", ");
    text.add(expression);
    if (state.dialect == Dialect::postgres && structure.kind == StatementKind::select) {
        // Without a name of its own, `acc.id::text` would be called `id`, and ORDER BY looks for
        // names in the select list first: rows would come in the order of the text.
        text.add(" as " + std::string(added_name_prefix) + std::to_string(plan.added.size()));
    }
    return text;
}

std::vector<std::string> Draft::key_parts(const Table& table, const std::string& qualifier) const {
    const std::string_view text = state.dialect == Dialect::postgres ? cast : "";
    const auto as_text = [text](std::string column) { return column += text; };
    if (table.source == VersionSource::columns) {
        return {as_text(qualifier + "." + quote(table.row_id))};
    }
    if (table.by_place) {
        // Whatever moves rows without changing them (VACUUM FULL, CLUSTER) makes another file.
        return {as_text("pg_catalog.pg_relation_filenode(" + qualifier + ".tableoid)"),
                as_text(qualifier + ".ctid")};
    }
    std::vector<std::string> parts;
    if (table.has_children) {
        parts.push_back(as_text(qualifier + ".tableoid"));
    }
    for (std::size_t i = 0; i < table.key.size(); ++i) {
        const std::string column = qualifier + "." + quote(table.key[i]);
        const bool bytes = i < table.key_bytes.size() && !table.key_bytes[i].empty();
        parts.push_back(bytes
                            ? "pg_catalog.encode(" + table.key_bytes[i] + "(" + column + "),'hex')"
                            : as_text(column));
    }
    return parts;
}

std::string Draft::key_columns(const Table& table, const std::string& qualifier,
                               std::size_t index) {
    const bool plain = table.plain_key && table.source == VersionSource::system;
    std::string text;
    for (std::string part : key_parts(table, qualifier)) {
        part = plain ? needless_cast(std::move(part)) : std::move(part);
        text += added(ColumnRole::key, index, part);
    }
    return text;
}

std::string Draft::read_columns(const Table& table, const std::string& qualifier,
                                history::AccessKind kind) {
    const std::size_t index = add_table(table, kind);
    std::string columns = key_columns(table, qualifier, index);
    columns += table.source == VersionSource::columns
                   ? added(ColumnRole::writers, index, qualifier + "." + quote(table.writers))
                   : added(ColumnRole::seen, index, needless_cast(qualifier + ".xmin::text"));
    return columns;
}

void Draft::note_other_reads(BlockId block, const std::vector<BlockId>& told) {
    for (const Relation& relation : structure.relations) {
        if (relation.block == block || relation.kind != RelationKind::table ||
            std::find(told.begin(), told.end(), relation.block) != told.end()) {
            continue;
        }
        const Query& query = structure.queries[structure.blocks[relation.block].query];
        switch (query.role) {
            case QueryRole::derived: partial("derived table"); break;
            case QueryRole::expression: partial("subquery"); break;
            case QueryRole::source: partial("insert from select"); break;
            case QueryRole::cte: partial("common table expression"); break;
            default: partial("nested query");
        }
    }
}

Plan Draft::finish() {
    std::stable_sort(plan.splices.begin(), plan.splices.end(),
                     [](const Splice& one, const Splice& other) {
                         return std::pair(one.tokens.first, !one.tokens.empty()) <
                                std::pair(other.tokens.first, !other.tokens.empty());
                     });
    settle_casts(plan);
    return std::move(plan);
}

}  // namespace isotap::sql
