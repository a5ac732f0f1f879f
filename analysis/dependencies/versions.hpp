#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "isotap/history/version.hpp"

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/mix.hpp"
#include "analysis/dependencies/pool.hpp"
#include "analysis/dependencies/rows.hpp"
#include "analysis/dependencies/transactions.hpp"

namespace isotap::analysis {

/// One state of one row, with its neighbours in the order of the row as far as they are proved.
struct VersionNode {
    history::Version name;
    Slot row = no_slot;
    Slot writer = no_slot;  ///< none: nobody whom the graph holds
    Slot previous = no_slot;
    Slot next = no_slot;
    Slot readers = no_slot;  ///< first
    Slot next_of_writer = no_slot;
    Slot next_of_row = no_slot;
    Slot previous_of_row = no_slot;
    std::uint32_t reader_count = 0;
    std::uint32_t tidy_at = 16;   ///< readers that are gone are dropped when there are as many
    Time ended{};                 ///< of its writer, once that is retired
    std::uint64_t list_hash = 0;  ///< of the writer list up to here, once one was walked
    bool ordered = false;         ///< what came before is known, or known to be nothing
    bool dead = false;            ///< the row is gone: nobody can see or overwrite this
    bool undone = false;          ///< rolled back, though its transaction committed
    bool settled = false;         ///< part of the past: its writer is retired, or a stranger
    bool retired = false;         ///< its writer was one of us, and committed
    bool emptied = false;         ///< its table was emptied since, and that has been told
};

/// How a version was seen: a current read, one that a write went by, and an update that wrote what
/// was there, are more than a look.
enum class Sight : std::uint8_t { plain, deciding, locking, overwriting };

struct Reader {
    history::TransactionId id{};
    Slot transaction = no_slot;
    std::uint32_t statement = 0;
    Slot next = no_slot;
    Sight sight = Sight::plain;
};

/// The versions of all rows: who made them, who read them, which follows which. Tells each edge to
/// the sink once, when the last of what it needs becomes known, in whatever order that comes.
class Versions {
  public:
    Versions(Transactions& transactions, Rows& rows, DependencySink& sink)
        : transactions_(transactions), rows_(rows), sink_(sink) {}

    /// The version of that name, made up if it was never heard of. None for one that is named by a
    /// retired transaction and is forgotten: old news, and a breach if somebody reads it.
    Slot of(Slot row, const history::Version& name);
    [[nodiscard]] Slot find(Slot row, const history::Version& name) const noexcept;
    VersionNode& operator[](Slot version) noexcept { return nodes_[version]; }
    const VersionNode& operator[](Slot version) const noexcept { return nodes_[version]; }

    /// A committed transaction saw the version.
    void add_reader(Slot version, Slot transaction, std::uint32_t statement, Sight sight);

    /// `next` came directly after `previous`.
    void link(Slot previous, Slot next);
    /// Nothing came before it.
    void mark_first(Slot version);
    void mark_undone(Slot version) { nodes_[version].undone = true; }
    void mark_dead(Slot version) { nodes_[version].dead = true; }

    /// Everything the transaction did is known and holds.
    void on_committed(Slot transaction);
    /// Nothing of what it did holds.
    void on_aborted(Slot transaction);

    /// The transaction leaves: what it overwrote goes with it, what it made becomes part of the
    /// past. Rows that are empty then go as well.
    void retire(Slot transaction);

    /// True if a committed transaction saw a version of this one, or overwrote it. A look at READ
    /// UNCOMMITTED says nothing.
    [[nodiscard]] bool was_seen(Slot transaction) const noexcept;

    /// The version goes by another name from now on.
    void rename(Slot version, const history::Version& name);

    [[nodiscard]] Dependency write_after(const VersionNode& from, const VersionNode& to) const;
    [[nodiscard]] Dependency read_of(const VersionNode& from, const Reader& reader) const;
    [[nodiscard]] Dependency read_before(const VersionNode& seen, const Reader& reader,
                                         const VersionNode& next) const;

    /// Two successors of one version whose writers were not known yet.
    void judge_forks();

    /// Forgets the row's last version if nothing that is alive depends on it.
    bool forget_row(Slot row);

    /// Aborted, or rolled back to a savepoint: known not to hold.
    [[nodiscard]] bool revoked(const VersionNode& node) const noexcept;
    /// Still held by the transaction table.
    [[nodiscard]] bool alive(const Reader& reader) const noexcept;
    [[nodiscard]] const Reader& reader(Slot slot) const noexcept { return readers_[slot]; }

    /// Calls `visit(version)` for each version that the transaction made.
    template <typename Visit>
    void for_each_of(Slot transaction, Visit visit) const {
        for (Slot at = transactions_[transaction].versions; at != no_slot;
             at = nodes_[at].next_of_writer) {
            visit(at);
        }
    }
    template <typename Visit>
    void for_each_reader(Slot version, Visit visit) const {
        for (Slot at = nodes_[version].readers; at != no_slot; at = readers_[at].next) {
            visit(readers_[at]);
        }
    }

    /// The row's newest version will be needed soon.
    void fetch_ahead(Slot row) const noexcept {
        if (const Slot newest = rows_[row].versions; newest != no_slot) {
            __builtin_prefetch(&nodes_[newest]);
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return nodes_.in_use(); }

  private:
    struct Key {
        std::uint64_t writer = 0;
        Slot row = no_slot;
        std::uint32_t statement = 0;
        history::VersionKind kind{};
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        using is_avalanching = void;
        std::size_t operator()(const Key& key) const noexcept {
            return mix(std::uint64_t{key.row} << 32U | key.statement, key.writer);
        }
    };
    struct Fork {
        Slot previous = no_slot;
        Slot next = no_slot;
    };

    static constexpr std::uint32_t walked_at_most = 8;

    static Key key_of(Slot row, const history::Version& name) noexcept;
    [[nodiscard]] bool committed(Slot transaction) const noexcept;
    [[nodiscard]] bool seen_committed(const VersionNode& node) const noexcept;
    void tell_write_after(const VersionNode& from, const VersionNode& to);
    void tell_read_of(const VersionNode& from, const Reader& reader);
    void tell_read_before(const VersionNode& seen, const Reader& reader, const VersionNode& next);
    void tell_link(Slot previous, Slot next);
    void set_ordered(VersionNode& node);
    void cut_out(Slot version);
    void drop(Slot version);
    void drop_if_past(Slot version);
    void leave_row(Slot version);
    void index_if_many(Slot row);
    void drop_readers(Slot version);
    void tidy_readers(VersionNode& node);
    [[nodiscard]] bool has_live_reader(VersionNode& node);
    bool judge(const Fork& fork);

    Transactions& transactions_;
    Rows& rows_;
    DependencySink& sink_;
    Pool<VersionNode> nodes_;
    Pool<Reader> readers_;
    boost::unordered_flat_map<Key, Slot, Hash> by_name_;  // of rows that are indexed
    std::vector<Fork> forks_;
};

}  // namespace isotap::analysis
