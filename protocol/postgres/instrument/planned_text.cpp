#include "protocol/postgres/instrument/planned_text.hpp"

#include <algorithm>

namespace isotap::postgres::instrument {

namespace {

bool starts_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The byte at which the character number `position`, from 1, begins.
std::size_t byte_of(std::string_view text, std::size_t position, bool utf8) noexcept {
    if (!utf8) {
        return std::min(position - 1, text.size());
    }
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        characters += starts_character(text[i]) ? 1 : 0;
        if (characters == position) {
            return i;
        }
    }
    return text.size();
}

std::size_t position_of(std::string_view text, std::size_t byte, bool utf8) noexcept {
    if (!utf8) {
        return byte + 1;
    }
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return static_cast<std::size_t>(std::count_if(text.begin(), end, starts_character)) + 1;
}

/// COPY of a table was made one of a query: no error of the client's own text has a place there.
bool is_in_query_of_ours(const sql::Plan& plan, const sql::TokenList& tokens,
                         std::size_t offset) noexcept {
    return !plan.shown_by.original.empty() &&
           tokens[plan.splices.front().tokens.first].begin == offset;
}

}  // namespace

void rewrite(std::string_view text, const std::vector<PlannedStatement>& statements,
             const sql::LexerState& lexing, std::string& out) {
    sql::TokenList tokens;
    std::string changed;
    std::size_t done = 0;
    out.clear();
    for (const PlannedStatement& statement : statements) {
        if (!statement.rewritten) {
            continue;
        }
        out.append(text, done, statement.offset - done);
        tokens.read(text.substr(statement.offset, statement.size), lexing);
        sql::apply(*statement.plan, tokens, {}, changed);
        out.append(changed);
        done = statement.offset + statement.size;
    }
    out.append(text, done);
}

std::size_t original_position(std::string_view text,
                              const std::vector<PlannedStatement>& statements,
                              const sql::LexerState& lexing, bool utf8, std::size_t rewritten) {
    for (const PlannedStatement& one : statements) {
        if (one.offset + one.size > text.size()) return 0;  // it was not kept
    }
    std::string sent;
    rewrite(text, statements, lexing, sent);
    const std::size_t byte = byte_of(sent, rewritten, utf8);
    sql::TokenList tokens;
    std::string changed;
    std::size_t longer = 0;  // how much the rewritten statements so far have grown
    for (const PlannedStatement& statement : statements) {
        if (!statement.rewritten) {
            continue;
        }
        const std::size_t begin = statement.offset + longer;
        if (byte < begin) {
            break;
        }
        tokens.read(text.substr(statement.offset, statement.size), lexing);
        sql::apply(*statement.plan, tokens, {}, changed);
        if (byte < begin + changed.size()) {
            const std::size_t offset =
                sql::original_offset(*statement.plan, tokens, {}, byte - begin);
            if (is_in_query_of_ours(*statement.plan, tokens, offset)) {
                return 0;
            }
            return position_of(text, statement.offset + offset, utf8);
        }
        longer += changed.size() - statement.size;
    }
    return position_of(text, byte - longer, utf8);
}

}  // namespace isotap::postgres::instrument
