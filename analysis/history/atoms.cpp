#include "analysis/history/atoms.hpp"

#include <algorithm>

namespace isotap::history {

Value Atoms::intern(std::string_view text) {
    const auto [at, fresh] =
        text_numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
    if (fresh) {
        texts_.emplace_back(text);
    }
    return first_text + at->second;
}

KeyId Atoms::new_small_key(std::size_t name) {
    if (name >= small_keys_.size()) {
        small_keys_.resize(std::max(name + 1, small_keys_.size() * 2), no_key);
    }
    small_keys_[name] = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(static_cast<Value>(name));
    return KeyId{small_keys_[name]};
}

KeyId Atoms::large_key(Value name) {
    const auto [at, fresh] =
        large_keys_.try_emplace(name, static_cast<std::uint32_t>(keys_.size()));
    if (fresh) {
        keys_.push_back(name);
    }
    return KeyId{at->second};
}

std::string Atoms::spell(Value value) const {
    if (value == initial_value) {
        return "nil";
    }
    if (is_integer(value)) {
        return std::to_string(value);
    }
    return texts_[static_cast<std::size_t>(value - first_text)];
}

}  // namespace isotap::history
