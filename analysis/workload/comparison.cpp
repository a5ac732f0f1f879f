#include "analysis/workload/comparison.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace isotap::workload {
namespace {

/// What is known of one statement after the run.
struct Seen {
    const Event* wait = nullptr;
    const Event* end = nullptr;
    bool dropped = false;
};

std::vector<Seen> seen_by_turn(const std::vector<Turn>& order, const Run& run) {
    std::vector<Seen> all(order.size());
    for (const Event& event : run.events) {
        switch (event.happening) {
            case Happening::waits: all[event.turn].wait = &event; break;
            case Happening::ended: all[event.turn].end = &event; break;
            case Happening::dropped: all[event.turn].dropped = true; break;
            case Happening::added:
            case Happening::told: break;
        }
    }
    return all;
}

std::vector<Row> sorted(std::vector<Row> rows) {
    std::sort(rows.begin(), rows.end());
    return rows;
}

bool same_rows(const std::vector<Row>& a, const std::vector<Row>& b) {
    return sorted(a) == sorted(b);
}

bool is_error(const Answer& answer, const std::string& code) {
    return answer.failed &&
           (code.empty() || code == answer.state || code == std::to_string(answer.number));
}

std::string happened(const Answer& answer) {
    if (answer.failed) {
        return fmt::format("error {} {}: {}", answer.state, answer.number, answer.message);
    }
    if (answer.returns_rows) return "rows " + rows_text(answer.rows);
    return fmt::format("{} rows changed", answer.affected);
}

bool blocked_as(const Seen& seen, const Claim& claim) {
    if (seen.wait == nullptr) return false;
    std::vector<std::size_t> wanted = claim.sessions;
    std::sort(wanted.begin(), wanted.end());
    return wanted.empty() || wanted == seen.wait->blockers;
}

bool holds(const Claim& claim, const Seen& seen, const Run& run) {
    const Answer* answer = seen.end == nullptr ? nullptr : &seen.end->answer;
    switch (claim.kind) {
        case ClaimKind::rows:
            return answer != nullptr && answer->returns_rows && !answer->failed &&
                   same_rows(answer->rows, claim.rows);
        case ClaimKind::affected:
            return answer != nullptr && !answer->failed && answer->affected == claim.count;
        case ClaimKind::blocked: return blocked_as(seen, claim);
        case ClaimKind::error: return answer != nullptr && is_error(*answer, claim.word);
        case ClaimKind::done: return answer != nullptr && !answer->failed;
        case ClaimKind::table: {
            const auto table = run.tables.find(claim.word);
            return table != run.tables.end() && same_rows(table->second, claim.rows);
        }
        case ClaimKind::anomaly:
        case ClaimKind::outcome: return true;  // they are compared by themselves
    }
    return false;
}

std::string wanted_text(const Claim& claim) {
    switch (claim.kind) {
        case ClaimKind::rows: return "rows " + rows_text(claim.rows);
        case ClaimKind::affected: return fmt::format("{} rows changed", claim.count);
        case ClaimKind::blocked: return "to be blocked";
        case ClaimKind::error: return "error " + claim.word;
        case ClaimKind::done: return "success";
        case ClaimKind::table: return fmt::format("table {} {}", claim.word, rows_text(claim.rows));
        case ClaimKind::anomaly:
            return fmt::format("anomaly {}{}{}", claim.word, claim.severity.empty() ? "" : " as ",
                               claim.severity);
        case ClaimKind::outcome: return fmt::format("outcome {}", to_string(claim.fate));
    }
    return {};
}

std::string blocked_text(const Scenario& scenario, const Seen& seen) {
    if (seen.wait == nullptr) return "it was not blocked";
    std::string by;
    for (const std::size_t session : seen.wait->blockers) {
        by += (by.empty() ? " by " : ", ") + scenario.sessions[session].name;
    }
    return "it was blocked" + by;
}

bool is_meant(const FoundAnomaly& anomaly, const Claim& claim) {
    return anomaly.name == claim.word &&
           (claim.severity.empty() || claim.severity == anomaly.severity);
}

/// The first of its kind that applies.
const Claim* applying(const std::vector<Claim>& claims, ClaimKind kind, const Setting& setting) {
    for (const Claim& claim : claims) {
        if (claim.kind == kind && claim.condition.holds(setting)) return &claim;
    }
    return nullptr;
}

class Comparison {
  public:
    Comparison(const Scenario& scenario, const std::vector<Turn>& order, const Run& run)
        : scenario_(scenario), order_(order), run_(run), seen_(seen_by_turn(order, run)) {}

    std::vector<Difference> all() {
        if (!scenario_.expects()) return {};
        for (std::size_t turn = 0; turn < order_.size(); ++turn) {
            if (!seen_[turn].dropped) compare_step(scenario_.steps[order_[turn].step], seen_[turn]);
        }
        compare_end();
        return std::move(found_);
    }

