#include "protocol/sql/parser.hpp"

/// INSERT, REPLACE, UPDATE, DELETE, MERGE.
namespace isotap::sql {

void Parser::insert(BlockId block) {
    const bool replace = is(Keyword::replace);
    block_at(block).kind = replace ? BlockKind::replace : BlockKind::insert;
    ++at_;
    if (mysql()) {
        while (is_any(
            {Keyword::low_priority, Keyword::delayed, Keyword::high_priority, Keyword::ignore})) {
            ++at_;
        }
        accept(Keyword::into);
    } else {
        expect(Keyword::into);
    }
    target(block, true);
    if (is(TokenKind::open_paren) && !opens_query()) {
        const TokenIndex first = at_;
        skip_parens();
        block_at(block)[Clause::columns] = since(first);
    }
    insert_source(block);
    conflict(block);
    returning(block);
}

void Parser::insert_source(BlockId block) {
    const TokenIndex first = at_;
    if (accept(Keyword::overriding)) {
        accept(Keyword::system) || accept(Keyword::user);
        expect(Keyword::value);
    }
    if (mysql() && accept(Keyword::set)) {
        expression(block, true);
    } else if (accept(Keyword::default_)) {
        expect(Keyword::values);
    } else if (mysql() && (is(Keyword::values) || is(Keyword::value))) {
        ++at_;
        do {
            accept(Keyword::row);
            parenthesised(block);
        } while (accept(TokenKind::comma));
        if (is(Keyword::as)) {
            doubt("row alias");
        }
    } else {
        query(QueryRole::source, block);
    }
    block_at(block)[Clause::source] = since(first);
}

void Parser::conflict(BlockId block) {
    const TokenIndex first = at_;
    if (!accept(Keyword::on)) {
        return;
    }
    if (accept(Keyword::duplicate)) {
        expect(Keyword::key);
        expect(Keyword::update);
        expression(block, true);
    } else {
        accept(Keyword::conflict) || doubt("ON");
        if (accept(Keyword::on)) {
            expect(Keyword::constraint);
            is_name() ? void(++at_) : void(doubt("ON CONFLICT"));
        } else if (is(TokenKind::open_paren)) {
            parenthesised(block);
            if (accept(Keyword::where)) {
                while (!at_end() && !is(Keyword::do_)) {
                    expression_token(block);
                }
            }
        }
        expect(Keyword::do_);
        if (!accept(Keyword::nothing)) {
            expect(Keyword::update);
            expect(Keyword::set);
            expression(block, true);
            if (accept(Keyword::where)) {
                expression(block);
            }
        }
    }
    block_at(block)[Clause::conflict] = since(first);
}

void Parser::update(BlockId block) {
    block_at(block).kind = BlockKind::update;
    ++at_;
    if (mysql()) {
        while (is(Keyword::low_priority) || is(Keyword::ignore)) {
            ++at_;
        }
        const TokenIndex first = at_;
        const std::size_t before = out_.relations.size();
        relations(block, RelationRole::target);
        block_at(block)[Clause::target] = since(first);
        block_at(block).multi_table = out_.relations.size() - before > 1;
    } else {
        target(block, false);
    }
    const TokenIndex set = at_;
    expect(Keyword::set);
    expression(block, true);
    block_at(block)[Clause::set] = since(set);
    const TokenIndex from = at_;
    if (postgres() && accept(Keyword::from)) {
        relations(block, RelationRole::read);
        block_at(block)[Clause::from] = since(from);
    }
    where(block);
    if (postgres()) {
        returning(block);
    }
}

void Parser::remove(BlockId block) {
    block_at(block).kind = BlockKind::remove;
    ++at_;
    if (mysql()) {
        while (is_any({Keyword::low_priority, Keyword::quick, Keyword::ignore})) {
            ++at_;
        }
        if (is(Keyword::history)) {
            doubt("DELETE HISTORY");
        }
        if (!is(Keyword::from)) {
            target_names(block);
            block_at(block).multi_table = true;
        }
    }
    const TokenIndex from = at_;
    expect(Keyword::from);
    if (block_at(block).multi_table) {
        relations(block, RelationRole::read);
        block_at(block)[Clause::from] = since(from);
    } else {
        target(block, false);
        if (mysql() && (is(TokenKind::comma) || is(TokenKind::dot))) {
            doubt("multi-table DELETE");
        }
    }
    const TokenIndex from_using = at_;
    if (accept(Keyword::using_)) {
        if (mysql()) {
            out_.relations.back().role = RelationRole::deleted;
            block_at(block).multi_table = true;
        }
        relations(block, RelationRole::read);
        block_at(block)[Clause::from] = since(from_using);
    }
    where(block);
    const QueryId query = block_at(block).query;
    if (mysql() && is_any({Keyword::order, Keyword::limit})) {
        query_at(query).body = block;
        tail(query);
    }
    returning(block);
}

/// DELETE a, b.* FROM …: names of relations that FROM explains.
void Parser::target_names(BlockId block) {
    const TokenIndex first = at_;
    do {
        Relation relation;
        relation.block = block;
        relation.role = RelationRole::deleted;
        const TokenIndex begin = at_;
        if (!is_name()) {
            doubt("multi-table DELETE");
            return;
        }
        relation.name = at_++;
        while (accept(TokenKind::dot)) {
            if (accept(TokenKind::star)) {
                break;
            }
            relation.schema = relation.name;
            relation.name = at_;
            is_name() ? void(++at_) : void(doubt("multi-table DELETE"));
        }
        relation.all = since(begin);
        out_.relations.push_back(relation);
    } while (accept(TokenKind::comma));
    block_at(block)[Clause::target] = since(first);
}

void Parser::merge(BlockId block) {
    block_at(block).kind = BlockKind::merge;
    ++at_;
    expect(Keyword::into);
    target(block, false);
    const TokenIndex from = at_;
    expect(Keyword::using_);
    relation(block, RelationRole::read);
    while (joins_here()) {
        // Each join takes one condition: the last ON is the MERGE's own.
        join(block, RelationRole::read);
        if (is(Keyword::on) || is(Keyword::using_)) {
            join_condition(block);
        }
    }
    block_at(block)[Clause::from] = since(from);
    const TokenIndex set = at_;
    expect(Keyword::on);
    // The actions hold words that mean something else elsewhere; only subqueries matter in them.
    while (!at_end() && !is(Keyword::returning) && !is(TokenKind::close_paren)) {
        expression_token(block);
    }
    block_at(block)[Clause::set] = since(set);
    returning(block);
}

/// The table of a write. In PostgreSQL SET is no alias, though no reserved word either, and an
/// INSERT takes an alias only behind AS.
void Parser::target(BlockId block, bool needs_as) {
    const TokenIndex first = at_;
    Relation relation;
    relation.block = block;
    relation.role = RelationRole::target;
    const bool only = postgres() && accept(Keyword::only);
    const bool parens = only && accept(TokenKind::open_paren);
    name_chain(relation) || doubt("target");
    if (parens) {
        expect(TokenKind::close_paren);
    }
    if (postgres() && !needs_as) {
        accept(TokenKind::star);
    }
    if (mysql() && is(Keyword::partition)) {
        ++at_;
        skip_parens();
    }
    if (is(Keyword::as) || (!needs_as && is_free_word() && !is(Keyword::set))) {
        accept(Keyword::as);
        is_name() ? void(relation.alias = at_++) : void(doubt("alias"));
    }
    relation.all = since(first);
    out_.relations.push_back(relation);
    block_at(block)[Clause::target] = since(first);
}

void Parser::where(BlockId block) {
    const TokenIndex first = at_;
    if (!accept(Keyword::where)) {
        return;
    }
    block_at(block).current_of = is(Keyword::current) && token(1).is(Keyword::of);
    expression(block);
    block_at(block)[Clause::where] = since(first);
}

void Parser::returning(BlockId block) {
    const TokenIndex first = at_;
    if (!is(Keyword::returning)) {
        return;
    }
    ++at_;
    items(block);
    block_at(block)[Clause::returning] = since(first);
}

}  // namespace isotap::sql
