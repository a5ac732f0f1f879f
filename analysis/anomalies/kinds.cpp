#include <array>

#include "isotap/analysis/anomaly.hpp"
#include "isotap/analysis/engine.hpp"

namespace isotap::analysis {
namespace {

struct Words {
    AnomalyType type;
    std::string_view item;       ///< what we call it
    std::string_view predicate;  ///< the same where a condition has a part in it; empty: never
    std::string_view elle_item;  ///< where Elle has another word: read, never written
};

constexpr std::array<Words, anomaly_type_count> words{{
    {AnomalyType::g0, "G0", "", ""},
    {AnomalyType::g1a, "G1a", "", ""},
    {AnomalyType::g1b, "G1b", "", ""},
    {AnomalyType::g1c, "G1c", "", ""},
    {AnomalyType::g_single, "G-single", "G-single-predicate", "G-single-item"},
    {AnomalyType::g_nonadjacent, "G-nonadjacent", "G-nonadjacent-predicate", "G-nonadjacent-item"},
    {AnomalyType::g2, "G2-item", "G2", ""},
    {AnomalyType::lost_update, "lost-update", "", ""},
    {AnomalyType::fractured_read, "fractured-read", "", "G-single-item"},
    {AnomalyType::causal_violation, "causal-violation", "", "G-single-item"},
    {AnomalyType::non_repeatable_read, "non-repeatable-read", "", ""},
    {AnomalyType::internal, "internal", "", ""},
    {AnomalyType::future_read, "future-read", "", ""},
    {AnomalyType::dirty_update, "dirty-update", "", ""},
    {AnomalyType::incompatible_order, "incompatible-order", "", ""},
    {AnomalyType::cyclic_versions, "cyclic-versions", "", ""},
    {AnomalyType::duplicate_elements, "duplicate-elements", "", ""},
    {AnomalyType::garbage_read, "garbage-read", "", ""},
}};

constexpr std::string_view suffix(Order order) noexcept {
    switch (order) {
        case Order::none: return "";
        case Order::process: return "-process";
        case Order::real_time: return "-realtime";
    }
    return "";
}

bool strip(std::string_view& text, std::string_view ending) noexcept {
    if (!text.ends_with(ending)) {
        return false;
    }
    text.remove_suffix(ending.size());
    return true;
}

ModelSet cycle_violates(Model none, Model process, Model real_time, Order order) noexcept {
    switch (order) {
        case Order::none: return at_least(none);
        case Order::process: return at_least(process);
        case Order::real_time: return at_least(real_time);
    }
    return {};
}

ModelSet single_violates(AnomalyKind kind) noexcept {
    ModelSet models =
        cycle_violates(Model::consistent_view, Model::strong_session_snapshot_isolation,
                       Model::strong_snapshot_isolation, kind.order);
    if (kind.order == Order::none && !kind.predicate) {
        models |= at_least(Model::repeatable_read);
    }
    return models;
}

// Checkers of causal and read-atomic histories count the order of a session in; generalised
// snapshot isolation does not. So with it these two fall, and not all that implies them.
ModelSet visibility_violates(AnomalyKind kind, Model model) noexcept {
    ModelSet models = single_violates(kind);
    if (kind.order == Order::none) {
        return models | at_least(model);
    }
    if (kind.order == Order::process) {
        models.add(model).add(Model::causal);
    }
    return models;
}

}  // namespace

std::string name_of(AnomalyKind kind) {
    const Words& entry = words[static_cast<std::size_t>(kind.type)];
    std::string name{kind.predicate && !entry.predicate.empty() ? entry.predicate : entry.item};
    return name.append(suffix(kind.order));
}

bool kind_from(std::string_view name, AnomalyKind& kind) noexcept {
    AnomalyKind found;
    if (strip(name, "-process")) {
        found.order = Order::process;
    } else if (strip(name, "-realtime")) {
        found.order = Order::real_time;
    }
    for (const Words& entry : words) {
        const bool item =
            name == entry.item || (!entry.elle_item.empty() && name == entry.elle_item);
        if (item || (!entry.predicate.empty() && name == entry.predicate)) {
            found.type = entry.type;
            found.predicate = !item;
            kind = found;
            return true;
        }
    }
    return false;
}

ModelSet violated_by(AnomalyKind kind) noexcept {
    switch (kind.type) {
        case AnomalyType::g0:
            return cycle_violates(Model::read_uncommitted, Model::strong_session_read_uncommitted,
                                  Model::strong_read_uncommitted, kind.order);
        case AnomalyType::g1c:
            return cycle_violates(Model::read_committed, Model::strong_session_read_committed,
                                  Model::strong_read_committed, kind.order);
        case AnomalyType::g_single: return single_violates(kind);
        case AnomalyType::g_nonadjacent: {
            ModelSet models =
                cycle_violates(Model::snapshot_isolation, Model::strong_session_snapshot_isolation,
                               Model::strong_snapshot_isolation, kind.order);
            if (kind.order == Order::none && !kind.predicate) {
                models |= at_least(Model::repeatable_read);
            }
            return models;
        }
        case AnomalyType::g2:
            return cycle_violates(kind.predicate ? Model::serializable : Model::repeatable_read,
                                  Model::strong_session_serializable, Model::strict_serializable,
                                  kind.order);
        case AnomalyType::lost_update:
            return at_least(Model::cursor_stability) | at_least(Model::update_atomic);
        case AnomalyType::fractured_read: return visibility_violates(kind, Model::read_atomic);
        case AnomalyType::causal_violation: return visibility_violates(kind, Model::causal);
        case AnomalyType::non_repeatable_read:
            return at_least(Model::read_atomic) | at_least(Model::consistent_view) |
                   at_least(Model::repeatable_read);
        case AnomalyType::internal: return at_least(Model::read_atomic);
        case AnomalyType::g1a:
        case AnomalyType::g1b:
        case AnomalyType::future_read:
        case AnomalyType::dirty_update:
        case AnomalyType::incompatible_order:
        case AnomalyType::garbage_read: return at_least(Model::read_committed);
        case AnomalyType::cyclic_versions:
        case AnomalyType::duplicate_elements: return at_least(Model::read_uncommitted);
    }
    return {};
}

std::string_view to_string(EdgeKind kind) noexcept {
    switch (kind) {
        case EdgeKind::ww: return "ww";
        case EdgeKind::wr: return "wr";
        case EdgeKind::rw: return "rw";
        case EdgeKind::session: return "session";
        case EdgeKind::real_time: return "real-time";
    }
    return "";
}

std::string_view to_string(Severity severity) noexcept {
    return severity == Severity::violation ? "violation" : "hazard";
}

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::clean: return "clean";
        case Verdict::hazard: return "hazard";
        case Verdict::violation: return "violation";
        case Verdict::unknown: return "unknown";
    }
    return "";
}

}  // namespace isotap::analysis
