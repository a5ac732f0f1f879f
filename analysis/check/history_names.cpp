#include "analysis/check/history_names.hpp"

namespace isotap::analysis {

using history::Format;
using history::Operation;
using history::OperationKind;
using history::Transaction;

const Transaction* HistoryNames::find(std::uint64_t id) const noexcept {
    const auto& transactions = read_.history.transactions;
    return id == 0 || id > transactions.size() ? nullptr : &transactions[id - 1];
}

std::string HistoryNames::transaction(history::TransactionId id) const {
    const auto number = static_cast<std::uint64_t>(id);
    return number == 0 || find(number) != nullptr ? "T" + std::to_string(number) : "nobody";
}

std::string HistoryNames::origin(history::TransactionId id) const {
    const Transaction* transaction = find(static_cast<std::uint64_t>(id));
    if (transaction == nullptr) {
        return "";
    }
    switch (read_.format) {
        case Format::elle_append:
        case Format::elle_register:
        case Format::elle_predicate:
        case Format::elle_json: return "index " + std::to_string(transaction->label);
        case Format::plume:
        case Format::cobra:
        case Format::timekiller:
            return "transaction " + std::to_string(transaction->label) + " of the file";
        default: return "";
    }
}

std::string HistoryNames::table(history::NameId /*table*/) const {
    return "";
}

std::string HistoryNames::row(history::NameId /*table*/, history::RowKey row) const {
    const auto& atoms = read_.history.atoms;
    return row.low < atoms.key_count()
               ? atoms.spell(history::KeyId{static_cast<std::uint32_t>(row.low)})
               : "";
}

std::string HistoryNames::value(history::Version version) const {
    if (version.kind != history::VersionKind::written) {
        return version.kind == history::VersionKind::initial ? "nothing" : "";
    }
    const Transaction* transaction = find(version.writer);
    if (transaction == nullptr || version.statement == 0 ||
        version.statement > transaction->operations) {
        return "";
    }
    const Operation& operation = read_.history.operations_of(*transaction)[version.statement - 1];
    return read_.history.atoms.spell(operation.value);
}

std::string HistoryNames::spell(const Operation& operation) const {
    constexpr std::size_t elements_shown = 24;
    const auto& history = read_.history;
    const std::string key = history.atoms.spell(operation.key);
    switch (operation.kind) {
        case OperationKind::read:
            return "read " + key + " = " + history.atoms.spell(operation.value);
        case OperationKind::write:
            return "write " + key + " = " + history.atoms.spell(operation.value);
        case OperationKind::append:
            return "append " + key + " + " + history.atoms.spell(operation.value);
        case OperationKind::insert:
            return "insert " + key + " = " + history.atoms.spell(operation.value);
        case OperationKind::remove: return "delete " + key;
        case OperationKind::predicate_read: return "read by a predicate";
        case OperationKind::read_list: break;
    }
    const auto elements = history.list(operation);
    std::string text = "read " + key + " = [";
    const std::size_t skipped =
        elements.size() > elements_shown ? elements.size() - elements_shown : 0;
    if (skipped > 0) {
        text += "… ";
    }
    for (std::size_t i = skipped; i < elements.size(); ++i) {
        text += (i == skipped ? "" : " ") + history.atoms.spell(elements[i]);
    }
    return text + "]";
}

std::vector<NamedStatement> HistoryNames::statements(history::TransactionId id) const {
    std::vector<NamedStatement> statements;
    if (const Transaction* transaction = find(static_cast<std::uint64_t>(id))) {
        for (const Operation& operation : read_.history.operations_of(*transaction)) {
            statements.push_back(
                {static_cast<std::uint32_t>(statements.size() + 1), spell(operation)});
        }
    }
    return statements;
}

}  // namespace isotap::analysis
