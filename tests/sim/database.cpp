#include "tests/sim/database.hpp"

#include <algorithm>

namespace isotap::sim {

using history::IsolationLevel;

Database::Database(std::size_t rows, Bug bug, double bug_chance, std::mt19937_64& random)
    : rows_(rows), bug_(bug), bug_chance_(bug_chance), random_(random) {
    for (auto& versions : rows_) {
        versions.push_back(
            {history::Version::initial(), history::Version::unborn(), sequence_, {}});
    }
}

bool Database::strikes(Bug bug) {
    return bug == bug_ && std::bernoulli_distribution{bug_chance_}(random_);
}

Database::Transaction Database::begin(history::TransactionId id, IsolationLevel level,
                                      std::uint64_t session_committed) {
    Transaction transaction;
    transaction.id = id;
    transaction.level = level;
    transaction.snapshot = sequence_;
    transaction.began = sequence_;
    if (session_committed > 1 && strikes(Bug::stale_snapshot)) {
        transaction.snapshot = session_committed - 1;
    }
    return transaction;
}

const Database::Version& Database::newest_committed(std::size_t row) const {
    const auto& versions = rows_[row];
    return *std::find_if(versions.rbegin(), versions.rend(),
                         [](const Version& version) { return version.committed != 0; });
}

const Database::Version& Database::visible(const Transaction& transaction, std::size_t row) const {
    const auto& versions = rows_[row];
    const auto own = std::find_if(versions.rbegin(), versions.rend(), [&](const Version& version) {
        return version.owner == transaction.id;
    });
    if (own != versions.rend()) {
        return *own;
    }
    switch (transaction.level) {
        case IsolationLevel::read_uncommitted: return versions.back();
        case IsolationLevel::read_committed:
        case IsolationLevel::serializable: return newest_committed(row);
        default: break;
    }
    return *std::find_if(versions.rbegin(), versions.rend(), [&](const Version& version) {
        return version.committed != 0 && version.committed <= transaction.snapshot;
    });
}

history::Version Database::read(Transaction& transaction, std::size_t row) {
    const Version* version = &visible(transaction, row);
    if (version->owner == transaction.id) {
        return version->name;
    }
    const Version& newest = rows_[row].back();
    const Version& committed = newest_committed(row);
    const bool snapshot = transaction.level == IsolationLevel::snapshot;
    if (newest.committed == 0 && newest.owner != transaction.id && strikes(Bug::dirty_read)) {
        version = &newest;
        reliances_.push_back({transaction.id, version->name});
    } else if (snapshot && committed.committed > transaction.snapshot &&
               strikes(Bug::unrepeatable_read)) {
        version = &committed;
    }
    // Overwritten before the transaction began: no honest snapshot shows it.
    const auto& versions = rows_[row];
    const bool stale = std::any_of(versions.begin(), versions.end(), [&](const Version& other) {
        return version->committed != 0 && other.committed > version->committed &&
               other.committed <= transaction.began;
    });
    const bool changed = std::any_of(
        transaction.seen.begin(), transaction.seen.end(),
        [&](const auto& seen) { return seen.row == row && seen.version != version->name; });
    transaction.bugged = transaction.bugged || (snapshot && (stale || changed));
    transaction.seen.push_back({row, version->name, true});
    return version->name;
}

void Database::empty(std::size_t row) {
    rows_[row].assign(1, {history::Version::dead(), history::Version::unborn(), 1, {}});
}

bool Database::matches(std::size_t row, const history::Version& version) noexcept {
    const std::uint64_t mixed =
        (version.writer * 31 + version.statement * 7 + row) * 0x9E3779B97F4A7C15ULL;
    return (mixed >> 40U) % 3 == 0;
}

bool Database::matched(Transaction& transaction, std::size_t row, history::Version& seen) {
    const std::size_t before = transaction.seen.size();
    seen = read(transaction, row);
    const bool returned = matches(row, seen);
    if (transaction.seen.size() > before) {
        transaction.seen.back().returned = returned;
    }
    return returned;
}

Reply Database::write(Transaction& transaction, std::size_t row, history::Version made,
                      history::Version& before) {
    auto& versions = rows_[row];
    const bool own = versions.back().owner == transaction.id;
    if (!own && versions.back().committed == 0) {
        if (!strikes(Bug::skipped_lock)) {
            return Reply::wait;
        }
        const history::TransactionId other = versions.back().owner;
        for (const Reliance& earlier : reliances_) {
            if (earlier.who == other &&
                history::TransactionId{earlier.version.writer} == transaction.id) {
                misled_.insert({other, transaction.id});  // each wrote over the other
            }
        }
        reliances_.push_back({transaction.id, versions.back().name});
    }
    before = versions.back().name;
    if (!own && transaction.level == IsolationLevel::snapshot &&
        newest_committed(row).committed > transaction.snapshot) {
        if (strikes(Bug::forked_version)) {
            before = visible(transaction, row).name;
            transaction.bugged =
                transaction.bugged ||
                std::any_of(versions.begin(), versions.end(), [&before](const Version& other) {
                    return other.committed != 0 && other.before == before;
                });
        } else if (strikes(Bug::lost_write)) {
            transaction.bugged = transaction.bugged ||
                                 std::any_of(transaction.seen.begin(), transaction.seen.end(),
                                             [row](const auto& seen) { return seen.row == row; });
        } else {
            return Reply::must_abort;
        }
    }
    if (own) {
        mislead(transaction.id, before);
    }
    versions.push_back({made, before, 0, transaction.id});
    transaction.written.push_back(row);
    return Reply::done;
}

/// The version turns out not to be what its writer leaves.
void Database::mislead(history::TransactionId writer, const history::Version& version) {
    for (const Reliance& reliance : reliances_) {
        if (reliance.version == version && reliance.who != writer) {
            misled_.insert(reliance.who);
        }
    }
}

bool Database::is_old(const Transaction::Seen& seen) const {
    return newest_committed(seen.row).name != seen.version;
}

/// All that changed since is rows that a condition left out.
bool Database::only_misses(const Transaction& transaction) const {
    return std::none_of(transaction.seen.begin(), transaction.seen.end(),
                        [this](const auto& seen) { return seen.returned && is_old(seen); });
}

bool Database::relies_on(const Transaction& transaction, std::uint64_t writer) const {
    const bool read = std::any_of(
        transaction.seen.begin(), transaction.seen.end(),
        [writer](const auto& seen) { return seen.returned && seen.version.writer == writer; });
    return read || std::any_of(transaction.written.begin(), transaction.written.end(),
                               [&](std::size_t row) {
                                   return std::any_of(rows_[row].begin(), rows_[row].end(),
                                                      [&](const Version& version) {
                                                          return version.owner == transaction.id &&
                                                                 version.before.writer == writer;
                                                      });
                               });
}

/// Somebody made a row match that the transaction did not get, and the transaction read or wrote
/// over something else of him: it comes before him and after him.
void Database::note_misses(const Transaction& transaction) {
    for (const auto& seen : transaction.seen) {
        const Version& newest = newest_committed(seen.row);
        if (!seen.returned && newest.before == seen.version && matches(seen.row, newest.name) &&
            relies_on(transaction, newest.name.writer)) {
            misses_.push_back({transaction.id, seen.row, newest.name, sequence_ + 1});
        }
    }
}

/// The version was overwritten by one who overlapped the reader: who says what the reader saw?
void Database::forget_misses(const Transaction& overwriter, std::size_t row) {
    std::erase_if(misses_, [&](const Miss& miss) {
        const auto& all = rows_[row];
        return miss.row == row && miss.reader != overwriter.id &&
               overwriter.began < miss.committed &&
               std::any_of(all.begin(), all.end(), [&](const Version& version) {
                   return version.owner == overwriter.id && version.before == miss.version;
               });
    });
}

std::vector<history::TransactionId> Database::phantoms() const {
    std::vector<history::TransactionId> readers;
    for (const Miss& miss : misses_) {
        readers.push_back(miss.reader);
    }
    return readers;
}

Reply Database::commit(Transaction& transaction) {
    const auto old = [this](const auto& seen) { return is_old(seen); };
    if (transaction.level == IsolationLevel::serializable &&
        std::any_of(transaction.seen.begin(), transaction.seen.end(), old)) {
        if (only_misses(transaction) && strikes(Bug::phantom)) {
            note_misses(transaction);
        } else if (strikes(Bug::skipped_validation)) {
            transaction.bugged = std::any_of(
                transaction.seen.begin(), transaction.seen.end(), [&](const auto& seen) {
                    const auto& written = transaction.written;
                    return is_old(seen) &&
                           std::find(written.begin(), written.end(), seen.row) != written.end();
                });
        } else {
            return Reply::must_abort;
        }
    }
    ++sequence_;
    for (const std::size_t row : transaction.written) {
        forget_misses(transaction, row);
        auto& versions = rows_[row];
        for (Version& version : versions) {
            if (version.owner == transaction.id) {
                version.committed = sequence_;
                version.owner = {};
            }
        }
        if (versions.size() > 64) {  // far more than any snapshot can still want
            versions.erase(versions.begin(), versions.begin() + 32);
        }
    }
    return Reply::done;
}

void Database::abort(Transaction& transaction) {
    for (const std::size_t row : transaction.written) {
        std::erase_if(rows_[row], [&](const Version& version) {
            const bool own = version.owner == transaction.id;
            if (own) {
                mislead(transaction.id, version.name);
            }
            return own;
        });
    }
}

}  // namespace isotap::sim
