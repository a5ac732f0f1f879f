#include "analysis/history/list_order.hpp"

#include "analysis/history/history_events.hpp"

namespace isotap::history {

namespace {

/// No file is long enough to have a transaction of this number.
constexpr std::uint64_t nobody = std::uint64_t{1} << 62;

}  // namespace

ListOrder::ListOrder(const History& history, const WriterIndex& writers)
    : history_(history),
      chains_(history.chains.size()),
      agreed_(history.chains.size(), true),
      places_(history.operations.size()) {
    std::vector<Key> keys(history.atoms.key_count());
    for (const Operation& read : history.operations) {
        if (read.kind == OperationKind::read_list) {
            const std::uint32_t chain = History::list_prefix(read).chain;
            Key& key = keys[position(read.key)];
            if (key.chain != none && key.chain != chain) {
                key.forked = true;
                agreed_[key.chain] = false;
                agreed_[chain] = false;
            }
            key.chain = chain;
            if (chains_[chain].empty()) {
                read_chain(read.key, chain, writers);
            }
        }
    }
    for (std::uint32_t t = 0; t < history.transactions.size(); ++t) {
        const Transaction& transaction = history.transactions[t];
        for (std::uint32_t i = 0; i < transaction.operations; ++i) {
            const auto at = static_cast<std::uint32_t>(transaction.first_operation + i);
            const Operation& operation = history.operations[at];
            if (operation.kind != OperationKind::append || places_[at].length > 0) {
                continue;
            }
            Key& key = keys[position(operation.key)];
            key.uncertain |= transaction.outcome == Outcome::indeterminate;
            if (transaction.outcome == Outcome::committed) {
                key.hidden.push_back({at, t});
            }
        }
    }
    unordered_of_.assign(keys.size(), none);
    for (std::size_t at = 0; at < keys.size(); ++at) {
        place_hidden(at, keys[at]);
    }
}

void ListOrder::read_chain(KeyId key, std::uint32_t chain, const WriterIndex& writers) {
    const std::vector<Value>& elements = history_.chains[chain];
    std::vector<Version>& versions = chains_[chain];
    versions.reserve(elements.size() + 1);
    versions.push_back(Version::initial());
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
        const WriterIndex::Writer writer = writers.find(history_, key, elements[i]);
        versions.push_back(version_of(writer, elements[i]));
        if (!writer.exists()) {
            continue;
        }
        ListPrefix& place = places_[writer.operation];
        if (place.length > 0 && place.chain == chain) {
            repeats_.push_back({chain, i + 1});
            agreed_[chain] = false;
        } else {
            place = {chain, i + 1};
        }
    }
}

void ListOrder::place_hidden(std::size_t at, const Key& key) {
    if (key.forked || key.hidden.empty()) {
        return;
    }
    Version last = key.chain == none ? Version::initial() : chains_[key.chain].back();
    const std::uint32_t t = key.hidden.front().transaction;
    // Those of one transaction stand together, and so does what the list tells of it.
    if (key.uncertain || key.hidden.back().transaction != t) {
        unordered_of_[at] = static_cast<std::uint32_t>(unordered_.size());
        unordered_.push_back({last, key.hidden});
        return;
    }
    const std::uint64_t first = history_.transactions[t].first_operation;
    for (const Append& append : key.hidden) {
        before_.emplace(append.operation, last);
        last = Version::written_by(
            {id_of(t), static_cast<std::uint32_t>(append.operation - first) + 1});
    }
}

Version ListOrder::version_of(WriterIndex::Writer writer, Value element) const noexcept {
    if (!writer.exists()) {
        const auto distinct = static_cast<std::uint64_t>(element) % nobody;
        return Version::written_by({TransactionId{nobody + distinct}, 1});
    }
    const std::uint64_t first = history_.transactions[writer.transaction].first_operation;
    return Version::written_by(
        {id_of(writer.transaction), static_cast<std::uint32_t>(writer.operation - first) + 1});
}

}  // namespace isotap::history
