#include "protocol/sql/plain_column.hpp"

#include <algorithm>
#include <string>

#include "protocol/sql/letter_case.hpp"

namespace isotap::sql {
namespace {

bool is_name(const Token& token) noexcept {
    return token.is(TokenKind::word) || token.is(TokenKind::quoted_name);
}

bool holds(const std::vector<std::string>& names, std::string_view wanted) {
    return std::any_of(names.begin(), names.end(),
                       [wanted](const std::string& name) { return same_word(name, wanted); });
}

bool is_column_of(const Draft& draft, BlockId block, const std::string& name) {
    return std::any_of(
        draft.structure.relations.begin(), draft.structure.relations.end(),
        [&](const Relation& relation) {
            std::string_view why;
            const Table* table = relation.block == block ? draft.table(relation, why) : nullptr;
            return table != nullptr && std::any_of(table->columns.begin(), table->columns.end(),
                                                   [&name](const std::string& column) {
                                                       return same_word(column, name);
                                                   });
        });
}

/// `[AS] name`, or nothing.
bool is_alias(const Draft& draft, TokenRange range) {
    if (!range.empty() && draft.tokens[range.first].is(Keyword::as)) {
        ++range.first;
    }
    return range.empty() || (range.size() == 1 && is_name(draft.tokens[range.first]));
}

}  // namespace

TokenRange plain_column(const Draft& draft, BlockId block, TokenRange range) {
    TokenRange column{range.first, range.first + 1};
    if (range.size() > 2 && draft.tokens[range.first + 1].is(TokenKind::dot)) {
        column.last += 2;
    }
    const TokenIndex name = column.last - 1;
    const bool plain = !range.empty() && is_name(draft.tokens[range.first]) &&
                       is_name(draft.tokens[name]) && is_column_of(draft, block, draft.name(name));
    return plain ? column : TokenRange{};
}

TokenRange only_plain_column(const Draft& draft, BlockId block) {
    const Block& one = draft.structure.blocks[block];
    if (one.has(Clause::group_by)) {
        constexpr TokenIndex words = 2;
        const TokenRange by{one[Clause::group_by].first + words, one[Clause::group_by].last};
        const TokenRange column = plain_column(draft, block, by);
        return column.last == by.last ? column : TokenRange{};
    }
    const TokenRange items = one[Clause::items];
    const TokenRange column = plain_column(draft, block, items);
    const bool distinct = one.has(Clause::distinct) && !column.empty();
    return distinct && is_alias(draft, {column.last, items.last}) ? column : TokenRange{};
}

bool shows_plain_columns(const Draft& draft, BlockId block) {
    const auto& items = draft.structure.items;
    return std::all_of(items.begin(), items.end(), [&](const Item& item) {
        return item.block != block || item.star == Star::all || item.star == Star::qualified ||
               plain_column(draft, block, item.all).last == item.all.last;
    });
}

bool shows_only(const Draft& draft, BlockId block, const std::vector<std::string>& these,
                const std::vector<std::string>& those) {
    const auto& items = draft.structure.items;
    return std::all_of(items.begin(), items.end(), [&](const Item& item) {
        if (item.block != block) {
            return true;
        }
        const TokenRange column = plain_column(draft, block, item.all);
        const std::string name = column.empty() ? std::string() : draft.name(column.last - 1);
        return holds(these, name) || holds(those, name);
    });
}

bool orders_by_key(const Draft& draft, BlockId block, TokenRange order_by,
                   const std::vector<std::string>& key) {
    constexpr TokenIndex words = 2;
    std::vector<std::string> names;
    for (TokenRange rest{order_by.first + words, order_by.last}; rest.first < rest.last;) {
        const TokenRange column = plain_column(draft, block, rest);
        if (column.empty()) {
            return false;
        }
        names.push_back(draft.name(column.last - 1));
        rest.first = column.last;
        const Token& direction = draft.tokens[rest.first];
        rest.first += direction.is(Keyword::asc) || direction.is(Keyword::desc) ? 1 : 0;
        if (rest.first < rest.last && !draft.tokens[rest.first++].is(TokenKind::comma)) {
            return false;
        }
    }
    return !key.empty() && std::all_of(key.begin(), key.end(), [&names](const std::string& part) {
        return holds(names, part);
    });
}

}  // namespace isotap::sql
