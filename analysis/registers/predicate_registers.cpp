#include "analysis/registers/predicate_registers.hpp"

#include "analysis/history/history_events.hpp"

namespace isotap::analysis {

namespace {

using history::KeyId;
using history::Operation;
using history::OperationKind;
using history::Outcome;
using history::position;
using history::PredicateKind;
using history::PredicateObservation;
using history::Transaction;
using history::Value;

/// Beyond, predicate reads over keys that were not returned are left out.
constexpr std::size_t operations_max = std::size_t{1} << 26U;

constexpr std::size_t missed_max = 16;

constexpr Value absent = history::initial_value;

bool changes(OperationKind kind) noexcept {
    return kind == OperationKind::write || kind == OperationKind::insert ||
           kind == OperationKind::remove;
}

bool matches(const PredicateObservation& read, Value value) noexcept {
    if (value == absent) {
        return false;
    }
    switch (read.kind) {
        case PredicateKind::all: return true;
        case PredicateKind::equals: return value == read.operand;
        case PredicateKind::remainder:
            return history::Atoms::is_integer(value) &&
                   (value % read.operand + read.operand) % read.operand == read.operand2;
    }
    return false;
}

}  // namespace

PredicateRegisters::PredicateRegisters(const history::History& predicates)
    : source_(predicates),
      states_(predicates.atoms.key_count(), std::vector<State>(1)),
      told_(predicates.atoms.key_count()),
      own_(predicates.atoms.key_count(), nullptr) {
    registers_.sessions = source_.sessions;
    registers_.has_real_time = source_.has_real_time;
    registers_.transactions = source_.transactions;
    registers_.atoms = source_.atoms;
    collect_states();
    for (std::uint32_t t = 0; t < source_.transactions.size(); ++t) {
        tell(t);
    }
}

void PredicateRegisters::collect_states() {
    Value last = 0;
    for (std::uint32_t t = 0; t < source_.transactions.size(); ++t) {
        const Transaction& transaction = source_.transactions[t];
        for (const Operation& operation : source_.operations_of(transaction)) {
            if (!changes(operation.kind)) {
                continue;
            }
            auto& states = states_[position(operation.key)];
            if (transaction.initial) {
                states.front().value = operation.value;
                continue;
            }
            states.back().overwritten = states.back().transaction == t;
            const bool removed = operation.kind == OperationKind::remove;
            states.push_back({removed ? absent : operation.value, ++last, t, false});
        }
    }
}

void PredicateRegisters::tell(std::uint32_t t) {
    Transaction& told = registers_.transactions[t];
    told.first_operation = registers_.operations.size();
    place_ = 0;
    for (const Operation& operation : source_.operations_of(source_.transactions[t])) {
        ++place_;
        if (source_.transactions[t].initial) {
            continue;
        }
        if (changes(operation.kind)) {
            const std::size_t key = position(operation.key);
            own_[key] = &states_[key][++told_[key]];  // they were collected in the same order
            add(OperationKind::write, operation.key, own_[key]->number, false);
        } else if (operation.kind == OperationKind::predicate_read) {
            tell_predicate(t, source_.predicate_read(operation));
        } else if (operation.kind == OperationKind::read) {
            tell_read(
                t, operation.key, [seen = operation.value](Value value) { return value == seen; },
                false);
        }
    }
    told.operations =
        static_cast<std::uint32_t>(registers_.operations.size() - told.first_operation);
}

void PredicateRegisters::tell_predicate(std::uint32_t t, const PredicateObservation& read) {
    std::vector<bool> returned(states_.size());
    for (const auto& [key, seen] : read.matched) {
        returned[position(key)] = true;
        tell_read(
            t, key, [wanted = seen](Value value) { return value == wanted; }, false);
    }
    if (registers_.operations.size() + states_.size() > operations_max) {
        undecided_ += states_.size() - read.matched.size();
        return;
    }
    const Fits not_returned = [&read](Value value) { return !matches(read, value); };
    for (std::uint32_t key = 0; key < states_.size(); ++key) {
        if (!returned[key]) {
            tell_read(t, KeyId{key}, not_returned, true);
        }
    }
}

const PredicateRegisters::State* PredicateRegisters::own_state(std::uint32_t t,
                                                               KeyId key) const noexcept {
    const State* own = own_[position(key)];
    return own != nullptr && own->transaction == t ? own : nullptr;
}

/// Whoever wrote before sees that. Else it saw one of the states that fit: if there is but one that
/// others left behind, that one; if there is none, one that nobody should have seen.
void PredicateRegisters::tell_read(std::uint32_t t, KeyId key, const Fits& fits, bool unseen) {
    if (const State* own = own_state(t, key)) {
        if (!fits(own->value)) {
            tell_missed(t, key);
        } else if (!unseen) {
            add(OperationKind::read, key, own->number, unseen);
        }
        return;
    }
    const State* good = nullptr;
    const State* bad = nullptr;
    std::size_t count = 0;
    for (const State& state : states_[position(key)]) {
        if (!fits(state.value)) {
            continue;
        }
        const bool lasting = state.transaction == nobody ||
                             (state.transaction != t && !state.overwritten &&
                              source_.transactions[state.transaction].outcome != Outcome::aborted);
        count += lasting ? 1 : 0;
        (lasting ? good : bad) = &state;
    }
    if (count > 1) {
        ++undecided_;
        return;
    }
    const State* seen = good != nullptr ? good : bad;
    add(OperationKind::read, key, seen != nullptr ? seen->number : --unwritten_, unseen);
}

void PredicateRegisters::tell_missed(std::uint32_t t, KeyId key) {
    if (missed_.size() == missed_max) {
        return;
    }
    Anomaly& anomaly = missed_.emplace_back();
    anomaly.kind.type = AnomalyType::internal;
    anomaly.severity = Severity::violation;
    CycleEdge& edge = anomaly.edges.emplace_back();
    edge.kind = EdgeKind::wr;
    edge.from = edge.to = history::id_of(t);
    edge.to_statement = place_;
    edge.table = history::history_table;
    edge.row = history::row_of(key);
    InvolvedTransaction& reader = anomaly.transactions.emplace_back();
    reader.id = edge.to;
    reader.session = history::SessionId{std::uint64_t{source_.transactions[t].session} + 1};
}

void PredicateRegisters::add(OperationKind kind, KeyId key, Value number, bool unseen) {
    registers_.operations.push_back({number, key, kind});
    places_.push_back(place_);
    unseen_.push_back(unseen);
}

std::size_t PredicateRegisters::index_of(history::TransactionId id,
                                         std::uint32_t statement) const noexcept {
    const auto t = static_cast<std::size_t>(id);
    if (t == 0 || statement == 0 || t > registers_.transactions.size()) {
        return places_.size();
    }
    return registers_.transactions[t - 1].first_operation + statement - 1;
}

void PredicateRegisters::restore(Anomaly& anomaly) const {
    const auto place = [this](history::TransactionId id, std::uint32_t& statement) {
        if (const std::size_t at = index_of(id, statement); at < places_.size()) {
            statement = places_[at];
        }
    };
    for (CycleEdge& edge : anomaly.edges) {
        const bool reads_first = edge.kind == EdgeKind::rw;
        const std::size_t read = reads_first ? index_of(edge.from, edge.from_statement)
                                             : index_of(edge.to, edge.to_statement);
        edge.predicate =
            (reads_first || edge.kind == EdgeKind::wr) && read < unseen_.size() && unseen_[read];
        anomaly.kind.predicate = anomaly.kind.predicate || (edge.predicate && reads_first);
        place(edge.from, edge.from_statement);
        place(edge.to, edge.to_statement);
        place(history::TransactionId{edge.version.writer}, edge.version.statement);
    }
}

}  // namespace isotap::analysis
