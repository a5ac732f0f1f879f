#include "protocol/sql/parser.hpp"

/// FROM: tables, subqueries, functions, joins.
namespace isotap::sql {
namespace {

/// Functions of PostgreSQL that are called without parentheses.
bool is_value_function(Keyword keyword) noexcept {
    switch (keyword) {
        case Keyword::current_catalog:
        case Keyword::current_date:
        case Keyword::current_role:
        case Keyword::current_schema:
        case Keyword::current_time:
        case Keyword::current_timestamp:
        case Keyword::current_user:
        case Keyword::localtime:
        case Keyword::localtimestamp:
        case Keyword::session_user:
        case Keyword::user: return true;
        default: return false;
    }
}

}  // namespace

void Parser::relations(BlockId block, RelationRole role) {
    do {
        joined(block, role);
    } while (accept(TokenKind::comma));
}

void Parser::joined(BlockId block, RelationRole role) {
    relation(block, role);
    while (join(block, role)) {
    }
}

/// One more relation of a join, or the condition of one.
bool Parser::join(BlockId block, RelationRole role) {
    if (at_end()) {
        return false;
    }
    if (is(Keyword::on) || is(Keyword::using_)) {
        if (token(1).is(Keyword::conflict) || token(1).is(Keyword::duplicate)) {
            return false;  // of an INSERT … SELECT
        }
        join_condition(block);
        return true;
    }
    if (!joins_here()) {
        return false;
    }
    if (accept(Keyword::natural)) {
        block_at(block).joins_by_name = true;
    }
    if (mysql() && accept(Keyword::straight_join)) {
        relation(block, role);
        return true;
    }
    if (accept(Keyword::left) || accept(Keyword::right) || accept(Keyword::full)) {
        accept(Keyword::outer);
    } else {
        accept(Keyword::inner) || accept(Keyword::cross);
    }
    expect(Keyword::join);
    relation(block, role);
    return true;
}

void Parser::join_condition(BlockId block) {
    if (accept(Keyword::on)) {
        expression(block);
        return;
    }
    // In a DELETE, USING without a list of columns starts another clause.
    if (!token(1).is(TokenKind::open_paren)) {
        doubt("USING");
        return;
    }
    ++at_;
    block_at(block).joins_by_name = true;
    skip_parens();
    if (postgres() && accept(Keyword::as)) {
        is_name() ? void(++at_) : void(doubt("alias of USING"));
    }
}

void Parser::relation(BlockId block, RelationRole role) {
    Relation relation;
    relation.block = block;
    relation.role = role;
    const TokenIndex first = at_;
    relation.lateral = accept(Keyword::lateral);
    if (is(TokenKind::open_paren)) {
        if (!opens_query() && !(mysql() && token(1).is(Keyword::values))) {
            relation_in_parens(block, role);
            return;
        }
        derived(block, relation);
    } else if (postgres() && is(Keyword::rows) && token(1).is(Keyword::from) &&
               token(2).is(TokenKind::open_paren)) {
        at_ += 2;
        relation.kind = RelationKind::function;
        parenthesised(block);
        table_suffix(block, relation);
    } else {
        table_relation(block, relation);
    }
    relation.all = since(first);
    out_.relations.push_back(relation);
}

/// A join in parentheses; in PostgreSQL it may have an alias, which hides the names within.
void Parser::relation_in_parens(BlockId block, RelationRole role) {
    if (++depth_ > 256) {
        doubt("depth");
    }
    ++at_;
    mysql() ? relations(block, role) : joined(block, role);
    expect(TokenKind::close_paren);
    --depth_;
    if (is(Keyword::as) || is_free_word()) {
        doubt("alias of a join");
    }
}

void Parser::derived(BlockId block, Relation& relation) {
    relation.kind = RelationKind::derived;
    expect(TokenKind::open_paren);
    relation.query = query(QueryRole::derived, block);
    expect(TokenKind::close_paren);
    alias(relation);
}

void Parser::table_relation(BlockId block, Relation& relation) {
    if (is(TokenKind::symbol)) {
        doubt("ODBC escape");
        return;
    }
    const bool only = postgres() && accept(Keyword::only);
    const bool parens = only && accept(TokenKind::open_paren);
    const bool value_function = postgres() && is_value_function(token().keyword);
    if (!name_chain(relation)) {
        doubt("relation");
        return;
    }
    if (parens) {
        expect(TokenKind::close_paren);
    } else if (is(TokenKind::open_paren)) {
        function_relation(block, relation);
        return;
    } else if (value_function) {
        relation.kind = RelationKind::function;
    }
    table_suffix(block, relation);
}

void Parser::function_relation(BlockId block, Relation& relation) {
    relation.kind = RelationKind::function;
    parenthesised(block);
    table_suffix(block, relation);
}

/// What may stand between a table or a function and the next join.
void Parser::table_suffix(BlockId block, Relation& relation) {
    if (postgres()) {
        accept(TokenKind::star);
        if (is(Keyword::with) && token(1).is(Keyword::ordinality)) {
            at_ += 2;
        }
        alias(relation);
        if (accept(Keyword::tablesample)) {
            relation.sampled = true;
            Relation method;
            name_chain(method) || doubt("TABLESAMPLE");
            parenthesised(block);
            if (accept(Keyword::repeatable)) {
                parenthesised(block);
            }
        }
        return;
    }
    if (is(Keyword::partition) && token(1).is(TokenKind::open_paren)) {
        ++at_;
        skip_parens();
    }
    if ((is(Keyword::for_) && token(1).is(Keyword::system_time)) ||
        (is(Keyword::as) && token(1).is(Keyword::of))) {
        relation.historic = true;
        doubt("system time");
    }
    alias(relation);
    index_hints(block);
}

void Parser::alias(Relation& relation) {
    const bool as = accept(Keyword::as);
    if (as && postgres() && is(TokenKind::open_paren)) {
        relation.renames_columns = true;  // function(…) AS (name type, …)
        skip_parens();
        return;
    }
    const bool named = as ? is_name() : is_free_word();
    if (!named) {
        if (as) {
            doubt("alias");
        } else if (mysql() && is_name() &&
                   reserved_by_mysql(token().keyword) == Reserved::in_some && !ends_expression()) {
            doubt("word that some servers reserve");
        }
        return;
    }
    relation.alias = at_++;
    if (is(TokenKind::open_paren)) {
        relation.renames_columns = true;
        skip_parens();
    }
}

/// USE | FORCE | IGNORE INDEX | KEY [FOR JOIN | ORDER BY | GROUP BY] (…)
void Parser::index_hints(BlockId block) {
    while (is_any({Keyword::use, Keyword::force, Keyword::ignore}) &&
           (token(1).is(Keyword::index) || token(1).is(Keyword::key))) {
        at_ += 2;
        if (accept(Keyword::for_)) {
            if (!accept(Keyword::join)) {
                accept(Keyword::order) || accept(Keyword::group);
                expect(Keyword::by);
            }
        }
        parenthesised(block);
        if (is(TokenKind::comma) && token(1).is(Keyword::use)) {
            ++at_;
        }
    }
}

/// [catalog .] [schema .] name
bool Parser::name_chain(Relation& relation) {
    const bool called = token(1).is(TokenKind::open_paren) || token(1).is(TokenKind::dot);
    if (!is_name() || (is_reserved() && !called && !is_value_function(token().keyword))) {
        return false;
    }
    relation.name = at_++;
    for (std::size_t parts = 1; is(TokenKind::dot); ++parts) {
        ++at_;
        if (!is_name() || parts == 3) {
            return false;
        }
        relation.schema = relation.name;
        relation.name = at_++;
    }
    return true;
}

}  // namespace isotap::sql
