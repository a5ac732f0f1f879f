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
        };
        std::vector<Seen> seen;
    };

    Database(std::size_t rows, Bug bug, double bug_chance, std::mt19937_64& random);

    Transaction begin(history::TransactionId id, history::IsolationLevel level,
                      std::uint64_t session_committed);
    history::Version read(Transaction& transaction, std::size_t row);
    /// Sets `before` to what it overwrote when done.
    Reply write(Transaction& transaction, std::size_t row, history::Version made,
                history::Version& before);
    /// Done, or it must abort.
    Reply commit(Transaction& transaction);
    void abort(Transaction& transaction);

    [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }

    /// Who saw, or wrote over, a version that did not stay.
    [[nodiscard]] const std::set<history::TransactionId>& misled() const noexcept {
        return misled_;
    }

  private:
    [[nodiscard]] const Version& visible(const Transaction& transaction, std::size_t row) const;
    [[nodiscard]] const Version& newest_committed(std::size_t row) const;
    [[nodiscard]] bool strikes(Bug bug);
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
};

}  // namespace isotap::sim
