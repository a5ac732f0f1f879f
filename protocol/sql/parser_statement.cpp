#include "protocol/sql/parser.hpp"

namespace isotap::sql {

void Structure::clear() noexcept {
    kind = StatementKind::none;
    doubt = {};
    top = no_node;
    queries.clear();
    blocks.clear();
    items.clear();
    relations.clear();
    ctes.clear();
    calls.clear();
}

const Block* Structure::single_block() const noexcept {
    if (top == no_node || queries[top].operation != SetOperation::none ||
        queries[top].body == no_node) {
        return nullptr;
    }
    const Block& block = blocks[queries[top].body];
    return block.kind == BlockKind::nested ? nullptr : &block;
}

void parse(const TokenList& tokens, const LexerState& state, Structure& structure) {
    Parser(tokens, state, structure).run();
}

Parser::Parser(const TokenList& tokens, const LexerState& state, Structure& structure) noexcept
    : tokens_(tokens), state_(state), out_(structure), end_(tokens.size()) {}

void Parser::run() {
    out_.clear();
    statement();
    if (!tokens_.sure()) {
        doubt("lexer");
    } else if (!at_end()) {
        doubt("rest of the statement");
    }
}

void Parser::statement() {
    if (at_end()) {
        return;
    }
    switch (token().keyword) {
        case Keyword::select:
        case Keyword::with:
        case Keyword::insert:
        case Keyword::replace:
        case Keyword::update:
        case Keyword::delete_:
        case Keyword::merge:
        case Keyword::values:
        case Keyword::table: out_.top = query(QueryRole::top, no_node); break;
        default:
            if (is(TokenKind::open_paren)) {
                out_.top = query(QueryRole::top, no_node);
            } else {
                other_statement();
            }
    }
}

void Parser::other_statement() {
    switch (token().keyword) {
        case Keyword::copy: copy(); return;
        case Keyword::load: load(); return;
        case Keyword::create:
        case Keyword::alter:
        case Keyword::drop:
        case Keyword::rename:
        case Keyword::truncate: ddl(); return;
        case Keyword::explain:
        case Keyword::describe:
        case Keyword::desc: out_.kind = StatementKind::explain; break;
        case Keyword::analyze:
            out_.kind = mysql() ? StatementKind::explain : StatementKind::other;
            break;
        case Keyword::call:
        case Keyword::do_: out_.kind = StatementKind::call; break;
        default: out_.kind = StatementKind::other;
    }
    at_ = end_;
}

/// Which tables a change of schema names, as far as their list can be read off the front.
void Parser::ddl() {
    out_.kind = StatementKind::ddl;
    const bool truncate = is(Keyword::truncate);
    ++at_;
    while (is_any({Keyword::or_, Keyword::replace, Keyword::temporary, Keyword::temp,
                   Keyword::unlogged, Keyword::global, Keyword::local, Keyword::foreign,
                   Keyword::online, Keyword::offline, Keyword::ignore})) {
        ++at_;
    }
    if (accept(Keyword::table) || accept(Keyword::tables) || truncate) {
        if (accept(Keyword::if_)) {
            accept(Keyword::not_);
            accept(Keyword::exists);
        }
        ddl_targets();
    }
    at_ = end_;
}

void Parser::ddl_targets() {
    const QueryId query = new_query(QueryRole::top, no_node);
    const BlockId block = new_block(BlockKind::table, query);
    do {
        accept(Keyword::only);
        Relation relation;
        relation.block = block;
        relation.role = RelationRole::ddl;
        const TokenIndex first = at_;
        if (!name_chain(relation)) {
            return;
        }
        relation.all = since(first);
        out_.relations.push_back(relation);
        accept(TokenKind::star);
    } while (accept(TokenKind::comma));
}

void Parser::copy() {
    out_.kind = StatementKind::copy;
    ++at_;
    accept(Keyword::binary);
    if (!is(TokenKind::open_paren)) {
        ddl_targets();
    }
    at_ = end_;
}

bool Parser::is_any(std::initializer_list<Keyword> keywords) const noexcept {
    for (const Keyword keyword : keywords) {
        if (is(keyword)) {
            return true;
        }
    }
    return false;
}

bool Parser::is_name() const noexcept {
    return !at_end() && (is(TokenKind::word) || is(TokenKind::quoted_name));
}

/// A word that may be an alias without AS, or a quoted name.
bool Parser::is_free_word() const noexcept {
    return is_name() && (postgres() ? reserved_by_postgres(token().keyword)
                                    : reserved_by_mysql(token().keyword)) == Reserved::no;
}

bool Parser::is_reserved() const noexcept {
    return (postgres() ? reserved_by_postgres(token().keyword)
                       : reserved_by_mysql(token().keyword)) == Reserved::yes;
}

bool Parser::doubt(std::string_view why) {
    if (out_.doubt.empty()) {
        out_.doubt = why;
    }
    at_ = end_;
    return false;
}

BlockId Parser::new_block(BlockKind kind, QueryId query) {
    if (out_.blocks.size() >= no_node - 1U) {
        doubt("size");
        return static_cast<BlockId>(out_.blocks.size() - 1);
    }
    Block block;
    block.kind = kind;
    block.query = query;
    block.all = {at_, at_};
    out_.blocks.push_back(block);
    return static_cast<BlockId>(out_.blocks.size() - 1);
}

QueryId Parser::new_query(QueryRole role, BlockId parent) {
    if (out_.queries.size() >= no_node - 1U) {
        doubt("size");
        return static_cast<QueryId>(out_.queries.size() - 1);
    }
    Query query;
    query.role = role;
    query.parent = parent;
    query.all = {at_, at_};
    out_.queries.push_back(query);
    return static_cast<QueryId>(out_.queries.size() - 1);
}

}  // namespace isotap::sql
