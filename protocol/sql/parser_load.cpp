#include "protocol/sql/parser.hpp"

/// LOAD DATA of the MySQL family: a write whose rows come from a file.
namespace isotap::sql {

void Parser::load() {
    out_.kind = StatementKind::other;
    if (!mysql() || !tokens_.spells(1, "data")) {
        at_ = end_;  // an index into its cache, XML, a library
        return;
    }
    out_.kind = StatementKind::load;
    const QueryId query = new_query(QueryRole::top, no_node);
    const BlockId block = new_block(BlockKind::insert, query);
    out_.top = query;
    query_at(query).body = block;
    at_ += 2;
    accept(Keyword::low_priority) || (tokens_.spells(at_, "concurrent") && ++at_ > 0);
    accept(Keyword::local);
    expect(Keyword::infile);
    expect(TokenKind::string);
    if (accept(Keyword::replace)) {
        block_at(block).kind = BlockKind::replace;
    } else {
        accept(Keyword::ignore);
    }
    expect(Keyword::into);
    expect(Keyword::table);
    target(block, true);
    load_format();
    if (is(TokenKind::open_paren)) {
        const TokenIndex first = at_;
        skip_parens();
        tokens_[at_ - 1].is(TokenKind::close_paren) || doubt("parentheses");
        block_at(block)[Clause::columns] = since(first);
    }
    if (is(Keyword::set)) {
        const TokenIndex first = at_++;
        expression(block, true);
        block_at(block)[Clause::set] = since(first);
    }
    block_at(block).all.last = at_;
    query_at(query).all.last = at_;
}

/// What the file looks like: words, numbers and texts.
void Parser::load_format() {
    while (!at_end() && !is(TokenKind::open_paren) && !is(Keyword::set)) {
        accept(Keyword::character) && accept(Keyword::set);
        ++at_;
    }
}

}  // namespace isotap::sql
