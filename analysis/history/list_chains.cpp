#include "analysis/history/list_chains.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace isotap::history {

namespace {

bool is_blank(char c) noexcept {
    return c == ' ' || c == ',';
}

/// Blanks and comments between the parts of a compound form carry no meaning: one space stands for
/// them.
std::string normalised(std::string_view form) {
    std::string text;
    bool in_string = false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const char c = form[i];
        if (c == '\\' && i + 1 < form.size()) {
            text += c;
            text += form[++i];
            continue;
        }
        in_string ^= c == '"';
        if (!in_string && c == ';') {
            i = std::min(form.find('\n', i), form.size());
        }
        const bool blank = !in_string && (is_blank(c) || c == '\n' || c == '\t' || c == '\r' ||
                                          c == '\f' || c == '\v' || c == ';');
        if (!blank) {
            text += c;
        } else if (!text.empty() && text.back() != ' ') {
            text += ' ';
        }
    }
    return text;
}

bool starts_with(const std::vector<Value>& longer, const std::vector<Value>& shorter) {
    return shorter.size() <= longer.size() &&
           std::equal(shorter.begin(), shorter.end(), longer.begin());
}

}  // namespace

bool read_value(FormReader& forms, Atoms& atoms, Value& into) {
    const char next = forms.peek();
    if (next == '[' || next == '{' || next == '(' || next == '#') {
        std::string_view form;
        if (!forms.skip(form)) {
            return false;
        }
        into = atoms.intern(normalised(form));
        return true;
    }
    Atom atom;
    if (!forms.atom(atom)) {
        return false;
    }
    switch (atom.kind) {
        case Atom::Kind::nil: into = initial_value; return true;
        case Atom::Kind::integer: into = atoms.number(atom.integer); return true;
        case Atom::Kind::word: {
            // With its colon or quotes: as it was spelled.
            const std::size_t marks = forms.notation() == Notation::json ? 2 : 1;
            into = atoms.intern({atom.text.data() - 1, atom.text.size() + marks});
            return true;
        }
        case Atom::Kind::other: into = atoms.intern(atom.text); return true;
    }
    return false;
}

bool ListChains::read(KeyId key, FormReader& forms, ListPrefix& into) {
    if (forms.peek() != '[') {
        return forms.fail("a list");
    }
    if (position(key) >= by_key_.size()) {
        by_key_.resize(std::max(position(key) + 1, by_key_.size() * 2));
    }
    Longest& longest = by_key_[position(key)];
    const std::string_view rest = forms.rest();
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) {
        return forms.skip();  // fails, and says why
    }
    const std::string_view body = rest.substr(1, close - 1);
    if (repeat(longest, body, into) || extend(longest, body, into)) {
        forms.advance(close + 1);
        return true;
    }
    return compare(longest, forms, into);
}

bool ListChains::repeat(const Longest& longest, std::string_view body, ListPrefix& into) const {
    if (body.size() > longest.text.size() ||
        std::memcmp(body.data(), longest.text.data(), body.size()) != 0) {
        return false;
    }
    const auto end = std::lower_bound(longest.ends.begin(), longest.ends.end(), body.size());
    if (end == longest.ends.end() || *end != body.size()) {
        return false;
    }
    into = {longest.chain, static_cast<std::uint32_t>(end - longest.ends.begin()) + 1};
    return true;
}

/// Takes plain integers only; anything else is left to `compare`.
bool ListChains::extend(Longest& longest, std::string_view body, ListPrefix& into) {
    const bool whole =
        !longest.exists || history_.chains[longest.chain].size() == longest.ends.size();
    if (!whole || !body.starts_with(longest.text)) {
        return false;
    }
    fresh_.clear();
    fresh_ends_.clear();
    std::size_t at = longest.text.size();
    if (at > 0 && at < body.size() && !is_blank(body[at])) {
        return false;
    }
    while (at < body.size()) {
        while (at < body.size() && is_blank(body[at])) {
            ++at;
        }
        std::int64_t integer = 0;
        const char* last = body.data() + body.size();
        const auto [end, error] = std::from_chars(body.data() + at, last, integer);
        if (error != std::errc{} || (end != last && !is_blank(*end))) {
            return false;
        }
        at = static_cast<std::size_t>(end - body.data());
        fresh_.push_back(history_.atoms.number(integer));
        fresh_ends_.push_back(static_cast<std::uint32_t>(at));
    }
    if (fresh_.empty()) {
        return false;
    }
    if (!longest.exists) {
        longest.chain = new_chain({});
        longest.exists = true;
    }
    auto& chain = history_.chains[longest.chain];
    chain.insert(chain.end(), fresh_.begin(), fresh_.end());
    longest.text.append(body.substr(longest.text.size()));
    longest.ends.insert(longest.ends.end(), fresh_ends_.begin(), fresh_ends_.end());
    into = {longest.chain, static_cast<std::uint32_t>(chain.size())};
    return true;
}

bool ListChains::compare(Longest& longest, FormReader& forms, ListPrefix& into) {
    std::vector<Value> elements;
    forms.take('[');
    while (!forms.take(']')) {
        Value element = 0;
        if (!read_value(forms, history_.atoms, element)) {
            return false;
        }
        elements.push_back(element);
    }
    const auto length = static_cast<std::uint32_t>(elements.size());
    if (!longest.exists) {
        longest.chain = new_chain(std::move(elements));
        longest.exists = true;
        into = {longest.chain, length};
        return true;
    }
    auto& chain = history_.chains[longest.chain];
    if (starts_with(elements, chain)) {
        chain = std::move(elements);
        into = {longest.chain, length};
        return true;
    }
    if (starts_with(chain, elements)) {
        into = {longest.chain, length};
        return true;
    }
    for (const std::uint32_t other : longest.diverged) {
        if (starts_with(history_.chains[other], elements)) {
            into = {other, length};
            return true;
        }
    }
    longest.diverged.push_back(new_chain(std::move(elements)));
    into = {longest.diverged.back(), length};
    return true;
}

std::uint32_t ListChains::new_chain(std::vector<Value> elements) {
    history_.chains.push_back(std::move(elements));
    return static_cast<std::uint32_t>(history_.chains.size() - 1);
}

}  // namespace isotap::history
