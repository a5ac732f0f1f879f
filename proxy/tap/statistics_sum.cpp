#include "proxy/tap/statistics_sum.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace isotap::proxy {

using analysis::Statistics;
using analysis::Verdict;

void add_to(Statistics& sum, const Statistics& more) {
    sum.transactions.committed += more.transactions.committed;
    sum.transactions.aborted += more.transactions.aborted;
    sum.transactions.indeterminate += more.transactions.indeterminate;
    sum.transactions.incomplete += more.transactions.incomplete;
    sum.coverage.statements += more.coverage.statements;
    sum.coverage.full += more.coverage.full;
    sum.coverage.partial += more.coverage.partial;
    sum.coverage.opaque += more.coverage.opaque;
    for (const analysis::CoverageReason& reason : more.coverage.reasons) {
        auto& reasons = sum.coverage.reasons;
        const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& other) {
            return other.reason == reason.reason;
        });
        if (known == reasons.end()) {
            reasons.push_back(reason);
        } else {
            known->count += reason.count;
        }
    }
    sum.accesses += more.accesses;
    sum.edges += more.edges;
    sum.gaps += more.gaps;
    sum.hazards += more.hazards;
    sum.violations += more.violations;
    sum.excused += more.excused;
    sum.more_witnesses += more.more_witnesses;
    sum.unresolved += more.unresolved;
    sum.searches += more.searches;
    sum.live = more.live;
    sum.retired += more.retired;
    sum.forced += more.forced;
    sum.breaches += more.breaches;
}

std::vector<std::string> doubts_of(const Statistics& statistics, std::uint64_t restarts) {
    std::vector<std::string> doubts;
    const auto doubt = [&doubts](std::uint64_t count, std::string_view what) {
        if (count > 0) {
            doubts.push_back(fmt::format("{} {}", count, what));
        }
    };
    const auto& coverage = statistics.coverage;
    if (coverage.full + coverage.partial + coverage.opaque == 0) {
        doubts.emplace_back(
            "no statement was captured: none that touches rows came by, or the mode is not "
            "instrument");
    }
    doubt(coverage.opaque, "statements were not captured");
    doubt(coverage.partial, "statements were captured in part");
    doubt(statistics.transactions.incomplete, "transactions are incomplete");
    doubt(statistics.gaps, "events were lost or contradict each other");
    doubt(restarts, "times so much was lost that analysis began anew");
    doubt(statistics.forced, "transactions were forgotten before they were settled");
    doubt(statistics.breaches, "dependencies on transactions that were forgotten");
    doubt(statistics.more_witnesses, "dependencies in cycles were not looked at");
    return doubts;
}

Verdict verdict_of(const Statistics& statistics, std::uint64_t restarts) {
    if (statistics.violations != 0) {
        return Verdict::violation;
    }
    if (statistics.hazards != 0) {
        return Verdict::hazard;
    }
    return doubts_of(statistics, restarts).empty() ? Verdict::clean : Verdict::unknown;
}

}  // namespace isotap::proxy
