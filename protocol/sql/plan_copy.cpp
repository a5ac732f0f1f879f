#include <algorithm>
#include <optional>

#include "protocol/sql/draft.hpp"

/// COPY of a table to the client: it copies what a SELECT from the table alone shows.
namespace isotap::sql {
namespace {

/// COPY reads its table in the order of its pages; so does the SELECT, unless it is split among
/// workers. A function that must not run in one keeps it from that, also where it can never run:
/// the server takes it out of the text later.
constexpr std::string_view in_one_process =
    " where case when false then pg_catalog.txid_current() is null else true end";

struct Listed {
    std::vector<std::string> names;
    TokenIndex end = no_token;  ///< behind the list
};

/// The names in parentheses from `open` on; nothing where they are no such list.
std::optional<Listed> listed_from(const Draft& draft, TokenIndex open) {
    Listed list;
    for (TokenIndex at = open + 1;; at += 2) {
        const Token& name = draft.tokens[at];
        if (!name.is(TokenKind::word) && !name.is(TokenKind::quoted_name)) {
            return std::nullopt;
        }
        list.names.push_back(draft.name(at));
        if (draft.tokens[at + 1].is(TokenKind::close_paren)) {
            list.end = at + 2;
            return list;
        }
        if (!draft.tokens[at + 1].is(TokenKind::comma)) {
            return std::nullopt;
        }
    }
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// COPY refuses all others, and those that are named twice.
bool can_be_copied(const Table& table, const std::vector<std::string>& names) {
    for (auto at = names.begin(); at != names.end(); ++at) {
        if (!holds(table.columns, *at) || holds(table.generated, *at) ||
            std::find(names.begin(), at, *at) != at) {
            return false;
        }
    }
    return true;
}

/// Key and version, under names that no column has: FORCE_QUOTE names columns.
std::string added_columns(Draft& draft, const Table& table, const std::string& qualifier) {
    const std::size_t index = draft.add_table(table, history::AccessKind::read);
    std::string text;
    const auto add = [&](ColumnRole role, const std::string& expression) {
        draft.plan.added.push_back({role, index});
        text += ", " + expression + " as " + std::string(added_name_prefix) +
                std::to_string(draft.plan.added.size());
    };
    for (const std::string& part : draft.key_parts(table, qualifier)) {
        add(ColumnRole::key, part);
    }
    add(ColumnRole::seen, qualifier + ".xmin::text");
    return text;
}

/// What keeps the table from being copied by a SELECT; empty: nothing does.
std::string_view obstacle(const Table& table, const Listed& list) {
    if (table.kind != TableKind::ordinary) {
        return "partitioned table";  // the server refuses to copy it
    }
    if (table.source != VersionSource::system || table.shows_auxiliary) {
        return "version columns";
    }
    if (list.names.empty()) {
        // A list of ours would be an old one where a column has come meanwhile.
        return table.generated.empty() ? "" : "generated columns";
    }
    return can_be_copied(table, list.names) ? "" : "copy";
}

void copy_by_select(Draft& draft, const Relation& relation, const Table& table,
                    const Listed& list) {
    const std::string qualifier = draft.qualifier(relation);
    std::string columns;
    for (const std::string& name : list.names) {
        columns += (columns.empty() ? "" : ", ") + qualifier + "." + draft.quote(name);
    }
    const std::string select = "select " + (columns.empty() ? "*" : columns);
    const std::string from = " from only " + std::string(draft.tokens.text(relation.all));
    draft.plan.shown_by.original = select + from;
    draft.plan.shown_by.rewritten =
        select + added_columns(draft, table, qualifier) + from + std::string(in_one_process);
    draft.replace({relation.all.first, list.end}, "(" + draft.plan.shown_by.rewritten + ")");
    draft.plan.reply = ReplyChange::strip;
}

}  // namespace

void plan_copy(Draft& draft) {
    if (draft.structure.relations.empty()) {
        draft.opaque("copy");  // of a query: that is planned as the statement it is
        return;
    }
    const Relation& relation = draft.structure.relations.front();
    std::optional<Listed> list = Listed{{}, relation.all.last};
    if (draft.tokens[relation.all.last].is(TokenKind::open_paren)) {
        list = listed_from(draft, relation.all.last);
    }
    if (!list || !draft.tokens[list->end].is(Keyword::to)) {
        draft.opaque(list && draft.tokens[list->end].is(Keyword::from) ? "copy from" : "copy");
        return;
    }
    std::string_view why;
    const Table* named = draft.catalog.find(draft.name(relation.schema), draft.name(relation.name));
    if (named != nullptr && named->kind == TableKind::system) {
        draft.plan.coverage = history::Coverage::none;
        return;
    }
    const Table* table = draft.table(relation, why);
    if (table != nullptr) {
        why = obstacle(*table, *list);
    }
    if (table == nullptr || !why.empty()) {
        draft.opaque(why);
        return;
    }
    copy_by_select(draft, relation, *table, *list);
}

}  // namespace isotap::sql
