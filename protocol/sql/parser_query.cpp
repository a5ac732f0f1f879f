#include "protocol/sql/parser.hpp"

/// WITH, set operations, and what follows a query.
namespace isotap::sql {
namespace {

constexpr std::size_t deepest = 64;

StatementKind statement_of(BlockKind kind) noexcept {
    switch (kind) {
        case BlockKind::insert: return StatementKind::insert;
        case BlockKind::replace: return StatementKind::replace;
        case BlockKind::update: return StatementKind::update;
        case BlockKind::remove: return StatementKind::remove;
        case BlockKind::merge: return StatementKind::merge;
        default: return StatementKind::select;
    }
}

}  // namespace

QueryId Parser::query(QueryRole role, BlockId parent) {
    const QueryId id = new_query(role, parent);
    if (++depth_ > deepest) {
        doubt("depth");
    }
    const TokenIndex first = at_;
    if (is(Keyword::with)) {
        ctes(id);
    }
    const BlockId first_arm = body(id);
    query_at(id).body = first_arm;
    if (role == QueryRole::top) {
        out_.kind = statement_of(block_at(first_arm).kind);
    }
    tail(id);
    query_at(id).all = since(first);
    --depth_;
    return id;
}

void Parser::ctes(QueryId owner) {
    const TokenIndex first = at_++;
    query_at(owner).recursive = accept(Keyword::recursive);
    do {
        cte(owner);
    } while (accept(TokenKind::comma));
    query_at(owner).with = since(first);
}

void Parser::cte(QueryId owner) {
    Cte cte;
    cte.owner = owner;
    cte.name = at_;
    if (!is_name()) {
        doubt("name of a common table expression");
        return;
    }
    ++at_;
    if (is(TokenKind::open_paren)) {
        cte.renames_columns = true;
        skip_parens();
    }
    expect(Keyword::as);
    if (accept(Keyword::not_)) {
        expect(Keyword::materialized);
    } else {
        accept(Keyword::materialized);
    }
    expect(TokenKind::open_paren);
    if (at_end()) {
        doubt("common table expression");
        return;
    }
    cte.query = query(QueryRole::cte, no_node);
    expect(TokenKind::close_paren);
    out_.ctes.push_back(cte);
}

BlockId Parser::body(QueryId query) {
    const BlockId first = arm(query);
    BlockId last = first;
    SetOperation operation = SetOperation::none;
    while (set_operator(operation)) {
        const SetOperation seen = query_at(query).operation;
        query_at(query).operation =
            seen == SetOperation::none || seen == operation ? operation : SetOperation::other;
        const BlockId next = arm(query);
        block_at(last).next_arm = next;
        last = next;
    }
    return first;
}

bool Parser::set_operator(SetOperation& operation) {
    if (mysql() && is_any({Keyword::minus})) {
        return doubt("MINUS");
    }
    const bool is_union = is(Keyword::union_);
    if (!is_union && !is(Keyword::intersect) && !is(Keyword::except)) {
        return false;
    }
    ++at_;
    const bool all = accept(Keyword::all);
    if (!all) {
        accept(Keyword::distinct);
    }
    operation = is_union && all ? SetOperation::union_all : SetOperation::other;
    return true;
}

BlockId Parser::arm(QueryId query) {
    const BlockId block = new_block(BlockKind::select, query);
    const TokenIndex first = at_;
    switch (token().keyword) {
        case Keyword::select: select(block); break;
        case Keyword::values: values(block); break;
        case Keyword::insert:
        case Keyword::replace: insert(block); break;
        case Keyword::update: update(block); break;
        case Keyword::delete_: remove(block); break;
        case Keyword::merge: merge(block); break;
        case Keyword::table:
            block_at(block).kind = BlockKind::table;
            ++at_;
            relation(block, RelationRole::read);
            break;
        default:
            if (!is(TokenKind::open_paren) || at_end()) {
                doubt("no query");
                break;
            }
            ++at_;
            block_at(block).kind = BlockKind::nested;
            {
                const QueryId nested = this->query(QueryRole::arm, block);
                block_at(block).nested = nested;
            }
            expect(TokenKind::close_paren);
    }
    block_at(block).all = since(first);
    return block;
}

/// ORDER BY, LIMIT, OFFSET, FETCH, FOR UPDATE … in any order that a server takes.
void Parser::tail(QueryId id) {
    const BlockId block = query_at(id).body;
    while (!at_end()) {
        const TokenIndex first = at_;
        if (is(Keyword::order)) {
            ++at_;
            expect(Keyword::by);
            expression(block, true);
            query_at(id).order_by = since(first);
        } else if (is(Keyword::limit) || is(Keyword::offset) || is(Keyword::fetch)) {
            const TokenRange before = query_at(id).limit;
            while (!at_end() && is_any({Keyword::limit, Keyword::offset, Keyword::fetch})) {
                ++at_;
                expression(block, true);
            }
            query_at(id).limit = {before.empty() ? first : before.first, at_};
        } else if (is(Keyword::for_) || is(Keyword::lock)) {
            locking(id);
        } else if (mysql() && is(Keyword::into)) {
            into(block);
        } else {
            return;
        }
    }
}

void Parser::locking(QueryId id) {
    const TokenRange before = query_at(id).locking;
    const TokenIndex first = before.empty() ? at_ : before.first;
    if (accept(Keyword::lock)) {
        expect(Keyword::in);
        expect(Keyword::share);
        expect(Keyword::mode);
    } else {
        ++at_;
        if (accept(Keyword::read)) {
            expect(Keyword::only);
            return;
        }
        if (accept(Keyword::no)) {
            expect(Keyword::key);
        } else {
            accept(Keyword::key);
        }
        accept(Keyword::update) || accept(Keyword::share) || doubt("locking clause");
        if (accept(Keyword::of)) {
            do {
                Relation ignored;
                name_chain(ignored) || doubt("locking clause");
            } while (accept(TokenKind::comma));
        }
    }
    if (accept(Keyword::skip)) {
        expect(Keyword::locked);
    } else if (accept(Keyword::wait)) {
        expect(TokenKind::integer);
    } else {
        accept(Keyword::nowait);
    }
    query_at(id).locking = since(first);
}

}  // namespace isotap::sql
