#include "analysis/report/remedies.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "analysis/history/words.hpp"

namespace isotap::analysis {
namespace {

using history::IsolationLevel;
using history::TransactionId;

/// How an engine says what a remedy needs.
struct Idiom {
    std::string_view engine;
    std::string_view name;
    std::string_view share;    ///< the clause that locks what is only read
    std::string_view refusal;  ///< what a transaction gets that has to run again
    bool gap_locks = false;    ///< a locking search keeps rows out that do not exist yet
    std::string_view more = {};
};

constexpr Idiom idioms[] = {
    {"postgresql", "PostgreSQL", "FOR SHARE", "SQLSTATE 40001"},
    {"cockroachdb", "CockroachDB", "FOR SHARE", "SQLSTATE 40001"},
    {"mysql", "MySQL", "FOR SHARE", "error 1213", true},
    {"mariadb", "MariaDB", "LOCK IN SHARE MODE", "error 1213", true,
     "Or switch innodb_snapshot_isolation on: REPEATABLE READ then refuses the second write "
     "(error 1020), and the transaction has to run again."},
    {"mariadb-snapshot", "MariaDB", "LOCK IN SHARE MODE", "error 1213 or 1020", true},
    {"tidb", "TiDB", "FOR UPDATE", "error 1213 or 9007"},
};
constexpr Idiom unknown_engine{"", "this engine", "FOR SHARE", "SQLSTATE 40001, or error 1213"};

const Idiom& idiom_of(const Anomaly& anomaly) noexcept {
    const auto found = std::find_if(std::begin(idioms), std::end(idioms), [&](const Idiom& idiom) {
        return idiom.engine == anomaly.engine;
    });
    return found == std::end(idioms) ? unknown_engine : *found;
}

std::string statement(const Names& names, TransactionId transaction, std::uint32_t ordinal) {
    return fmt::format("statement {} of {}", ordinal, names.transaction(transaction));
}

const CycleEdge* first_of(const Anomaly& anomaly, EdgeKind kind) noexcept {
    const auto found = std::find_if(anomaly.edges.begin(), anomaly.edges.end(),
                                    [kind](const CycleEdge& edge) { return edge.kind == kind; });
    return found == anomaly.edges.end() ? nullptr : &*found;
}

/// The statements that read what somebody else changed then, each once.
std::string reads_of(const Anomaly& anomaly, const Names& names) {
    std::vector<std::string> reads;
    for (const CycleEdge& edge : anomaly.edges) {
        std::string read = statement(names, edge.from, edge.from_statement);
        if (edge.kind == EdgeKind::rw &&
            std::find(reads.begin(), reads.end(), read) == reads.end()) {
            reads.push_back(std::move(read));
        }
    }
    return reads.empty() ? "the statements that read"
                         : fmt::format("{}", fmt::join(reads, " and "));
}

/// The transactions as the subject of a sentence; the reader alone where only he is to blame.
std::string runners(const Anomaly& anomaly, const Names& names) {
    std::vector<std::string> all;
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        if (transaction.id != history::initial_transaction) {
            all.push_back(names.transaction(transaction.id));
        }
    }
    return all.empty() || all.size() > 4 ? "these transactions"
                                         : fmt::format("{}", fmt::join(all, " and "));
}

/// The level that helps here. `otherwise`: where the engine is not known to have one.
std::string level(const Anomaly& anomaly, const std::string& who, std::string_view otherwise,
                  bool may_be_refused) {
    std::string text;
    if (anomaly.excluded_at == IsolationLevel::unknown) {
        text = fmt::format("Run {} at {}", who, otherwise);
    } else {
        text = fmt::format("Run {} at {}, which excludes this on {}", who,
                           history::to_string(anomaly.excluded_at), idiom_of(anomaly).name);
    }
    if (may_be_refused) {
        text += fmt::format(", and run a transaction again that is refused ({})",
                            idiom_of(anomaly).refusal);
    }
    return text + ".";
}

std::vector<std::string> on_lost_update(const Anomaly& anomaly, const Names& names) {
    const CycleEdge* read = first_of(anomaly, EdgeKind::rw);
    const CycleEdge* write = first_of(anomaly, EdgeKind::ww);
    if (read == nullptr) {
        return {level(anomaly, "these transactions", "a level with snapshots", true)};
    }
    std::vector<std::string> ways;
    if (write != nullptr) {
        ways.push_back(fmt::format(
            "Let {} compute from the row itself (SET n = n - 1), not from what statement {} read.",
            statement(names, write->to, write->to_statement), read->from_statement));
    }
    ways.push_back(
        fmt::format("Read with FOR UPDATE in {}: whoever comes second waits, and reads "
                    "what the first one left.",
                    statement(names, read->from, read->from_statement)));
    ways.push_back(level(anomaly, runners(anomaly, names),
                         "a level that refuses the second write, such as snapshot isolation",
                         true));
    if (const std::string_view more = idiom_of(anomaly).more; !more.empty()) {
        ways.emplace_back(more);
    }
    return ways;
}

std::vector<std::string> on_write_skew(const Anomaly& anomaly, const Names& names) {
    return {
        fmt::format("Lock what the decision rests on: FOR UPDATE in {}.", reads_of(anomaly, names)),
        level(anomaly, runners(anomaly, names), "SERIALIZABLE", true),
        "Let a constraint say the rule that spans these rows, where one can.",
    };
}

/// TRUNCATE waits for others and then takes what they left, whatever was read before.
std::vector<std::string> on_emptied(const Anomaly& anomaly, const CycleEdge& edge,
                                    const Names& names) {
    return {
        fmt::format("Lock the table when {} begins, not only in {}: then nobody changes what it "
                    "reads before it empties the table.",
                    names.transaction(edge.to), statement(names, edge.to, edge.to_statement)),
        level(anomaly, runners(anomaly, names), "SERIALIZABLE", true) +
            " With DELETE: no snapshot holds TRUNCATE back.",
    };
}

std::vector<std::string> on_phantom(const Anomaly& anomaly, const Names& names) {
    std::vector<std::string> ways{
        "Let a unique or exclusion constraint say the rule, where one can: rows that do not exist "
        "yet cannot be locked."};
    if (idiom_of(anomaly).gap_locks) {
        ways.push_back(
            fmt::format("Search with FOR UPDATE in {}, at REPEATABLE READ: its gap "
                        "locks keep new rows out.",
                        reads_of(anomaly, names)));
    }
    ways.push_back(level(anomaly, runners(anomaly, names), "SERIALIZABLE", true));
    return ways;
}

/// One transaction saw two states. It is the reader who has to change.
std::vector<std::string> on_two_states(const Anomaly& anomaly, const Names& names) {
    const CycleEdge* old = first_of(anomaly, EdgeKind::rw);
    const CycleEdge* recent = first_of(anomaly, EdgeKind::wr);
    const TransactionId reader = old != nullptr      ? old->from
                                 : recent != nullptr ? recent->to
                                                     : TransactionId{};
    const std::string who =
        reader == TransactionId{} ? "these transactions" : names.transaction(reader);
    std::vector<std::string> ways;
    if (old != nullptr && recent != nullptr && old->from == recent->to) {
        const bool one_row = old->table == recent->table && old->row == recent->row;
        ways.push_back(
            one_row ? fmt::format("Keep the value that {} read, instead of reading it again.",
                                  statement(names, old->from, old->from_statement))
                    : fmt::format("Read in one statement what statements {} and {} of {} read: a "
                                  "statement sees one state.",
                                  std::min(old->from_statement, recent->to_statement),
                                  std::max(old->from_statement, recent->to_statement), who));
    }
    ways.push_back(level(anomaly, who,
                         "a level at which all reads of a transaction come from one snapshot "
                         "(REPEATABLE READ or stronger)",
                         anomaly.excluded_at == IsolationLevel::serializable));
    if (old != nullptr && !old->predicate) {
        ways.push_back(fmt::format("Read with {} in {}.", idiom_of(anomaly).share,
                                   statement(names, old->from, old->from_statement)));
    }
    return ways;
}

std::vector<std::string> on_old_read(const Anomaly& anomaly, const Names& names) {
    if (anomaly.kind.order != Order::none) {
        return {
            "Read what must be current from the primary: this read came from an old state, as "
            "from a replica that lags behind."};
    }
    return on_two_states(anomaly, names);
}

std::vector<std::string> on_cycle(const Anomaly& anomaly, const Names& names) {
    for (const CycleEdge& edge : anomaly.edges) {
        if (edge.emptied) {
            return on_emptied(anomaly, edge, names);
        }
    }
    if (anomaly.kind.predicate) {
        return on_phantom(anomaly, names);
    }
    if (anomaly.kind.type != AnomalyType::g_single) {
        return on_write_skew(anomaly, names);
    }
    const bool nothing_new_was_read = first_of(anomaly, EdgeKind::wr) == nullptr;
    return anomaly.kind.order == Order::none && nothing_new_was_read ? on_write_skew(anomaly, names)
                                                                     : on_old_read(anomaly, names);
}

}  // namespace

