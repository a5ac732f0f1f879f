#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "isotap/proxy/options.hpp"

#include "proxy/catalog/plan_job.hpp"
#include "proxy/catalog/side_connection.hpp"
#include "proxy/ops/log.hpp"

namespace isotap::proxy {

/// Makes and proves the plans for one server, on a thread that may block. It holds a side
/// connection for each database that is in use, and lets go of it soon after: a server drops no
/// database that somebody is connected to.
class CatalogThread {
  public:
    using Connect = std::function<Asked<std::unique_ptr<SideConnection>>(
        const Upstream& upstream, const std::string& database)>;

    /// `log` must outlive it.
    CatalogThread(Upstream upstream, Versions versions, std::size_t queued_plans, Log& log,
                  Connect connect = connect_side, SchemaCalls calls = {});
    ~CatalogThread();
    CatalogThread(const CatalogThread&) = delete;
    CatalogThread& operator=(const CatalogThread&) = delete;

    /// The database that a context's tables stand in. Any thread; locks.
    std::shared_ptr<KnownDatabase> database(const std::string& name);

    /// Takes a job; false when too many wait. Any thread; locks.
    [[nodiscard]] bool ask(PlanJob job);

    /// A client has made a table. Any thread.
    void table_made(const std::string& database, const std::string& table) const {
        if (calls_.table_made) calls_.table_made(database, table);
    }

    /// Joins. Jobs that have not begun are dropped without an answer.
    void stop();

  private:
    using Clock = std::chrono::steady_clock;

    /// A database as this thread knows it. On the thread only, but for `known`.
    struct Line {
        std::shared_ptr<KnownDatabase> known = std::make_shared<KnownDatabase>();
        std::unique_ptr<SideConnection> side;
        std::string signature;
        Clock::duration check_took{};
        Trouble failure;  ///< of the last try to connect
        Clock::time_point try_again;
        Clock::duration pause{};
        bool troubled = false;                          ///< the log says so
        std::map<std::string, std::uint64_t> prepared;  ///< generation, by database
    };

    void run();
    void work(const PlanJob& job);
    PlanAnswer answer(const PlanJob& job, Line& line);
    void prepare(Line& line, const std::string& database);
    bool connected(Line& line, const std::string& database);
    void lost(Line& line, const std::string& database, const std::string& detail);
    void check(Line& line, const std::string& database);
    /// Checks databases in use, closes connections to others. When to do so again.
    Clock::time_point look_after();
    [[nodiscard]] std::string key_of(const std::string& database) const;

    Upstream upstream_;
    Versions versions_;
    std::size_t most_jobs_;
    Log& log_;
    Connect connect_;
    SchemaCalls calls_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<PlanJob> jobs_;           // locked
    std::map<std::string, Line> lines_;  // its shape locked; entries stay where they are
    bool stopping_ = false;              // locked

    std::thread thread_;
};

/// Milliseconds of a clock that only goes forward.
inline std::int64_t steady_ms() noexcept {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace isotap::proxy
