#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace isotap::history {

/// A value or the name of a key: an integer as it is, anything else by its number in `Atoms`.
using Value = std::int64_t;

/// Nothing was there: nil, null, an empty list.
inline constexpr Value initial_value = std::numeric_limits<Value>::min();

/// A key by its number in `Atoms`: dense, from 0, in order of first sight.
enum class KeyId : std::uint32_t {};

constexpr std::size_t position(KeyId key) noexcept {
    return static_cast<std::size_t>(key);
}

/// Gives numbers to what histories call their keys and values. Integers, which nearly all are, cost
/// one table look-up.
class Atoms {
  public:
    /// The value that stands for this text. Equal texts, equal values.
    Value intern(std::string_view text);

    /// An integer as a value: itself, but for the few at the low end that stand for texts.
    Value number(std::int64_t integer) {
        return integer < lowest_integer ? intern(std::to_string(integer)) : integer;
    }

    KeyId key(Value name) {
        if (name >= 0 && name < direct_keys) {
            return small_key(static_cast<std::size_t>(name));
        }
        return large_key(name);
    }

    [[nodiscard]] std::size_t key_count() const noexcept { return keys_.size(); }
    [[nodiscard]] Value key_name(KeyId key) const noexcept { return keys_[position(key)]; }

    [[nodiscard]] static bool is_integer(Value value) noexcept { return value >= lowest_integer; }

    /// As the file spelled it; `nil` for the initial value.
    [[nodiscard]] std::string spell(Value value) const;
    [[nodiscard]] std::string spell(KeyId key) const { return spell(key_name(key)); }

  private:
    static constexpr Value first_text = initial_value + 1;
    static constexpr Value lowest_integer = initial_value + (Value{1} << 32);
    static constexpr Value direct_keys = 1 << 22;
    static constexpr std::uint32_t no_key = std::numeric_limits<std::uint32_t>::max();

    KeyId small_key(std::size_t name) {
        if (name < small_keys_.size() && small_keys_[name] != no_key) {
            return KeyId{small_keys_[name]};
        }
        return new_small_key(name);
    }
    KeyId new_small_key(std::size_t name);
    KeyId large_key(Value name);

    std::vector<Value> keys_;
    std::vector<std::uint32_t> small_keys_;
    std::unordered_map<Value, std::uint32_t> large_keys_;
    std::vector<std::string> texts_;
    std::unordered_map<std::string, std::uint32_t> text_numbers_;
};

}  // namespace isotap::history