std::vector<std::string> remedies(const Anomaly& anomaly, const Names& names) {
    if (anomaly.severity == Severity::violation && !anomaly.engine.empty()) {
        return {
            fmt::format("Nothing that you should have to do: {} documents that this does not "
                        "happen at this level. Keep the recording and report it.",
                        idiom_of(anomaly).name)};
    }
    switch (anomaly.kind.type) {
        case AnomalyType::lost_update: return on_lost_update(anomaly, names);
        case AnomalyType::g_nonadjacent:
        case AnomalyType::g2:
        case AnomalyType::g_single: return on_cycle(anomaly, names);
        case AnomalyType::fractured_read:
        case AnomalyType::causal_violation:
        case AnomalyType::non_repeatable_read: return on_old_read(anomaly, names);
        case AnomalyType::g1a:
        case AnomalyType::g1b:
        case AnomalyType::g1c:
        case AnomalyType::dirty_update:
            return {level(anomaly, runners(anomaly, names), "READ COMMITTED or stronger", false) +
                    " Something was used that was not committed."};
        case AnomalyType::g0:
        case AnomalyType::internal:
        case AnomalyType::future_read:
        case AnomalyType::incompatible_order:
        case AnomalyType::cyclic_versions:
        case AnomalyType::duplicate_elements:
        case AnomalyType::garbage_read: break;
    }
    return {
        "No level permits this: the database, or what stands between, lost or mixed up writes. "
        "Keep the recording and report it."};
}

std::string advice(const Anomaly& anomaly, const Names& names) {
    return fmt::format("{}", fmt::join(remedies(anomaly, names), " Or: "));
}

}  // namespace isotap::analysis
