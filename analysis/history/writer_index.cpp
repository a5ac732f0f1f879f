#include "analysis/history/writer_index.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace isotap::history {

namespace {

std::string describe(const Transaction& transaction) {
    return "transaction " + std::to_string(transaction.label) + " of session " +
           std::to_string(transaction.session);
}

}  // namespace

ReadResult<WriterIndex> WriterIndex::build(const History& history) {
    if (history.operations.size() >= nobody || history.transactions.size() >= nobody) {
        return ReadError{ReadErrorKind::too_large, {}, 0, 0, "more than 4294967294 operations"};
    }
    const auto count = static_cast<std::size_t>(
        std::count_if(history.operations.begin(), history.operations.end(),
                      [](const Operation& operation) { return writes_value(operation.kind); }));
    WriterIndex index;
    index.slots_.resize(std::bit_ceil(count + count / 2 + 1));
    for (std::uint32_t t = 0; t < history.transactions.size(); ++t) {
        const Transaction& transaction = history.transactions[t];
        for (std::uint64_t i = 0; i < transaction.operations; ++i) {
            const auto at = static_cast<std::uint32_t>(transaction.first_operation + i);
            const Operation& operation = history.operations[at];
            if (!writes_value(operation.kind)) {
                continue;
            }
            Writer& slot = index.slots_[index.slot_of(history, operation.key, operation.value)];
            if (slot.exists()) {
                return ReadError{ReadErrorKind::duplicate_writer,
                                 {},
                                 0,
                                 0,
                                 "key " + history.atoms.spell(operation.key) + " gets the value " +
                                     history.atoms.spell(operation.value) + " twice, by " +
                                     describe(history.transactions[slot.transaction]) + " and by " +
                                     describe(transaction) + ": values must be unique per key"};
            }
            slot = {at, t};
        }
    }
    return index;
}

/// The slot that names this write, or the free one where it belongs. Values mostly count up, and
/// those that are near are looked up together: eight of a key share a line of the cache.
std::size_t WriterIndex::slot_of(const History& history, KeyId key, Value value) const noexcept {
    const auto number = static_cast<std::uint64_t>(value);
    std::uint64_t hash = (number >> 3) * 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ hash >> 32 ^ position(key)) * 0xD6E8FEB86659FD93ULL;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash >> 20 << 3 | (number & 7)) & mask;
    for (; slots_[at].exists(); at = (at + 1) & mask) {
        const Operation& write = history.operations[slots_[at].operation];
        if (write.value == value && write.key == key) {
            break;
        }
    }
    return at;
}

std::vector<bool> counting_transactions(const History& history, const WriterIndex& writers) {
    std::vector<bool> counts(history.transactions.size());
    std::vector<std::uint32_t> seen;  // of unknown outcome; whom they saw is still to be looked at
    const auto look_at_reads = [&](const Transaction& reader) {
        for (const Operation& operation : history.operations_of(reader)) {
            if (operation.kind != OperationKind::read) {
                continue;
            }
            const auto writer = writers.find(history, operation.key, operation.value);
            if (writer.exists() && !counts[writer.transaction] &&
                history.transactions[writer.transaction].outcome == Outcome::indeterminate) {
                counts[writer.transaction] = true;
                seen.push_back(writer.transaction);
            }
        }
    };
    for (std::uint32_t t = 0; t < history.transactions.size(); ++t) {
        if (history.transactions[t].outcome == Outcome::committed) {
            counts[t] = true;
            look_at_reads(history.transactions[t]);
        }
    }
    while (!seen.empty()) {
        const std::uint32_t t = seen.back();
        seen.pop_back();
        look_at_reads(history.transactions[t]);
    }
    return counts;
}

}  // namespace isotap::history
