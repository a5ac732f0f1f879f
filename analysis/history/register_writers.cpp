#include "analysis/history/register_writers.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace isotap::history {

namespace {

Value number(Value value) noexcept {
    return value == initial_value ? 0 : value;
}

std::string little_endian(std::uint64_t value) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) {
        bytes += static_cast<char>(value >> shift);
    }
    return bytes;
}

std::string little_endian(Value value) {
    return little_endian(static_cast<std::uint64_t>(value));
}

}  // namespace

void write_plume(const ReadHistory& read, std::ostream& out) {
    const History& history = read.history;
    const std::vector<bool> counts = counting_transactions(history, read.writers);
    for (std::size_t t = 0; t < counts.size(); ++t) {
        const Transaction& transaction = history.transactions[t];
        const std::string end = "," + std::to_string(transaction.session) + "," +
                                (counts[t] ? std::to_string(t) : "-1") + ")\n";
        for (const Operation& operation : history.operations_of(transaction)) {
            out << (operation.kind == OperationKind::write ? "w(" : "r(")
                << history.atoms.key_name(operation.key) << ',' << number(operation.value) << end;
        }
    }
}

void write_dbcop_bincode(const ReadHistory& read, std::ostream& out) {
    const History& history = read.history;
    const std::vector<bool> counts = counting_transactions(history, read.writers);
    std::vector<std::vector<std::size_t>> sessions(history.sessions);
    for (std::size_t t = 0; t < counts.size(); ++t) {
        sessions[history.transactions[t].session].push_back(t);
    }
    // Identifier, sessions, keys, transactions, events a transaction: what dbcop's generator was
    // asked for. A history that was recorded has no such numbers.
    out << little_endian(Value{0}) << little_endian(std::uint64_t{history.sessions})
        << little_endian(std::uint64_t{history.atoms.key_count()})
        << little_endian(std::uint64_t{history.transactions.size()}) << little_endian(Value{0});
    out << little_endian(Value{0}) << little_endian(Value{0}) << little_endian(Value{0});
    out << little_endian(std::uint64_t{sessions.size()});
    for (const auto& session : sessions) {
        out << little_endian(std::uint64_t{session.size()});
        for (const std::size_t t : session) {
            const auto operations = history.operations_of(history.transactions[t]);
            out << little_endian(std::uint64_t{operations.size()});
            for (const Operation& operation : operations) {
                out << (operation.kind == OperationKind::write ? '\1' : '\0')
                    << little_endian(history.atoms.key_name(operation.key))
                    << little_endian(number(operation.value)) << '\1';
            }
            out << (counts[t] ? '\1' : '\0');
        }
    }
}

}  // namespace isotap::history
