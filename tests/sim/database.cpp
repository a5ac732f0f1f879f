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
    transaction.seen.push_back({row, version->name});
    return version->name;
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

Reply Database::commit(Transaction& transaction) {
    if (transaction.level == IsolationLevel::serializable) {
        const bool old = std::any_of(
            transaction.seen.begin(), transaction.seen.end(),
            [this](const auto& seen) { return newest_committed(seen.row).name != seen.version; });
        if (old) {
            if (!strikes(Bug::skipped_validation)) {
                return Reply::must_abort;
            }
            transaction.bugged = std::any_of(
                transaction.seen.begin(), transaction.seen.end(), [&](const auto& seen) {
                    const auto& written = transaction.written;
                    return newest_committed(seen.row).name != seen.version &&
                           std::find(written.begin(), written.end(), seen.row) != written.end();
                });
        }
    }
    ++sequence_;
    for (const std::size_t row : transaction.written) {
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
