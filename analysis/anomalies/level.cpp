#include "isotap/analysis/level.hpp"

#include <array>

namespace isotap::analysis {
namespace {

struct Known {
    Model model;
    std::string_view name;
    std::string_view short_name;
};

// In the order of the enumeration.
constexpr std::array<Known, model_count> known{{
    {Model::read_uncommitted, "read-uncommitted", "PL-1"},
    {Model::strong_session_read_uncommitted, "strong-session-read-uncommitted", ""},
    {Model::strong_read_uncommitted, "strong-read-uncommitted", ""},
    {Model::read_committed, "read-committed", "PL-2"},
    {Model::strong_session_read_committed, "strong-session-read-committed", ""},
    {Model::strong_read_committed, "strong-read-committed", ""},
    {Model::monotonic_atomic_view, "monotonic-atomic-view", ""},
    {Model::monotonic_view, "monotonic-view", "PL-2L"},
    {Model::cursor_stability, "cursor-stability", "PL-CS"},
    {Model::read_atomic, "read-atomic", ""},
    {Model::update_atomic, "update-atomic", ""},
    {Model::causal, "causal", ""},
    {Model::prefix, "prefix", ""},
    {Model::parallel_snapshot_isolation, "parallel-snapshot-isolation", ""},
    {Model::consistent_view, "consistent-view", "PL-2+"},
    {Model::forward_consistent_view, "forward-consistent-view", "PL-FCV"},
    {Model::snapshot_isolation, "snapshot-isolation", "PL-SI"},
    {Model::strong_session_snapshot_isolation, "strong-session-snapshot-isolation", ""},
    {Model::strong_snapshot_isolation, "strong-snapshot-isolation", ""},
    {Model::repeatable_read, "repeatable-read", "PL-2.99"},
    {Model::update_serializable, "update-serializable", "PL-3U"},
    {Model::serializable, "serializable", "PL-3"},
    {Model::strong_session_serializable, "strong-session-serializable", ""},
    {Model::strict_serializable, "strict-serializable", "PL-SS"},
}};

struct Implication {
    Model stronger;
    Model weaker;
};

// Adya's thesis; Bailis et al. for the atomic views; Cerone et al. for causal, prefix and parallel
// snapshots; Daudjee and Salem for the session variants.
constexpr Implication implications[] = {
    {Model::strong_session_read_uncommitted, Model::read_uncommitted},
    {Model::strong_read_uncommitted, Model::strong_session_read_uncommitted},
    {Model::read_committed, Model::read_uncommitted},
    {Model::strong_session_read_committed, Model::read_committed},
    {Model::strong_session_read_committed, Model::strong_session_read_uncommitted},
    {Model::strong_read_committed, Model::strong_session_read_committed},
    {Model::strong_read_committed, Model::strong_read_uncommitted},
    {Model::monotonic_atomic_view, Model::read_committed},
    {Model::monotonic_view, Model::read_committed},
    {Model::cursor_stability, Model::read_committed},
    {Model::read_atomic, Model::monotonic_atomic_view},
    {Model::update_atomic, Model::read_atomic},
    {Model::causal, Model::read_atomic},
    {Model::prefix, Model::causal},
    {Model::parallel_snapshot_isolation, Model::causal},
    {Model::parallel_snapshot_isolation, Model::update_atomic},
    {Model::consistent_view, Model::cursor_stability},
    {Model::consistent_view, Model::monotonic_view},
    {Model::forward_consistent_view, Model::consistent_view},
    {Model::snapshot_isolation, Model::forward_consistent_view},
    {Model::snapshot_isolation, Model::parallel_snapshot_isolation},
    {Model::snapshot_isolation, Model::prefix},
    {Model::strong_session_snapshot_isolation, Model::snapshot_isolation},
    {Model::strong_session_snapshot_isolation, Model::strong_session_read_committed},
    {Model::strong_snapshot_isolation, Model::strong_session_snapshot_isolation},
    {Model::strong_snapshot_isolation, Model::strong_read_committed},
    {Model::repeatable_read, Model::cursor_stability},
    {Model::repeatable_read, Model::monotonic_atomic_view},
    {Model::update_serializable, Model::forward_consistent_view},
    {Model::serializable, Model::repeatable_read},
    {Model::serializable, Model::update_serializable},
    {Model::serializable, Model::snapshot_isolation},
    {Model::strong_session_serializable, Model::serializable},
    {Model::strong_session_serializable, Model::strong_session_snapshot_isolation},
    {Model::strict_serializable, Model::strong_session_serializable},
    {Model::strict_serializable, Model::strong_snapshot_isolation},
};

struct Closures {
    std::array<ModelSet, model_count> down;
    std::array<ModelSet, model_count> up;
};

// The enumeration is a linear extension: one pass up for `down`, one pass back for `up`.
constexpr Closures close() {
    Closures closures;
    for (std::size_t i = 0; i < model_count; ++i) {
        closures.down[i] = ModelSet{static_cast<Model>(i)};
        closures.up[i] = ModelSet{static_cast<Model>(i)};
    }
    for (std::size_t i = 0; i < model_count; ++i) {
        for (const Implication& rule : implications) {
            if (static_cast<std::size_t>(rule.stronger) == i) {
                closures.down[i] |= closures.down[static_cast<std::size_t>(rule.weaker)];
            }
        }
    }
    for (std::size_t i = model_count; i-- > 0;) {
        for (const Implication& rule : implications) {
            if (static_cast<std::size_t>(rule.weaker) == i) {
                closures.up[i] |= closures.up[static_cast<std::size_t>(rule.stronger)];
            }
        }
    }
    return closures;
}

constexpr Closures closures = close();

}  // namespace

std::string_view to_string(Model model) noexcept {
    return known[static_cast<std::size_t>(model)].name;
}

std::string_view short_name(Model model) noexcept {
    const Known& entry = known[static_cast<std::size_t>(model)];
    return entry.short_name.empty() ? entry.name : entry.short_name;
}

std::optional<Model> model_from(std::string_view name) noexcept {
    for (const Known& entry : known) {
        if (name == entry.name || (!entry.short_name.empty() && name == entry.short_name)) {
            return entry.model;
        }
    }
    if (name == "strong-serializable") {
        return Model::strict_serializable;
    }
    return std::nullopt;
}

std::vector<Model> ModelSet::list() const {
    std::vector<Model> models;
    for (const Known& entry : known) {
        if (has(entry.model)) {
            models.push_back(entry.model);
        }
    }
    return models;
}

ModelSet implied_by(Model model) noexcept {
    return closures.down[static_cast<std::size_t>(model)];
}

ModelSet at_least(Model model) noexcept {
    return closures.up[static_cast<std::size_t>(model)];
}

Boundary boundary_of(ModelSet violated) noexcept {
    Boundary boundary;
    for (const Known& entry : known) {
        if (!violated.has(entry.model)) {
            continue;
        }
        const ModelSet weaker_too = (implied_by(entry.model) - ModelSet{entry.model}) & violated;
        (weaker_too.empty() ? boundary.weakest : boundary.also).add(entry.model);
    }
    return boundary;
}

}  // namespace isotap::analysis
