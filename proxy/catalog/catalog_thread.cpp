#include "proxy/catalog/catalog_thread.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "proxy/catalog/plan_maker.hpp"

namespace isotap::proxy {
namespace {

using namespace std::chrono_literals;

/// While there is traffic, changes behind our back are looked for so often, but never spend more
/// than one part in fifty of the thread's time on it.
constexpr auto check_interval = 1s;
constexpr int check_share = 50;

/// A connection that nobody asked on for so long is closed. PostgreSQL waits five seconds for
/// others to leave a database that is to be dropped.
constexpr std::int64_t idle_ms = 700;
constexpr auto idle_interval = 250ms;

/// Others may change the schema at the same time: but not for ever.
constexpr int prepare_rounds = 3;

constexpr auto first_pause = 1s;
constexpr auto longest_pause = 30s;

}  // namespace

CatalogThread::CatalogThread(Upstream upstream, Versions versions, std::size_t queued_plans,
                             Log& log, Connect connect, SchemaCalls calls)
    : upstream_(std::move(upstream)),
      versions_(versions),
      most_jobs_(queued_plans),
      log_(log),
      connect_(std::move(connect)),
      calls_(std::move(calls)),
      thread_([this] { run(); }) {}

CatalogThread::~CatalogThread() {
    stop();
}

void CatalogThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

/// A statement of the MySQL family may name tables of any database: there, all are one.
std::string CatalogThread::key_of(const std::string& database) const {
    return upstream_.dialect == history::Dialect::mysql ? std::string() : database;
}

std::shared_ptr<KnownDatabase> CatalogThread::database(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return lines_[key_of(name)].known;
}

bool CatalogThread::ask(PlanJob job) {
    {
        const std::lock_guard lock(mutex_);
        if (jobs_.size() >= most_jobs_ || stopping_) {
            return false;
        }
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
}

void CatalogThread::run() {
    Clock::time_point next_look = Clock::now() + idle_interval;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (!jobs_.empty()) {
            const PlanJob job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            work(job);
            lock.lock();
        }
        if (Clock::now() >= next_look) {
            lock.unlock();
            next_look = look_after();
            lock.lock();
        }
        if (jobs_.empty() && !stopping_) {
            wake_.wait_until(lock, next_look);
        }
    }
}

void CatalogThread::work(const PlanJob& job) {
    Line* line = nullptr;
    {
        const std::lock_guard lock(mutex_);
        line = &lines_[key_of(job.where->context.database)];
    }
    job.answer(answer(job, *line));
}

PlanAnswer CatalogThread::answer(const PlanJob& job, Line& line) {
    const std::string& database = job.where->context.database;
    const auto refused = [&line] {
        return PlanAnswer{opaque_plan(line.failure.reason), line.known->generation.load(),
                          line.failure.outcome};
    };
    if (!connected(line, database)) {
        return refused();
    }
    if (steady_ms() - line.known->checked.load() > check_lasts_ms / 2) {
        check(line, database);
    }
    prepare(line, database);
    if (!line.side) {
        return refused();
    }
    // Read before the tables are looked at: what changes meanwhile makes the answer old.
    const std::uint64_t generation = line.known->generation.load(std::memory_order_acquire);
    if (job.had == generation) {
        return {nullptr, generation, PlanOutcome::proved};
    }
    std::string detail;
    PlanAnswer made = make_proved_plan(job, versions_, *line.side, detail);
    made.generation = generation;
    if (made.outcome == PlanOutcome::no_connection) {
        lost(line, database, detail);
    }
    return made;
}

/// What it changes is a change of the schema like any other: it is taken notice of here, or the
/// plan that is made next would be old before it is used.
void CatalogThread::prepare(Line& line, const std::string& database) {
    std::uint64_t& prepared = line.prepared[database];
    for (int round = 0; calls_.before_plans && line.side && round < prepare_rounds; ++round) {
        const std::uint64_t generation = line.known->generation.load(std::memory_order_acquire);
        if (prepared == generation + 1) {
            return;
        }
        calls_.before_plans(database);
        prepared = generation + 1;  // 0: never
        check(line, database);
    }
}

bool CatalogThread::connected(Line& line, const std::string& database) {
    if (line.side) {
        return true;
    }
    if (Clock::now() < line.try_again) {
        return false;
    }
    auto made = connect_(upstream_, database);
    if (!made) {
        line.failure = made.error();
        lost(line, database, line.failure.detail);
        return false;
    }
    line.side = std::move(*made);
    line.pause = {};
    if (std::exchange(line.troubled, false)) {
        log_.line(LogLevel::info, "the side connection is back", database);
    }
    return true;
}

void CatalogThread::lost(Line& line, const std::string& database, const std::string& detail) {
    line.side.reset();
    if (line.failure.reason.empty()) {
        line.failure.reason = "no side connection";
    }
    line.pause = std::clamp<Clock::duration>(line.pause * 2, first_pause, longest_pause);
    line.try_again = Clock::now() + line.pause;
    if (!std::exchange(line.troubled, true)) {
        log_.line(LogLevel::warning,
                  "no side connection: statements of this database are not instrumented",
                  database + ": " + detail);
    }
}

void CatalogThread::check(Line& line, const std::string& database) {
    const Clock::time_point began = Clock::now();
    auto signature = line.side->signature();
    line.check_took = Clock::now() - began;
    if (!signature) {
        if (signature.error().outcome == PlanOutcome::no_connection) {
            lost(line, database, signature.error().detail);
        }
        return;
    }
    if (*signature != line.signature) {
        line.known->generation.fetch_add(1, std::memory_order_acq_rel);
        line.signature = std::move(*signature);
    }
    line.known->checked.store(steady_ms(), std::memory_order_release);
}

CatalogThread::Clock::time_point CatalogThread::look_after() {
    std::vector<std::pair<const std::string*, Line*>> open;
    {
        const std::lock_guard lock(mutex_);
        for (auto& [database, line] : lines_) {
            open.emplace_back(&database, &line);
        }
    }
    const std::int64_t now = steady_ms();
    for (const auto& [database, line] : open) {
        if (!line->side) {
            continue;
        }
        const auto interval = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::max<Clock::duration>(check_interval, line->check_took * check_share));
        if (now - line->known->used.load(std::memory_order_relaxed) > idle_ms) {
            line->side.reset();
        } else if (now - line->known->checked.load() >= interval.count()) {
            check(*line, *database);
        }
    }
    return Clock::now() + idle_interval;
}

}  // namespace isotap::proxy
