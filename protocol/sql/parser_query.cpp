#include "protocol/sql/parser.hpp"

/// WITH, set operations, SELECT and what follows them.
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
