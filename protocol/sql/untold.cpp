#include "protocol/sql/untold.hpp"

#include <initializer_list>

namespace isotap::sql {
namespace {

bool mentions(const TokenList& tokens, Keyword keyword) noexcept {
    for (TokenIndex i = 1; i < tokens.size(); ++i) {
        if (tokens[i].is(keyword)) {
            return true;
        }
    }
    return false;
}

/// Among the words in front of a name.
bool begins_with(const TokenList& tokens, Keyword keyword) noexcept {
    constexpr TokenIndex words_max = 5;
    for (TokenIndex i = 1; i < words_max; ++i) {
        if (tokens[i].is(keyword)) {
            return true;
        }
    }
    return false;
}

/// CREATE TABLE … [AS] SELECT; a view only remembers its query.
bool creates_from_rows(const TokenList& tokens) noexcept {
    return begins_with(tokens, Keyword::table) && mentions(tokens, Keyword::select);
}

}  // namespace

std::string_view why_untold_on_mysql(const TokenList& tokens) noexcept {
    const auto if_that = [](bool that, std::string_view reason) {
        return that ? reason : std::string_view{};
    };
    switch (tokens[0].keyword) {
        case Keyword::alter: return if_that(mentions(tokens, Keyword::truncate), "truncate");
        case Keyword::load: return if_that(!tokens[1].is(Keyword::index), "load xml");
        case Keyword::create: return if_that(creates_from_rows(tokens), "create from a query");
        case Keyword::execute: return "execute";
        case Keyword::call: return "call";
        case Keyword::do_: return "do";
        case Keyword::handler: return if_that(mentions(tokens, Keyword::read), "handler");
        case Keyword::explain:
        case Keyword::describe:
        case Keyword::desc: return if_that(tokens[1].is(Keyword::analyze), "explain");
        // What ANALYZE TABLE counts is no application's; ANALYZE SELECT runs.
        case Keyword::analyze: return if_that(!begins_with(tokens, Keyword::table), "explain");
        case Keyword::set:
            return tokens[1].is(Keyword::statement)
                       ? "set statement"
                       : if_that(mentions(tokens, Keyword::select), "set from a query");
        default: return {};
    }
}

}  // namespace isotap::sql
