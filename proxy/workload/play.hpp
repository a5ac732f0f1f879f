#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/workload/schedule.hpp"
#include "proxy/workload/executor.hpp"
#include "proxy/workload/worker.hpp"

namespace isotap::proxy {

/// One run of one order, while it lasts: connections, what is under way, what has been recorded.
/// Everything it is given outlives it. One thread; the workers have theirs.
class Play {
  public:
    Play(const workload::Scenario& scenario, const std::vector<workload::Turn>& order,
         Server& server, Watch& watch, const ExecutorOptions& options, workload::Run& run);
    ~Play();
    Play(const Play&) = delete;
    Play& operator=(const Play&) = delete;

    /// Connects the sessions, at their level.
    void open(std::optional<history::IsolationLevel> level);

    /// Submits all there is to submit, and waits for the answers.
    void go();

    /// Ends what the scenario left open; in a specification, its teardowns.
    void close();

  private:
    /// A statement that was submitted and not yet recorded as ended.
    struct Flight {
        std::size_t turn = 0;
        bool reported = false;  ///< as waiting
        bool ended = false;
        std::vector<std::size_t> blockers;  ///< sessions, when the server last said so
        std::vector<std::size_t> notices;   ///< by marker: how many its session has to have given
    };

    void submit(std::size_t turn);
    void settle(std::optional<std::size_t> must_end);
    void note_answers();
    bool look_for_waits();
    [[nodiscard]] bool leads_to_idle(const Flight& flight) const;
    bool record();
    void record_end(const Flight& flight);
    [[nodiscard]] bool held_back(const Flight& flight) const;
    void report_wait(Flight& flight);
    void roll_back(std::size_t session);
    void listen();
    void tell(std::size_t session);
    [[nodiscard]] bool awaits_notices(const Flight& flight) const;
    bool release_one();
    void cancel_all();
    void must_work(const workload::Answer& answer, const std::string& session) const;
    [[nodiscard]] Flight* flight_of(std::size_t session);
    [[nodiscard]] std::string text_of(std::size_t turn) const;

    const workload::Scenario& scenario_;
    const std::vector<workload::Turn>& order_;
    Server& server_;
    Watch& watch_;
    ExecutorOptions options_;
    workload::Run& run_;
    workload::Schedule schedule_;
    Board board_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Flight> flights_;  ///< in the order of submission
    std::vector<bool> open_;       ///< by session: a transaction was begun and not ended
    std::vector<std::vector<std::string>> untold_;  ///< by session: notices
    std::vector<std::size_t> heard_;                ///< by session: how many there were
};

}  // namespace isotap::proxy
