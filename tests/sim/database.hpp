#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::sim {

/// What may go wrong in the simulated engine, each on purpose and each in one place.
enum class Bug : std::uint8_t {
    none,
    lost_write,          ///< a snapshot transaction overwrites what it did not see
    stale_snapshot,      ///< a snapshot is older than what its session committed last
    dirty_read,          ///< a read sees a version that is not committed
    skipped_lock,        ///< a write overwrites a version that is not committed
    forked_version,      ///< two transactions overwrite the same version
    skipped_validation,  ///< a serializable transaction commits though its reads are old
    unrepeatable_read,   ///< a snapshot transaction sees a version newer than its snapshot
    phantom,             ///< a serializable transaction commits though rows appeared that match
};

enum class Reply : std::uint8_t { done, wait, must_abort };

/// A multi-version database of a few rows, one thread, no time of its own. Read uncommitted and
/// read committed lock what they write; snapshot also refuses to overwrite what it does not see;
/// serializable validates what it read when it commits, and so is strict.
class Database {
  public:
    struct Version {
        history::Version name;
        history::Version before;      ///< what it claims to have overwritten
        std::uint64_t committed = 0;  ///< sequence number; 0 with `owner` set: not yet
        history::TransactionId owner{};
    };
    struct Transaction {
        history::TransactionId id{};
        history::IsolationLevel level{};
        std::uint64_t snapshot = 0;
        std::uint64_t began = 0;  ///< what a snapshot should have been
        bool bugged = false;      ///< the bug showed in it, for everybody to see
        std::vector<std::size_t> written;
        struct Seen {
            std::size_t row;
            history::Version version;
            bool returned = true;  ///< false: a condition left it out
        };
        std::vector<Seen> seen;
    };

    Database(std::size_t rows, Bug bug, double bug_chance, std::mt19937_64& random);

    Transaction begin(history::TransactionId id, history::IsolationLevel level,
                      std::uint64_t session_committed);
    history::Version read(Transaction& transaction, std::size_t row);
    /// The same for a condition: whether the row is returned.
    bool matched(Transaction& transaction, std::size_t row, history::Version& seen);
    /// The one condition that there is.
    static bool matches(std::size_t row, const history::Version& version) noexcept;
    /// Sets `before` to what it overwrote when done.
    Reply write(Transaction& transaction, std::size_t row, history::Version made,
                history::Version& before);
    /// Done, or it must abort.
    Reply commit(Transaction& transaction);
    void abort(Transaction& transaction);
    /// The row is gone, for older snapshots as well. Nobody else has it in hand.
    void empty(std::size_t row);

    [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }

    /// Versions of a row, oldest first; the last ones may not be committed.
    [[nodiscard]] const std::vector<Version>& versions(std::size_t row) const { return rows_[row]; }

    /// Who saw, or wrote over, a version that did not stay.
    [[nodiscard]] const std::set<history::TransactionId>& misled() const noexcept {
        return misled_;
    }

    /// Who missed a row, for everybody to see: nobody wrote over it who might have been seen.
    [[nodiscard]] std::vector<history::TransactionId> phantoms() const;

  private:
    struct Miss {
        history::TransactionId reader{};
        std::size_t row = 0;
        history::Version version;     ///< that the reader should have seen
        std::uint64_t committed = 0;  ///< when the reader did
    };

    [[nodiscard]] const Version& visible(const Transaction& transaction, std::size_t row) const;
    [[nodiscard]] const Version& newest_committed(std::size_t row) const;
    [[nodiscard]] bool strikes(Bug bug);
    [[nodiscard]] bool is_old(const Transaction::Seen& seen) const;
    [[nodiscard]] bool only_misses(const Transaction& transaction) const;
    void note_misses(const Transaction& transaction);
    [[nodiscard]] bool relies_on(const Transaction& transaction, std::uint64_t writer) const;
    void forget_misses(const Transaction& overwriter, std::size_t row);
    void mislead(history::TransactionId writer, const history::Version& version);

    /// Who relied on a version that was not committed then.
    struct Reliance {
        history::TransactionId who{};
        history::Version version;
    };

    std::vector<std::vector<Version>> rows_;  ///< oldest first
    std::uint64_t sequence_ = 1;
    Bug bug_;
    double bug_chance_;
    std::mt19937_64& random_;
    std::vector<Reliance> reliances_;
    std::set<history::TransactionId> misled_;
    std::vector<Miss> misses_;
};

}  // namespace isotap::sim
