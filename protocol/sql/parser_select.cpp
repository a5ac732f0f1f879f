#include "protocol/sql/parser.hpp"

/// SELECT and VALUES: their clauses and items.
namespace isotap::sql {

void Parser::select(BlockId block) {
    ++at_;
    select_options(block);
    items(block);
    select_clauses(block);
}

void Parser::select_options(BlockId block) {
    const TokenIndex first = at_;
    while (!at_end()) {
        if (is(Keyword::distinct) || (mysql() && is(Keyword::distinctrow))) {
            ++at_;
            if (postgres() && is(Keyword::on)) {
                ++at_;
                parenthesised(block);
            }
            block_at(block)[Clause::distinct] = since(first);
        } else if (is(Keyword::all) ||
                   (mysql() && is_any({Keyword::high_priority, Keyword::straight_join,
                                       Keyword::sql_small_result, Keyword::sql_big_result,
                                       Keyword::sql_buffer_result, Keyword::sql_no_cache,
                                       Keyword::sql_cache, Keyword::sql_calc_found_rows}))) {
            ++at_;
        } else {
            return;
        }
    }
}

void Parser::select_clauses(BlockId block) {
    while (!at_end()) {
        const TokenIndex first = at_;
        Clause clause = Clause::from;
        if (accept(Keyword::from)) {
            if (mysql() && accept(Keyword::dual)) {
                block_at(block)[Clause::from] = since(first);
                continue;
            }
            relations(block, RelationRole::read);
        } else if (is(Keyword::into)) {
            into(block);
            continue;
        } else if (is(Keyword::where)) {
            where(block);
            continue;
        } else if (accept(Keyword::group)) {
            clause = Clause::group_by;
            expect(Keyword::by);
            accept(Keyword::all) || accept(Keyword::distinct);
            expression(block, true);
            if (mysql() && accept(Keyword::with)) {
                expect(Keyword::rollup);
            }
        } else if (accept(Keyword::having)) {
            clause = Clause::having;
            expression(block);
        } else if (is(Keyword::window)) {
            clause = Clause::window;
            ++at_;
            expression(block, true);
        } else {
            return;
        }
        if (block_at(block).has(clause)) {
            doubt("clause twice");
        }
        block_at(block)[clause] = since(first);
    }
}

/// PostgreSQL: INTO makes a table. MySQL family: INTO @a, @b or INTO OUTFILE '…' ….
void Parser::into(BlockId block) {
    const TokenIndex first = at_++;
    if (mysql()) {
        if (accept(Keyword::outfile) || accept(Keyword::dumpfile)) {
            doubt("INTO OUTFILE");
        }
        do {
            if (!accept(TokenKind::user_variable) && !accept(TokenKind::word)) {
                doubt("INTO");
            }
        } while (accept(TokenKind::comma));
    } else {
        while (is_any({Keyword::temporary, Keyword::temp, Keyword::local, Keyword::global,
                       Keyword::unlogged, Keyword::table})) {
            ++at_;
        }
        Relation relation;
        relation.block = block;
        relation.role = RelationRole::ddl;
        const TokenIndex name = at_;
        name_chain(relation) || doubt("INTO");
        relation.all = since(name);
        out_.relations.push_back(relation);
    }
    block_at(block)[Clause::into] = since(first);
}

void Parser::values(BlockId block) {
    block_at(block).kind = BlockKind::values;
    const TokenIndex first = at_++;
    do {
        accept(Keyword::row);
        is(TokenKind::open_paren) ? parenthesised(block) : void(doubt("VALUES"));
    } while (accept(TokenKind::comma));
    block_at(block)[Clause::source] = since(first);
}

void Parser::items(BlockId block) {
    const TokenIndex first = at_;
    // PostgreSQL takes an empty list.
    if (!ends_expression() && !is(TokenKind::close_paren) && !at_end()) {
        do {
            item(block);
        } while (accept(TokenKind::comma));
    }
    block_at(block)[Clause::items] = since(first);
}

void Parser::item(BlockId block) {
    const TokenIndex first = at_;
    if (accept(TokenKind::star)) {
        out_.items.push_back({block, Star::all, since(first)});
        return;
    }
    const std::size_t place = out_.items.size();
    out_.items.push_back({block, Star::none, {}});
    expression(block);
    Item& item = out_.items[place];
    item.all = since(first);
    if (item.all.empty()) {
        doubt("empty item");
        return;
    }
    const TokenIndex last = at_ - 1;
    if (tokens_[last].is(TokenKind::star) && item.all.size() > 2 &&
        tokens_[last - 1].is(TokenKind::dot)) {
        item.star = Star::qualified;
        for (TokenIndex i = first; i < last; ++i) {
            const TokenKind wanted = tokens_[i].kind;
            const bool name = wanted == TokenKind::word || wanted == TokenKind::quoted_name;
            if ((i - first) % 2 == 0 ? !name : wanted != TokenKind::dot) {
                item.star = Star::composite;
            }
        }
    }
}

}  // namespace isotap::sql
