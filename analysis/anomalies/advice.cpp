#include <algorithm>

#include <fmt/format.h>

#include "isotap/analysis/anomaly.hpp"

namespace isotap::analysis {
namespace {

bool is_rw(const CycleEdge& edge) noexcept {
    return edge.kind == EdgeKind::rw;
}

std::string statement(history::TransactionId transaction, std::uint32_t ordinal) {
    return fmt::format("statement {} of T{}", ordinal, static_cast<std::uint64_t>(transaction));
}

std::string advice_on_lost_update(const CycleEdge& read) {
    return fmt::format(
        "Read with FOR UPDATE in {}, or write the new value from the row itself (SET x = x + 1), "
        "or "
        "use a level that refuses the second write, such as snapshot isolation.",
        statement(read.from, read.from_statement));
}

std::string advice_on_skew(const Anomaly& anomaly) {
    std::string where;
    for (const CycleEdge& edge : anomaly.edges) {
        if (is_rw(edge)) {
            where += fmt::format("{}{}", where.empty() ? "" : " and ",
                                 statement(edge.from, edge.from_statement));
        }
    }
    return fmt::format(
        "Run these transactions at SERIALIZABLE, or lock what was only read (FOR UPDATE or FOR "
        "SHARE in {}), or let a constraint guard the rule that spans these rows.",
        where);
}

std::string advice_on_old_read(const Anomaly& anomaly) {
    if (anomaly.kind.order != Order::none) {
        return "The read came from an old state, as from a replica that lags behind: read what "
               "must be "
               "current from the primary.";
    }
    const auto read = std::find_if(anomaly.edges.begin(), anomaly.edges.end(), is_rw);
    return fmt::format(
        "Use a level at which all reads of a transaction come from one snapshot (REPEATABLE READ "
        "or "
        "stronger), or read with FOR SHARE in {}.",
        read == anomaly.edges.end() ? std::string{"the earlier statement"}
                                    : statement(read->from, read->from_statement));
}

}  // namespace

std::string advice(const Anomaly& anomaly) {
    switch (anomaly.kind.type) {
        case AnomalyType::lost_update:
            return advice_on_lost_update(
                *std::find_if(anomaly.edges.begin(), anomaly.edges.end(), is_rw));
        case AnomalyType::g_nonadjacent:
        case AnomalyType::g2:
            return anomaly.kind.predicate ? "Run these transactions at SERIALIZABLE: rows that do "
                                            "not exist yet cannot "
                                            "be locked. A unique or exclusion constraint helps "
                                            "where it can say the rule."
                                          : advice_on_skew(anomaly);
        case AnomalyType::g_single:
            if (anomaly.kind.predicate) {
                return "Run these transactions at SERIALIZABLE, or at a level with one snapshot.";
            }
            if (anomaly.kind.order == Order::none &&
                std::none_of(anomaly.edges.begin(), anomaly.edges.end(),
                             [](const CycleEdge& edge) { return edge.kind == EdgeKind::wr; })) {
                return advice_on_skew(anomaly);
            }
            return advice_on_old_read(anomaly);
        case AnomalyType::fractured_read:
        case AnomalyType::causal_violation:
        case AnomalyType::non_repeatable_read: return advice_on_old_read(anomaly);
        case AnomalyType::g1a:
        case AnomalyType::g1b:
        case AnomalyType::g1c:
        case AnomalyType::dirty_update:
            return "Use READ COMMITTED or stronger: something was used that was not committed.";
        case AnomalyType::g0:
        case AnomalyType::internal:
        case AnomalyType::future_read:
        case AnomalyType::incompatible_order:
        case AnomalyType::cyclic_versions:
        case AnomalyType::duplicate_elements:
        case AnomalyType::garbage_read:
            return "No level permits this: the database, or what stands between, lost or mixed up "
                   "writes. Keep the recording and report it.";
    }
    return {};
}

}  // namespace isotap::analysis
