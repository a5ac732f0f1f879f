#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

#include "analysis/history/atoms.hpp"

/// A history that somebody else's tool wrote, in memory, the same for every format.
///
/// Flat on purpose: 16 bytes an operation, so that ten million transactions fit into a laptop.
/// Built once by a reader, then immutable: any thread may read it.
namespace isotap::history {

enum class OperationKind : std::uint8_t {
    read,            ///< saw `value`
    read_list,       ///< saw the list `History::list` names
    write,           ///< replaced whatever there was by `value`
    append,          ///< put `value` behind the list that was there
    insert,          ///< made the key, with `value`
    remove,          ///< removed the key
    predicate_read,  ///< chose keys by a condition: `History::predicate_read`
};

struct Operation {
    Value value = initial_value;
    KeyId key{};
    OperationKind kind = OperationKind::read;
};

/// The time of an event in a file: its position there, or the clock that the file carries.
using Moment = std::int64_t;
inline constexpr Moment beginning_of_time = std::numeric_limits<Moment>::min();

struct Transaction {
    std::uint64_t label = 0;  ///< how the file calls it
    std::uint64_t first_operation = 0;
    Moment began = beginning_of_time;  ///< cannot have started earlier; unknown: the beginning
    Moment ended = beginning_of_time;  ///< cannot have ended later
    std::uint32_t operations = 0;
    std::uint32_t session = 0;
    Outcome outcome = Outcome::committed;
    bool initial = false;  ///< what it writes is the state that the history begins with
};

enum class PredicateKind : std::uint8_t { all, equals, remainder };

struct KeyAndValue {
    KeyId key{};
    Value value = initial_value;
};

/// `[:rp predicate {key value …}]`.
struct PredicateObservation {
    PredicateKind kind = PredicateKind::all;
    Value operand = 0;   ///< what it is equal to, or the divisor
    Value operand2 = 0;  ///< the remainder
    std::vector<KeyAndValue> matched;
};

/// What the operations of a history are about, and with that who can check it.
enum class HistoryModel : std::uint8_t {
    registers,   ///< reads and blind writes: the version order is not known
    lists,       ///< appends: every read spells out the version order
    predicates,  ///< registers that come and go, and conditions over them
};

/// A list that was read, as a prefix of a chain. Reads of one key mostly repeat one another, so
/// the elements are kept once.
struct ListPrefix {
    std::uint32_t chain = 0;
    std::uint32_t length = 0;
};

class History {
  public:
    HistoryModel model = HistoryModel::registers;
    /// Whether a read of a value that nobody wrote, and that is nil or 0, saw the state before the
    /// first transaction. In AWDIT's histories there is no such state.
    bool has_initial_state = true;
    /// Whether `began` and `ended` tell something about real time.
    bool has_real_time = false;
    std::uint32_t sessions = 0;
    /// Those of one session come in session order.
    std::vector<Transaction> transactions;
    std::vector<Operation> operations;
    std::vector<std::vector<Value>> chains;
    std::vector<PredicateObservation> predicate_reads;
    Atoms atoms;

    [[nodiscard]] std::span<const Operation> operations_of(const Transaction& of) const noexcept {
        return std::span(operations).subspan(of.first_operation, of.operations);
    }

    static Value pack(ListPrefix list) noexcept {
        return static_cast<Value>(std::uint64_t{list.chain} << 32 | list.length);
    }
    static ListPrefix list_prefix(const Operation& read) noexcept {
        const auto packed = static_cast<std::uint64_t>(read.value);
        return {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed)};
    }
    /// What a `read_list` saw. Lives as long as the history.
    [[nodiscard]] std::span<const Value> list(const Operation& read) const noexcept {
        const ListPrefix prefix = list_prefix(read);
        return std::span(chains[prefix.chain]).first(prefix.length);
    }
    [[nodiscard]] const PredicateObservation& predicate_read(const Operation& read) const noexcept {
        return predicate_reads[static_cast<std::size_t>(read.value)];
    }
};

}  // namespace isotap::history
