#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/read_error.hpp"

namespace isotap::history {

/// Who wrote a value to a key. One writer each, or reads could not be told apart.
///
/// Eight bytes a slot: it names operations and leaves their contents to the history, which every
/// look-up therefore asks for.
class WriterIndex {
  public:
    struct Writer {
        std::uint32_t operation = nobody;    ///< its position in `History::operations`
        std::uint32_t transaction = nobody;  ///< and whose it is

        [[nodiscard]] bool exists() const noexcept { return operation != nobody; }
    };

    /// Indexes every write, append and insert, of whatever outcome. Fails with `duplicate_writer`.
    static ReadResult<WriterIndex> build(const History& history);

    [[nodiscard]] Writer find(const History& history, KeyId key, Value value) const noexcept {
        return slots_[slot_of(history, key, value)];
    }

  private:
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    [[nodiscard]] std::size_t slot_of(const History& history, KeyId key,
                                      Value value) const noexcept;

    std::vector<Writer> slots_;
};

/// Of each transaction of a register history, whether it counts: it committed, or nobody knows and
/// one that counts saw what it wrote.
std::vector<bool> counting_transactions(const History& history, const WriterIndex& writers);

/// Whether an operation puts a value into a key.
constexpr bool writes_value(OperationKind kind) noexcept {
    return kind == OperationKind::write || kind == OperationKind::append ||
           kind == OperationKind::insert;
}

}  // namespace isotap::history