  private:
    void compare_step(const Step& step, const Seen& seen) {
        const Setting& setting = run_.setting;
        const Claim* error = applying(step.expected, ClaimKind::error, setting);
        const bool failed = seen.end != nullptr && seen.end->answer.failed;
        if (error != nullptr && !holds(*error, seen, run_)) report(*error, seen);
        if (error == nullptr && failed) {
            found_.push_back({step.place, fmt::format("no error was expected, there was {}",
                                                      happened(seen.end->answer))});
        }
        const Claim* blocked = applying(step.expected, ClaimKind::blocked, setting);
        if (blocked != nullptr && !blocked_as(seen, *blocked)) {
            found_.push_back({blocked->place, fmt::format("expected to be blocked, {}",
                                                          blocked_text(scenario_, seen))});
        }
        if (blocked == nullptr && seen.wait != nullptr) {
            found_.push_back({step.place, fmt::format("no wait was expected, {}",
                                                      blocked_text(scenario_, seen))});
        }
        if (failed) return;
        for (const ClaimKind kind : {ClaimKind::rows, ClaimKind::affected, ClaimKind::done}) {
            const Claim* claim = applying(step.expected, kind, setting);
            if (claim != nullptr && error == nullptr && !holds(*claim, seen, run_)) {
                report(*claim, seen);
            }
        }
    }

    void report(const Claim& claim, const Seen& seen) {
        found_.push_back(
            {claim.place, fmt::format("expected {}, there was {}", wanted_text(claim),
                                      seen.end == nullptr ? std::string("no answer")
                                                          : happened(seen.end->answer))});
    }

    void compare_end() {
        std::vector<std::string> done;
        for (const Claim& claim : scenario_.expected) {
            if (!claim.condition.holds(run_.setting)) continue;
            if (claim.kind != ClaimKind::table) continue;
            if (std::find(done.begin(), done.end(), claim.word) != done.end()) continue;
            done.push_back(claim.word);
            compare_table(claim);
        }
        if (run_.sighting.anomalies) compare_anomalies(*run_.sighting.anomalies);
        const Claim* outcome = applying(scenario_.expected, ClaimKind::outcome, run_.setting);
        const Fate fate = fate_of(scenario_, order_, run_);
        if (outcome != nullptr && outcome->fate != fate) {
            found_.push_back({outcome->place, fmt::format("expected {}, it was {}",
                                                          wanted_text(*outcome), to_string(fate))});
        }
    }

    /// All that is expected is found, and nothing else.
    void compare_anomalies(const std::vector<FoundAnomaly>& found) {
        std::vector<const Claim*> wanted;
        for (const Claim& claim : scenario_.expected) {
            if (claim.kind == ClaimKind::anomaly && claim.condition.holds(run_.setting)) {
                wanted.push_back(&claim);
            }
        }
        for (const Claim* claim : wanted) {
            if (std::none_of(found.begin(), found.end(), [&](const FoundAnomaly& anomaly) {
                    return is_meant(anomaly, *claim);
                })) {
                found_.push_back({claim->place, fmt::format("expected {}, it was not found",
                                                            wanted_text(*claim))});
            }
        }
        for (const FoundAnomaly& anomaly : found) {
            if (std::none_of(wanted.begin(), wanted.end(),
                             [&](const Claim* claim) { return is_meant(anomaly, *claim); })) {
                found_.push_back({{},
                                  fmt::format("expected no anomaly {}, there was one as {}",
                                              anomaly.name, anomaly.severity)});
            }
        }
    }

    void compare_table(const Claim& claim) {
        const auto table = run_.tables.find(claim.word);
        if (table == run_.tables.end()) {
            found_.push_back({claim.place, fmt::format("table {} cannot be read", claim.word)});
        } else if (!same_rows(table->second, claim.rows)) {
            found_.push_back(
                {claim.place, fmt::format("expected {}, there was {}", wanted_text(claim),
                                          rows_text(table->second))});
        }
    }

    const Scenario& scenario_;
    const std::vector<Turn>& order_;
    const Run& run_;
    std::vector<Seen> seen_;
    std::vector<Difference> found_;
};

}  // namespace

std::vector<Difference> differences(const Scenario& scenario, const std::vector<Turn>& order,
                                    const Run& run) {
    return Comparison(scenario, order, run).all();
}

Fate fate_of(const Scenario& scenario, const std::vector<Turn>& order, const Run& run) {
    const std::vector<Seen> seen = seen_by_turn(order, run);
    bool any = false;
    bool all = true;
    const auto look = [&](const Claim& claim, const Seen& at) {
        if (!claim.condition.holds(run.setting)) return;
        any = true;
        all = all && holds(claim, at, run);
    };
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
        for (const Claim& claim : scenario.steps[order[turn].step].symptoms) {
            look(claim, seen[turn]);
        }
    }
    for (const Claim& claim : scenario.symptoms) {
        look(claim, {});
    }
    if (any && all) return Fate::happens;
    const auto is = [&](auto test) {
        return std::any_of(run.events.begin(), run.events.end(), test);
    };
    if (is([](const Event& event) { return event.answer.conflict; })) return Fate::aborted;
    if (is([](const Event& event) { return event.happening == Happening::waits; })) {
        return Fate::blocked;
    }
    return Fate::prevented;
}

}  // namespace isotap::workload
