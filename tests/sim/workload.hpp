#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "isotap/history/events.hpp"

#include "tests/sim/database.hpp"

namespace isotap::sim {

struct WorkloadOptions {
    std::uint64_t seed = 1;
    history::IsolationLevel level = history::IsolationLevel::snapshot;
    std::uint64_t transactions = 1000;
    std::size_t sessions = 8;
    std::size_t rows = 16;
    std::size_t operations = 6;  ///< of one transaction, at most
    double write_share = 0.4;
    double abort_share = 0.05;
    double condition_share = 0;  ///< of operations that choose their rows by a condition
    /// Of operations that empty a table, in which every second row is then.
    double empty_share = 0;
    Bug bug = Bug::none;
    double bug_chance = 0.02;
    /// Events that a session may hold back before its ring is emptied: sessions arrive skewed.
    std::size_t held_back = 8;
};

/// Several sessions at once against the simulated database, interleaved by a seeded die. Tells what
/// happened to a sink, as a tap would.
class Workload {
  public:
    Workload(const WorkloadOptions& options, history::EventSink& sink);

    void run();

    /// Committed transactions in which the bug showed.
    [[nodiscard]] std::vector<history::TransactionId> bugged() const;
    [[nodiscard]] std::uint64_t committed() const noexcept { return committed_; }
    [[nodiscard]] std::chrono::nanoseconds time() const noexcept { return now_.time_since_epoch(); }

  private:
    struct Session {
        history::SessionId id{};
        bool busy = false;
        Database::Transaction transaction;
        std::size_t operations_left = 0;
        std::uint32_t statement = 0;
        std::size_t waits = 0;
        std::uint64_t last_committed = 0;
        bool touches = false;  ///< the table that may be emptied
        bool emptied = false;
        std::vector<history::PredicateId> conditions;  ///< of the transaction
        std::vector<history::Event> held;
    };

    void step(Session& session);
    void begin(Session& session);
    void operate(Session& session);
    void look(Session& session);
    void empty(Session& session);
    void wait(Session& session);
    [[nodiscard]] history::NameId table_of(std::size_t row) const;
    void judge_conditions(Session& session);
    void end(Session& session, bool wants_commit);
    void tell(Session& session, const history::Event& event);
    void flush(Session& session);
    [[nodiscard]] std::size_t below(std::size_t bound);
    [[nodiscard]] bool happens(double chance);

    WorkloadOptions options_;
    history::EventSink& sink_;
    std::mt19937_64 random_;
    Database database_;
    std::vector<Session> sessions_;
    const Session* alone_ = nullptr;  ///< has emptied the table, and keeps all others away
    std::vector<history::TransactionId> bugged_;
    std::set<history::TransactionId> committed_ids_;  ///< while a bug is planted
    std::uint64_t begun_ = 0;
    std::uint64_t conditions_ = 0;
    std::uint64_t committed_ = 0;
    Time now_{std::chrono::seconds{1}};
};

}  // namespace isotap::sim
