#include "protocol/postgres/instrument/prepared_body.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using sql::Keyword;
using sql::TokenIndex;
using sql::TokenKind;
using sql::TokenList;
using sql::TokenRange;

namespace {

struct Type {
    std::string_view name;
    std::uint32_t oid;
};

/// Those of one word, as pg_type has them and as people write them.
constexpr std::array types{
    Type{"bool", 16},        Type{"boolean", 16},       Type{"bytea", 17},
    Type{"name", 19},        Type{"int8", 20},          Type{"bigint", 20},
    Type{"int2", 21},        Type{"smallint", 21},      Type{"int4", 23},
    Type{"int", 23},         Type{"integer", 23},       Type{"text", 25},
    Type{"oid", 26},         Type{"json", 114},         Type{"float4", 700},
    Type{"real", 700},       Type{"float8", 701},       Type{"bpchar", 1042},
    Type{"varchar", 1043},   Type{"date", 1082},        Type{"time", 1083},
    Type{"timestamp", 1114}, Type{"timestamptz", 1184}, Type{"interval", 1186},
    Type{"numeric", 1700},   Type{"decimal", 1700},     Type{"uuid", 2950},
    Type{"jsonb", 3802},
};

/// One type; a modifier behind it, as in varchar(20), is of no matter to a parameter.
std::uint32_t oid_of(const TokenList& tokens, TokenRange type) {
    const bool bare =
        type.size() == 1 || (type.size() > 1 && tokens[type.first + 1].is(TokenKind::open_paren) &&
                             tokens[type.last - 1].is(TokenKind::close_paren));
    if (!bare) {
        return 0;
    }
    const std::string name = sql::name_of(tokens.text(type.first), sql::Dialect::postgres);
    const auto* const found = std::find_if(
        types.begin(), types.end(), [&name](const Type& known) { return known.name == name; });
    return found == types.end() ? 0 : found->oid;
}

}  // namespace

PreparedBody::PreparedBody(const TokenList& tokens) {
    constexpr TokenIndex behind_name = 2;
    TokenIndex at = behind_name;
    while (at < tokens.size() && !tokens[at].is(Keyword::as)) {
        ++at;
    }
    if (at >= tokens.size()) {
        return;
    }
    first = at + 1;
    if (tokens[behind_name].is(TokenKind::open_paren)) {
        types = {behind_name + 1, at - 1};
    }
}

std::string PreparedBody::parameter_types(const TokenList& tokens) const {
    std::string oids;
    std::size_t depth = 0;
    TokenIndex begin = types.first;
    for (TokenIndex at = types.first; at <= types.last && !types.empty(); ++at) {
        depth += tokens[at].is(TokenKind::open_paren) ? 1 : 0;
        const bool ends = at == types.last || (depth == 0 && tokens[at].is(TokenKind::comma));
        depth -= tokens[at].is(TokenKind::close_paren) && depth > 0 ? 1 : 0;
        if (!ends) {
            continue;
        }
        const std::uint32_t oid = oid_of(tokens, {begin, at});
        for (int shift = 24; shift >= 0; shift -= 8) {
            oids += static_cast<char>(oid >> shift & 0xFFU);
        }
        begin = at + 1;
    }
    return oids;
}

}  // namespace isotap::postgres::instrument
