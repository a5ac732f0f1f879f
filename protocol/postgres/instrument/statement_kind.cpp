#include "protocol/postgres/instrument/statement_kind.hpp"

#include <algorithm>

#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using sql::Keyword;

namespace {

/// EXPLAIN runs what it explains only when it is told to.
bool explains_by_running(const sql::TokenList& tokens) noexcept {
    const bool listed = tokens[1].is(sql::TokenKind::open_paren);
    for (sql::TokenIndex at = 1; at < tokens.size(); ++at) {
        if (tokens[at].is(Keyword::analyze) || tokens[at].is(Keyword::analyse)) {
            return true;
        }
        if (!listed || tokens[at].is(sql::TokenKind::close_paren)) {
            break;
        }
    }
    return false;
}

/// CREATE TABLE … AS query, CREATE MATERIALIZED VIEW: rows are read, and no result tells which.
bool creates_from_rows(const sql::TokenList& tokens) noexcept {
    std::size_t depth = 0;
    bool made = false;
    for (sql::TokenIndex at = 1; at < tokens.size(); ++at) {
        if (tokens[at].is(sql::TokenKind::open_paren)) {
            ++depth;
        } else if (tokens[at].is(sql::TokenKind::close_paren)) {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth == 0 && at < 6) {
            made = made || tokens[at].is(Keyword::table) || tokens[at].is(Keyword::materialized);
        }
        if (made && depth == 0 && tokens[at].is(Keyword::as)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string_view beyond_text(const sql::TokenList& tokens) noexcept {
    switch (tokens[0].keyword) {
        case Keyword::call: return "call";
        case Keyword::do_: return "do";
        case Keyword::create: return creates_from_rows(tokens) ? "create from a query" : "";
        case Keyword::explain: return explains_by_running(tokens) ? "explain" : "";
        default: return {};
    }
}

CursorQuery::CursorQuery(const sql::TokenList& tokens) {
    for (sql::TokenIndex at = 2; at < tokens.size() && first == sql::no_token; ++at) {
        if (tokens[at].is(Keyword::for_)) {
            first = at + 1;
        }
        held = held || (tokens[at].is(Keyword::with) &&
                        sql::name_of(tokens.text(at + 1), sql::Dialect::postgres) == "hold");
    }
}

bool touches_rows(const sql::Token& first) noexcept {
    switch (first.keyword) {
        case Keyword::select:
        case Keyword::insert:
        case Keyword::update:
        case Keyword::delete_:
        case Keyword::merge:
        case Keyword::with:
        case Keyword::values:
        case Keyword::table: return true;
        default: return first.is(sql::TokenKind::open_paren);
    }
}

bool writes(const sql::Structure& structure) noexcept {
    return std::any_of(
        structure.relations.begin(), structure.relations.end(),
        [](const sql::Relation& relation) { return relation.role != sql::RelationRole::read; });
}

}  // namespace isotap::postgres::instrument
