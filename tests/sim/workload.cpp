#include "tests/sim/workload.hpp"

#include <algorithm>
#include <iterator>

namespace isotap::sim {

namespace {
constexpr history::NameId table{1};
constexpr history::NameId emptied_table{2};
constexpr std::size_t patience = 64;  // turns before a waiting transaction gives up: deadlocks end
}  // namespace

Workload::Workload(const WorkloadOptions& options, history::EventSink& sink)
    : options_(options),
      sink_(sink),
      random_(options.seed),
      database_(options.rows, options.bug, options.bug_chance, random_),
      sessions_(options.sessions) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
        sessions_[i].id = history::SessionId{i + 1};
    }
}

std::size_t Workload::below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>{0, bound - 1}(random_);
}

bool Workload::happens(double chance) {
    return std::bernoulli_distribution{chance}(random_);
}

void Workload::run() {
    bool busy = true;
    while (begun_ < options_.transactions || busy) {
        now_ += std::chrono::microseconds{1};
        step(sessions_[below(sessions_.size())]);
        busy = std::any_of(sessions_.begin(), sessions_.end(),
                           [](const Session& session) { return session.busy; });
    }
    for (Session& session : sessions_) {
        flush(session);
    }
}

std::vector<history::TransactionId> Workload::bugged() const {
    std::vector<history::TransactionId> all = bugged_;
    std::copy_if(database_.misled().begin(), database_.misled().end(), std::back_inserter(all),
                 [this](history::TransactionId id) { return committed_ids_.contains(id); });
    const std::vector<history::TransactionId> phantoms = database_.phantoms();
    all.insert(all.end(), phantoms.begin(), phantoms.end());
    return all;
}

void Workload::step(Session& session) {
    if (!session.busy) {
        if (begun_ < options_.transactions) {
            begin(session);
        }
    } else if (session.operations_left == 0) {
        end(session, !happens(options_.abort_share));
    } else if (options_.empty_share > 0 && happens(options_.empty_share)) {
        empty(session);
    } else if (options_.condition_share > 0 && happens(options_.condition_share)) {
        look(session);
    } else {
        operate(session);
    }
}

void Workload::begin(Session& session) {
    const history::TransactionId id{++begun_};
    session.busy = true;
    session.transaction = database_.begin(id, options_.level, session.last_committed);
    session.operations_left = 1 + below(options_.operations);
    session.statement = 0;
    session.waits = 0;
    session.touches = false;
    session.emptied = false;
    tell(session, history::TransactionBegan{session.id, id, now_, false});
    tell(session,
         history::TransactionLevel{id, options_.level, history::LevelSource::transaction, false});
}

history::NameId Workload::table_of(std::size_t row) const {
    return options_.empty_share > 0 && row % 2 == 1 ? emptied_table : table;
}

void Workload::wait(Session& session) {
    if (++session.waits > patience) {
        end(session, false);
    }
}

/// As TRUNCATE: once nobody else has touched the table, and the last thing that is done.
void Workload::empty(Session& session) {
    const bool busy = std::any_of(sessions_.begin(), sessions_.end(), [&](const Session& other) {
        return &other != &session && other.busy && (other.touches || other.emptied);
    });
    if (busy) {
        wait(session);
        return;
    }
    alone_ = &session;
    session.emptied = true;
    session.operations_left = 0;
    tell(session,
         history::TableEmptied{{session.transaction.id, ++session.statement}, emptied_table});
}

void Workload::operate(Session& session) {
    const std::size_t row = below(options_.rows);
    const history::NameId of = table_of(row);
    if (of == emptied_table) {
        if (alone_ != nullptr) {
            wait(session);
            return;
        }
        session.touches = true;
    }
    const history::RowKey key{0, row};
    const history::StatementRef statement{session.transaction.id, session.statement + 1};
    if (!happens(options_.write_share)) {
        ++session.statement;
        --session.operations_left;
        const history::Version seen = database_.read(session.transaction, row);
        if (seen != history::Version::dead()) {
            tell(session, history::Access{statement, of, key, history::AccessKind::read, seen, {}});
        }
        return;
    }
    const history::Version made = history::Version::written_by(statement);
    history::Version before;
    switch (database_.write(session.transaction, row, made, before)) {
        case Reply::wait: wait(session); return;
        case Reply::must_abort: end(session, false); return;
        case Reply::done: break;
    }
    ++session.statement;
    --session.operations_left;
    const bool born = before == history::Version::dead();
    tell(session, history::Access{statement, of, key,
                                  born ? history::AccessKind::insert : history::AccessKind::update,
                                  born ? history::Version::unborn() : before, made});
}

void Workload::look(Session& session) {
    const history::StatementRef statement{session.transaction.id, ++session.statement};
    const history::PredicateId id{++conditions_};
    --session.operations_left;
    session.conditions.push_back(id);
    tell(session, history::PredicateRead{statement, id, table, "matches"});
    for (std::size_t row = 0; row < options_.rows; ++row) {
        history::Version seen;
        if (database_.matched(session.transaction, row, seen)) {
            tell(session,
                 history::Access{statement, table, {0, row}, history::AccessKind::read, seen, {}});
        }
    }
}

/// What the server answers over row images: which writes, since the transaction began, left or
/// found a row that its conditions match.
void Workload::judge_conditions(Session& session) {
    for (const history::PredicateId id : session.conditions) {
        for (std::size_t row = 0; row < options_.rows; ++row) {
            for (const Database::Version& version : database_.versions(row)) {
                const bool since =
                    version.committed == 0 || version.committed > session.transaction.began;
                const bool before = Database::matches(row, version.before);
                const bool after = Database::matches(row, version.name);
                if (since && (before || after) &&
                    version.name.kind == history::VersionKind::written &&
                    version.owner != session.transaction.id) {
                    const history::StatementRef writer{history::TransactionId{version.name.writer},
                                                       version.name.statement};
                    tell(session, history::PredicateMatch{id, writer, {0, row}, before, after});
                }
            }
        }
    }
    session.conditions.clear();
}

void Workload::end(Session& session, bool wants_commit) {
    judge_conditions(session);
    const bool done = wants_commit && database_.commit(session.transaction) == Reply::done;
    if (session.emptied) {
        alone_ = nullptr;
        for (std::size_t row = 1; done && row < options_.rows; row += 2) {
            database_.empty(row);
        }
    }
    if (done) {
        ++committed_;
        session.last_committed = database_.sequence();
        if (options_.bug != Bug::none) {
            committed_ids_.insert(session.transaction.id);
        }
        if (session.transaction.bugged) {
            bugged_.push_back(session.transaction.id);
        }
    } else {
        database_.abort(session.transaction);
    }
    tell(session, history::TransactionEnded{
                      session.transaction.id, now_, now_,
                      done ? history::Outcome::committed : history::Outcome::aborted, false});
    session.busy = false;
}

void Workload::tell(Session& session, const history::Event& event) {
    session.held.push_back(event);
    if (session.held.size() > options_.held_back || happens(0.2)) {
        flush(session);
    }
}

void Workload::flush(Session& session) {
    for (const history::Event& event : session.held) {
        sink_.accept(event);
    }
    session.held.clear();
}

}  // namespace isotap::sim
