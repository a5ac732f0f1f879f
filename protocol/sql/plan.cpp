#include "protocol/sql/plan.hpp"

#include <algorithm>
#include <cassert>

namespace isotap::sql {
namespace {

/// The bytes of the client's text that a splice takes out.
struct Cut {
    std::size_t begin = 0;
    std::size_t end = 0;
};

Cut cut_of(const Splice& splice, const TokenList& tokens) noexcept {
    const TokenRange range = splice.tokens;
    if (!range.empty()) {
        return {tokens[range.first].begin, tokens[range.last - 1].end};
    }
    const std::size_t place = range.first == 0 ? tokens[0].begin : tokens[range.first - 1].end;
    return {place, place};
}

std::string_view text_of(const Quote& quote, const TokenList& tokens,
                         std::string_view stamp) noexcept {
    return quote.tokens.empty() ? stamp : tokens.text(quote.tokens);
}

void append(std::string_view text, const std::vector<Quote>& quotes, const TokenList& tokens,
            std::string_view stamp, std::string& out) {
    std::size_t done = 0;
    for (const Quote& quote : quotes) {
        out.append(text, done, quote.at - done);
        out.append(text_of(quote, tokens, stamp));
        done = quote.at;
    }
    out.append(text, done);
}

void append(const Splice& splice, const TokenList& tokens, std::string_view stamp,
            std::string& out) {
    assert(splice.stamp_at == Splice::no_stamp || splice.quotes.empty());
    const std::string_view text = splice.text;
    if (splice.stamp_at == Splice::no_stamp) {
        append(text, splice.quotes, tokens, stamp, out);
        return;
    }
    out.append(text, 0, splice.stamp_at);
    out.append(stamp);
    out.append(text, splice.stamp_at);
}

std::size_t parameters_in(TokenRange range, const TokenList& tokens) noexcept {
    std::size_t found = 0;
    for (TokenIndex i = range.first; i < range.last; ++i) {
        found += tokens[i].is(TokenKind::parameter) ? 1 : 0;
    }
    return found;
}

std::size_t size_of(const Splice& splice, const TokenList& tokens,
                    std::string_view stamp) noexcept {
    std::size_t size = splice.text.size();
    size += splice.stamp_at == Splice::no_stamp ? 0 : stamp.size();
    for (const Quote& quote : splice.quotes) {
        size += text_of(quote, tokens, stamp).size();
    }
    return size;
}

}  // namespace

bool Splice::has_stamp() const noexcept {
    return stamp_at != no_stamp || std::any_of(quotes.begin(), quotes.end(),
                                               [](const Quote& one) { return one.tokens.empty(); });
}

void apply(const Plan& plan, const TokenList& tokens, std::string_view stamp, std::string& out) {
    const std::string_view text = tokens.text();
    out.clear();
    std::size_t done = 0;
    for (const Splice& splice : plan.splices) {
        const Cut cut = cut_of(splice, tokens);
        assert(done <= cut.begin);
        out.append(text, done, cut.begin - done);
        append(splice, tokens, stamp, out);
        done = cut.end;
    }
    out.append(text, done);
}

Question ask_again(const Reread& reread, const TokenList& tokens) {
    Question question;
    append(reread.text, reread.quotes, tokens, {}, question.text);
    for (const Quote& quote : reread.quotes) {
        std::size_t number = parameters_in({0, quote.tokens.first}, tokens);
        for (std::size_t left = parameters_in(quote.tokens, tokens); left > 0; --left) {
            question.parameters.push_back(number++);
        }
    }
    return question;
}

std::size_t original_offset(const Plan& plan, const TokenList& tokens, std::string_view stamp,
                            std::size_t rewritten) noexcept {
    std::size_t original = 0;  // of the byte behind the last splice
    std::size_t position = 0;  // of the same byte in the rewritten text
    for (const Splice& splice : plan.splices) {
        const Cut cut = cut_of(splice, tokens);
        if (rewritten < position + (cut.begin - original)) {
            break;
        }
        position += cut.begin - original;
        const std::size_t added = size_of(splice, tokens, stamp);
        if (rewritten < position + added) {
            return cut.begin;
        }
        position += added;
        original = cut.end;
    }
    const std::size_t offset = original + (rewritten - position);
    return offset < tokens.text().size() ? offset : tokens.text().size();
}

}  // namespace isotap::sql
