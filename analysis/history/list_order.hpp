#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/writer_index.hpp"

namespace isotap::history {

/// The order of appends, as far as the lists that were read and a little reasoning give it.
///
/// Every list is a beginning of the final one. So an append that no list shows comes after all that
/// are shown; and if all of those of a key are certain and belong to one transaction, their order
/// is known as well. The history and its index must outlive this.
class ListOrder {
  public:
    ListOrder(const History& history, const WriterIndex& writers);

    /// The versions that a list went through: T0, then one for each element. An element that nobody
    /// appended is a version of a transaction that does not exist.
    [[nodiscard]] std::span<const Version> versions(ListPrefix list) const noexcept {
        return std::span(chains_[list.chain]).first(list.length + std::size_t{1});
    }

    /// Whether all lists of the key agree, so that the chain alone gives its order.
    [[nodiscard]] bool agreed(ListPrefix list) const noexcept { return agreed_[list.chain]; }

    /// The version that an append put its element behind. Unknown where lists do not agree: each of
    /// them has to be told. Unborn where none shows it and none ever will: nothing more is to come.
    [[nodiscard]] Version before(std::uint32_t operation) const noexcept {
        if (const ListPrefix shown = places_[operation]; shown.length > 0) {
            return agreed(shown) ? chains_[shown.chain][shown.length - 1] : Version{};
        }
        const auto found = before_.find(operation);
        return found == before_.end() ? Version::unborn() : found->second;
    }

    /// Where lists show an append: the chain, and which element of it, from 1; 0 in no list.
    [[nodiscard]] ListPrefix place(std::uint32_t operation) const noexcept {
        return places_[operation];
    }

    struct Append {
        std::uint32_t operation = 0;
        std::uint32_t transaction = 0;
    };

    /// Certain appends that no list shows, of one key, where others that none shows may stand
    /// between: they come after all that lists show, in an order that nobody knows.
    struct Unordered {
        Version last;  ///< the last that a list shows
        std::vector<Append> appends;
    };
    [[nodiscard]] const std::vector<Unordered>& unordered() const noexcept { return unordered_; }

    /// Those of a key; null where there are none.
    [[nodiscard]] const Unordered* unordered(KeyId key) const noexcept {
        const std::uint32_t at = unordered_of_[position(key)];
        return at == none ? nullptr : &unordered_[at];
    }

    /// Lists that have an element twice: each ends with one that stands before.
    [[nodiscard]] const std::vector<ListPrefix>& repeats() const noexcept { return repeats_; }

  private:
    struct Key {
        std::uint32_t chain = none;
        bool forked = false;         ///< two lists of it contradict each other
        bool uncertain = false;      ///< an append that may not have happened is in no list
        std::vector<Append> hidden;  ///< certain appends that no list shows
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void read_chain(KeyId key, std::uint32_t chain, const WriterIndex& writers);
    void place_hidden(std::size_t at, const Key& key);
    [[nodiscard]] Version version_of(WriterIndex::Writer writer, Value element) const noexcept;

    const History& history_;
    std::vector<std::vector<Version>> chains_;
    std::vector<bool> agreed_;  ///< by chain
    std::vector<ListPrefix> places_;
    std::vector<Unordered> unordered_;
    std::vector<std::uint32_t> unordered_of_;  ///< by key
    std::vector<ListPrefix> repeats_;
    std::unordered_map<std::uint32_t, Version> before_;
};

}  // namespace isotap::history
