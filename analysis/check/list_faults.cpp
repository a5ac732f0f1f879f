#include "analysis/check/list_faults.hpp"

#include <algorithm>
#include <utility>

#include "analysis/history/history_events.hpp"

namespace isotap::analysis {

namespace {

using history::History;
using history::ListPrefix;
using history::Operation;
using history::OperationKind;
using history::Outcome;
using history::Transaction;
using history::Version;

class ListFaults {
  public:
    ListFaults(const History& history, const history::ListOrder& order, std::size_t limit)
        : history_(history), order_(order), limit_(limit) {}

    std::vector<Anomaly> find() {
        std::size_t future_reads = 0;
        std::size_t repeats = 0;
        for (std::uint32_t t = 0; t < history_.transactions.size(); ++t) {
            if (history_.transactions[t].outcome == Outcome::committed) {
                future_reads += future_reads < limit_ ? find_future_reads(t) : 0;
                repeats += !order_.repeats().empty() && repeats < limit_ ? find_repeats(t) : 0;
            }
        }
        std::size_t lost = 0;
        for (const auto& hidden : order_.unordered()) {
            if (lost == limit_) {
                break;
            }
            lost += find_lost_update(hidden.appends);
        }
        return std::move(found_);
    }

  private:
    /// A list that was read before an append of the same transaction, and shows it.
    std::size_t find_future_reads(std::uint32_t t) {
        const Transaction& transaction = history_.transactions[t];
        const auto operations = history_.operations_of(transaction);
        for (std::uint32_t later = 1; later < operations.size(); ++later) {
            if (operations[later].kind != OperationKind::append) {
                continue;
            }
            const ListPrefix place =
                order_.place(static_cast<std::uint32_t>(transaction.first_operation + later));
            for (std::uint32_t i = 0; place.length > 0 && i < later; ++i) {
                if (operations[i].kind != OperationKind::read_list ||
                    operations[i].key != operations[later].key) {
                    continue;
                }
                const ListPrefix seen = History::list_prefix(operations[i]);
                if (seen.chain == place.chain && seen.length >= place.length) {
                    add(AnomalyType::future_read, {wr(t, t, later, i)});
                    return 1;
                }
            }
        }
        return 0;
    }

    std::size_t find_repeats(std::uint32_t t) {
        const auto operations = history_.operations_of(history_.transactions[t]);
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            if (operations[i].kind != OperationKind::read_list) {
                continue;
            }
            const ListPrefix seen = History::list_prefix(operations[i]);
            for (const ListPrefix repeat : order_.repeats()) {
                if (repeat.chain == seen.chain && repeat.length <= seen.length) {
                    const Version twice = order_.versions(repeat).back();
                    const auto writer = static_cast<std::uint32_t>(twice.writer - 1);
                    add(AnomalyType::duplicate_elements, {wr(writer, t, twice.statement - 1, i)});
                    return 1;
                }
            }
        }
        return 0;
    }

    /// Two transactions that read a key and then appended to it, both behind all that lists show:
    /// whichever came second had not seen the first.
    std::size_t find_lost_update(const std::vector<history::ListOrder::Append>& appends) {
        struct Updater {
            std::uint32_t transaction = 0;
            std::uint32_t read = 0;
            std::uint32_t append = 0;
        };
        std::vector<Updater> updaters;
        for (const auto& [append, t] : appends) {
            const Transaction& transaction = history_.transactions[t];
            const auto operations = history_.operations_of(transaction);
            const auto at = static_cast<std::uint32_t>(append - transaction.first_operation);
            const auto first = std::find_if(
                operations.begin(), operations.end(),
                [key = operations[at].key](const Operation& other) { return other.key == key; });
            const auto read = static_cast<std::uint32_t>(first - operations.begin());
            if (read < at && first->kind != OperationKind::append &&
                (updaters.empty() || updaters.back().transaction != t)) {
                updaters.push_back({t, read, at});
            }
        }
        if (updaters.size() < 2) {
            return 0;
        }
        const Updater& a = updaters[0];
        const Updater& b = updaters[1];
        add(AnomalyType::lost_update, {rw(a.transaction, b.transaction, a.read, b.append),
                                       rw(b.transaction, a.transaction, b.read, a.append)});
        return 1;
    }

    [[nodiscard]] CycleEdge edge(EdgeKind kind, std::uint32_t from, std::uint32_t to,
                                 std::uint32_t from_operation, std::uint32_t to_operation) const {
        CycleEdge edge;
        edge.kind = kind;
        edge.from = history::id_of(from);
        edge.to = history::id_of(to);
        edge.table = history::history_table;
        edge.from_statement = from_operation + 1;
        edge.to_statement = to_operation + 1;
        const Transaction& reader = history_.transactions[kind == EdgeKind::wr ? to : from];
        edge.row = history::row_of(
            history_.operations_of(reader)[kind == EdgeKind::wr ? to_operation : from_operation]
                .key);
        return edge;
    }
    [[nodiscard]] CycleEdge wr(std::uint32_t from, std::uint32_t to, std::uint32_t append,
                               std::uint32_t read) const {
        CycleEdge made = edge(EdgeKind::wr, from, to, append, read);
        made.version = Version::written_by({made.from, append + 1});
        return made;
    }
    [[nodiscard]] CycleEdge rw(std::uint32_t from, std::uint32_t to, std::uint32_t read,
                               std::uint32_t append) const {
        CycleEdge made = edge(EdgeKind::rw, from, to, read, append);
        const Operation& seen = history_.operations_of(history_.transactions[from])[read];
        made.version = seen.kind == OperationKind::read_list
                           ? order_.versions(History::list_prefix(seen)).back()
                           : Version::initial();
        return made;
    }

    void add(AnomalyType type, std::vector<CycleEdge> edges) {
        Anomaly anomaly;
        anomaly.kind.type = type;
        anomaly.violates = violated_by(anomaly.kind);
        anomaly.edges = std::move(edges);
        for (const CycleEdge& step : anomaly.edges) {
            for (const history::TransactionId id : {step.from, step.to}) {
                const bool known =
                    std::any_of(anomaly.transactions.begin(), anomaly.transactions.end(),
                                [&](const InvolvedTransaction& other) { return other.id == id; });
                if (!known) {
                    const Transaction& transaction =
                        history_.transactions[static_cast<std::size_t>(id) - 1];
                    InvolvedTransaction involved;
                    involved.id = id;
                    involved.session = history::SessionId{std::uint64_t{transaction.session} + 1};
                    involved.outcome = transaction.outcome;
                    anomaly.transactions.push_back(involved);
                }
            }
        }
        found_.push_back(std::move(anomaly));
    }

    const History& history_;
    const history::ListOrder& order_;
    std::size_t limit_;
    std::vector<Anomaly> found_;
};

}  // namespace

std::vector<Anomaly> list_faults(const History& history, const history::ListOrder& order,
                                 std::size_t limit) {
    return ListFaults(history, order, limit).find();
}

}  // namespace isotap::analysis
