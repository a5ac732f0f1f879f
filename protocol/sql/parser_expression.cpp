#include "protocol/sql/parser.hpp"

/// Expressions are walked over, not understood: parentheses are balanced, subqueries and calls are
/// noted, and the keyword that starts the next clause is recognised.
namespace isotap::sql {

/// Up to the end of the clause; with `commas`, over a list.
void Parser::expression(BlockId block, bool commas) {
    while (!at_end()) {
        if (is(TokenKind::comma)) {
            if (!commas) {
                return;
            }
            ++at_;
        } else if (is(TokenKind::close_paren) || is(TokenKind::close_bracket) ||
                   ends_expression()) {
            return;
        } else {
            expression_token(block);
        }
    }
}

void Parser::expression_token(BlockId block) {
    if (is(TokenKind::open_paren)) {
        parenthesised(block);
    } else if (is(TokenKind::open_bracket)) {
        ++at_;
        while (!at_end() && !is(TokenKind::close_bracket)) {
            is(TokenKind::close_paren) ? void(doubt("parentheses")) : expression_token(block);
        }
        expect(TokenKind::close_bracket);
    } else if (is_call()) {
        call(block);
    } else if (is(Keyword::as)) {
        ++at_;
        // Behind AS stands a label, which in PostgreSQL may be any word.
        if (is_name()) {
            ++at_;
        }
    } else if (is_any({Keyword::distinct, Keyword::within, Keyword::collation})) {
        // IS DISTINCT FROM, WITHIN GROUP and COLLATION FOR hide words that start clauses elsewhere.
        ++at_;
        accept(Keyword::from) || accept(Keyword::group) || accept(Keyword::for_);
    } else {
        ++at_;
    }
}

void Parser::parenthesised(BlockId block) {
    if (!is(TokenKind::open_paren)) {
        doubt("parentheses");
        return;
    }
    if (++depth_ > 256) {
        doubt("depth");
    }
    const bool subquery = opens_query();
    expect(TokenKind::open_paren);
    if (subquery) {
        query(QueryRole::expression, block);
    } else {
        // Within parentheses the words that end a clause are ordinary: EXTRACT(YEAR FROM x),
        // OVER (ORDER BY y), FILTER (WHERE z).
        while (!at_end() && !is(TokenKind::close_paren)) {
            if (is_any({Keyword::union_, Keyword::intersect, Keyword::except, Keyword::select})) {
                doubt("set operation in an expression");
            } else {
                expression_token(block);
            }
        }
    }
    expect(TokenKind::close_paren);
    --depth_;
}

bool Parser::opens_query() const noexcept {
    return opens_query(at_, 0);
}

/// The parenthesis at `at` holds a query, not an expression.
bool Parser::opens_query(TokenIndex at, std::size_t depth) const noexcept {
    const Token& inner = tokens_[at + 1];
    switch (inner.keyword) {
        case Keyword::select:
        case Keyword::with:
        case Keyword::table: return true;
        case Keyword::values:
            // In the MySQL family VALUES(column) is a function.
            return postgres() || !tokens_[at + 2].is(TokenKind::open_paren);
        default: break;
    }
    if (!inner.is(TokenKind::open_paren) || depth > 32 || !opens_query(at + 1, depth + 1)) {
        return false;
    }
    const Token& behind = tokens_[behind_parens(at + 1)];
    switch (behind.keyword) {
        case Keyword::union_:
        case Keyword::intersect:
        case Keyword::except:
        case Keyword::order:
        case Keyword::limit:
        case Keyword::offset:
        case Keyword::fetch:
        case Keyword::for_: return true;
        default: return behind.is(TokenKind::close_paren);
    }
}

/// The index behind the parenthesis that closes the one at `open`.
TokenIndex Parser::behind_parens(TokenIndex open) const noexcept {
    std::size_t depth = 0;
    for (TokenIndex i = open; i < end_; ++i) {
        if (tokens_[i].is(TokenKind::open_paren)) {
            ++depth;
        } else if (tokens_[i].is(TokenKind::close_paren) && --depth == 0) {
            return i + 1;
        }
    }
    return end_;
}

void Parser::skip_parens() {
    at_ = behind_parens(at_);
}

bool Parser::joins_here() const noexcept {
    switch (token().keyword) {
        case Keyword::join:
        case Keyword::inner:
        case Keyword::cross:
        case Keyword::natural:
        case Keyword::full: return true;
        case Keyword::left:
        case Keyword::right: return !token(1).is(TokenKind::open_paren);  // else a function
        case Keyword::straight_join: return mysql();
        default: return false;
    }
}

/// The token starts another clause. All of these words are reserved where they end something.
bool Parser::ends_expression() const noexcept {
    switch (token().keyword) {
        case Keyword::from:
        case Keyword::where:
        case Keyword::group:
        case Keyword::having:
        case Keyword::order:
        case Keyword::limit:
        case Keyword::for_:
        case Keyword::union_:
        case Keyword::into:
        case Keyword::on:
        case Keyword::fetch:
        case Keyword::intersect:
        case Keyword::except: return true;
        case Keyword::offset:
            return postgres() || state_.mariadb || token(1).is(TokenKind::integer);
        case Keyword::window: return token(1).is(TokenKind::word) && token(2).is(Keyword::as);
        case Keyword::returning: return postgres() || state_.mariadb;
        case Keyword::lock: return mysql();
        case Keyword::with: return mysql() && token(1).is(Keyword::rollup);
        case Keyword::set:
        case Keyword::procedure: return mysql();
        default: return joins_here();
    }
}

/// A name in front of a parenthesis. Types with a length look alike: they are no aggregates.
bool Parser::is_call() const noexcept {
    if (!is_name() || !token(1).is(TokenKind::open_paren)) {
        return false;
    }
    switch (token().keyword) {
        case Keyword::in:
        case Keyword::exists:
        case Keyword::any:
        case Keyword::all:
        case Keyword::some:
        case Keyword::and_:
        case Keyword::or_:
        case Keyword::not_:
        case Keyword::when:
        case Keyword::then:
        case Keyword::else_:
        case Keyword::case_:
        case Keyword::over:
        case Keyword::filter:
        case Keyword::between:
        case Keyword::as:
        case Keyword::is: return false;
        default: return true;
    }
}

void Parser::call(BlockId block) {
    Call call;
    call.block = block;
    call.name = at_;
    ++at_;
    TokenIndex behind = behind_parens(at_);
    if (tokens_[behind].is(Keyword::within)) {
        behind += 2;
        behind = tokens_[behind].is(TokenKind::open_paren) ? behind_parens(behind) : behind;
    }
    if (tokens_[behind].is(Keyword::filter) && tokens_[behind + 1].is(TokenKind::open_paren)) {
        behind = behind_parens(behind + 1);
    }
    call.window = tokens_[behind].is(Keyword::over);
    out_.calls.push_back(call);
    parenthesised(block);
}

}  // namespace isotap::sql
