#include "protocol/sql/assigned_image.hpp"

#include <algorithm>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/user_variables.hpp"

namespace isotap::sql {
namespace {

/// The bytes of a text, the digits of a number; of what is long, what tells it from all others.
/// HEX of a number would round it.
std::string image_of_value(const std::string& value, bool is_short) {
    const std::string bytes = "hex(concat(" + value + "))";
    const std::string told =
        is_short ? bytes
                 : "if(length(" + value + ")>64,concat('#',sha2(" + value + ",512))," + bytes + ")";
    return "ifnull(" + in_ascii(told) + "," + in_ascii("'~'") + ")";
}

bool has_name(const std::vector<std::string>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& one) { return same_word(one, name); });
}

}  // namespace

std::string assigned_image(const Draft& draft, TokenRange set, const Table& table) {
    std::string images;
    std::size_t columns = 0;
    bool name_expected = true;
    std::size_t depth = 0;
    for (TokenIndex i = set.first + 1; i < set.last; ++i) {
        const Token& token = draft.tokens[i];
        if (name_expected) {
            const TokenIndex first = i;
            while (draft.tokens[i + 1].is(TokenKind::dot)) {
                i += 2;
            }
            if (i >= set.last || !draft.tokens[i + 1].is(TokenKind::equals)) {
                return {};
            }
            const std::string column(draft.tokens.text({first, i + 1}));
            const std::string name = draft.name(i);
            // A float says six of its digits only.
            images += "," + (has_name(table.floats, name)
                                 ? image_of_value("(" + column + "+0e0)", true)
                                 : image_of_value(column, has_name(table.short_values, name)));
            ++columns;
            name_expected = false;
        } else if (token.is(TokenKind::open_paren)) {
            ++depth;
        } else if (token.is(TokenKind::close_paren)) {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth == 0 && token.is(TokenKind::comma)) {
            name_expected = true;
        }
    }
    return columns < 2 ? images.substr(columns) : "concat_ws(" + in_ascii("'|'") + images + ")";
}

}  // namespace isotap::sql
