#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Isolation models and how they imply one another. Pure values; safe from every thread.
namespace isotap::analysis {

/// What a history may be checked against, weaker before stronger (a linear extension of the
/// lattice). The names are those of the literature, see `to_string`.
enum class Model : std::uint8_t {
    read_uncommitted,  ///< PL-1
    strong_session_read_uncommitted,
    strong_read_uncommitted,
    read_committed,  ///< PL-2
    strong_session_read_committed,
    strong_read_committed,
    monotonic_atomic_view,
    monotonic_view,    ///< PL-2L
    cursor_stability,  ///< PL-CS
    read_atomic,
    update_atomic,  ///< read atomic, and no update is lost
    causal,
    prefix,
    parallel_snapshot_isolation,
    consistent_view,          ///< PL-2+
    forward_consistent_view,  ///< PL-FCV
    snapshot_isolation,       ///< generalised: the snapshot may be old, even for its own session
    strong_session_snapshot_isolation,
    strong_snapshot_isolation,
    repeatable_read,      ///< PL-2.99: all but phantoms
    update_serializable,  ///< PL-3U
    serializable,         ///< PL-3
    strong_session_serializable,
    strict_serializable,  ///< PL-SS
};
inline constexpr std::size_t model_count = 24;

/// The name as the command line and reports use it: "snapshot-isolation".
std::string_view to_string(Model model) noexcept;

/// Adya's short name where there is one ("PL-2.99"), else the same as `to_string`.
std::string_view short_name(Model model) noexcept;

/// Takes both kinds of names; nothing for a word that is none.
std::optional<Model> model_from(std::string_view name) noexcept;

class ModelSet {
  public:
    constexpr ModelSet() noexcept = default;
    constexpr explicit ModelSet(Model model) noexcept : bits_(bit(model)) {}

    [[nodiscard]] constexpr bool has(Model model) const noexcept {
        return (bits_ & bit(model)) != 0;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
    [[nodiscard]] constexpr int size() const noexcept { return std::popcount(bits_); }
    constexpr ModelSet& add(Model model) noexcept { return *this |= ModelSet{model}; }

    constexpr ModelSet& operator|=(ModelSet other) noexcept {
        bits_ |= other.bits_;
        return *this;
    }
    friend constexpr ModelSet operator|(ModelSet a, ModelSet b) noexcept { return a |= b; }
    friend constexpr ModelSet operator&(ModelSet a, ModelSet b) noexcept {
        a.bits_ &= b.bits_;
        return a;
    }
    friend constexpr ModelSet operator-(ModelSet a, ModelSet b) noexcept {
        a.bits_ &= ~b.bits_;
        return a;
    }
    friend constexpr bool operator==(ModelSet, ModelSet) noexcept = default;

    /// Weaker before stronger.
    [[nodiscard]] std::vector<Model> list() const;

  private:
    static constexpr std::uint32_t bit(Model model) noexcept {
        return std::uint32_t{1} << static_cast<unsigned>(model);
    }
    std::uint32_t bits_ = 0;
};

/// The model and all that it implies: a history of `model` is one of each of them.
ModelSet implied_by(Model model) noexcept;

/// The model and all that imply it: a history that breaks `model` breaks each of them.
ModelSet at_least(Model model) noexcept;

/// What a history violates: the weakest models (`:not` in Elle's words), and the stronger ones that
/// fall with them (`:also-not`).
struct Boundary {
    ModelSet weakest;
    ModelSet also;

    friend bool operator==(const Boundary&, const Boundary&) noexcept = default;
};
Boundary boundary_of(ModelSet violated) noexcept;

}  // namespace isotap::analysis
