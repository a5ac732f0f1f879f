// How much live analysis and recording take, and how soon they tell: relay threads' worth of events
// through the real rings, for as long as is asked.
//
// usage: bench_live [--seconds N] [--rate N] [--threads N] [--plant N] [--report N]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "proxy/tap/tap.hpp"
#include "tests/bench/live_load.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Settings {
    double seconds = 20;
    double rate = 50'000;  ///< statements a second, of all threads together; 0: as fast as can be
    std::uint64_t threads = 2;
    std::uint64_t plant = 1'000;  ///< transactions of one thread between two write skews
    double report = 5;
};

/// Processor time of each thread of this process, by its name.
std::map<std::string, double> processor_seconds() {
    std::map<std::string, double> all;
    const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream in(task.path() / "stat");
        std::string line;
        std::getline(in, line);
        const std::size_t open = line.find('(');
        const std::size_t close = line.rfind(')');
        if (open == std::string::npos || close == std::string::npos) {
            continue;  // it has just ended
        }
        unsigned long user = 0;
        unsigned long system = 0;
        std::sscanf(line.c_str() + close + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                    &user, &system);
        all[line.substr(open + 1, close - open - 1)] +=
            tick * (static_cast<double>(user) + static_cast<double>(system));
    }
    return all;
}

double resident_mebibytes() {
    std::ifstream in("/proc/self/statm");
    double pages = 0;
    in >> pages >> pages;
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

proxy::ProxyOptions options_for(const std::filesystem::path& folder) {
    proxy::ProxyOptions options;
    proxy::Listener& listener = options.relay.listeners.emplace_back();
    listener.mode = proxy::Mode::instrument;
    listener.upstream.address = {"127.0.0.1", 5432};
    options.tap.record = folder / "live.isotap";
    options.tap.rotate_bytes = std::uint64_t{256} << 20U;
    return options;
}

/// The load of one thread, at its share of the rate.
class Driver {
  public:
    Driver(std::unique_ptr<history::EventSink> sink, std::uint64_t number, const Settings& settings)
        : sink_(std::move(sink)),
          load_(*sink_, number, settings.plant),
          rate_(settings.rate / static_cast<double>(settings.threads)) {
        thread_ = std::thread([this] { run(); });
    }
    ~Driver() { stop(); }
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;

    void stop() {
        stopping_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    [[nodiscard]] const LiveLoad& load() const noexcept { return load_; }

  private:
    void run() {
        pthread_setname_np(pthread_self(), "load");
        // As a relay thread does: what came together is told together. A transaction of each
        // session, so that none is open in the silence between two rounds of a slow load.
        constexpr std::uint64_t statements_at_once =
            LiveLoad::sessions_count * LiveLoad::statements_each;
        auto due = Clock::now();
        while (!stopping_) {
            const auto began = Clock::now();
            for (std::uint64_t i = 0; i < statements_at_once; ++i) {
                load_.step();
            }
            if (rate_ > 0) {
                const auto share = std::chrono::duration_cast<Clock::duration>(
                    Seconds(static_cast<double>(statements_at_once) / rate_));
                // What the machine has held up is caught up with at twice the rate, as clients
                // would who had to wait themselves.
                due += share;
                std::this_thread::sleep_until(std::max(due, began + share / 2));
            }
        }
    }

    std::unique_ptr<history::EventSink> sink_;
    LiveLoad load_;
    double rate_;
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

/// How long each anomaly took from the last commit of its cycle to its alarm.
class Delays {
  public:
    void take(const proxy::Bulletin& bulletin) {
        for (const proxy::Bulletin::Record& record : bulletin.anomalies(last_)) {
            last_ = record->anomaly.id;
            Time ended{};
            for (const proxy::KeptTransaction& transaction : record->transactions) {
                ended = std::max(ended, transaction.ended);
            }
            seconds_.push_back(Seconds(record->found - ended).count());
        }
    }
    [[nodiscard]] std::size_t count() const noexcept { return seconds_.size(); }
    [[nodiscard]] double at(double share) {
        std::sort(seconds_.begin(), seconds_.end());
        const auto place = static_cast<std::size_t>(share * static_cast<double>(seconds_.size()));
        return seconds_.empty() ? 0 : seconds_[std::min(place, seconds_.size() - 1)];
    }

  private:
    std::uint64_t last_ = 0;
    std::vector<double> seconds_;
};

/// Parts of the recording that are whole only take room.
void remove_whole_parts(const std::filesystem::path& folder, const std::string& current) {
    const std::uint64_t last = history::recording::split_part_path(current).number;
    std::vector<std::filesystem::path> whole;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const std::string name = file.path().filename();
        const std::string part = name.substr(0, name.rfind('-'));  // of its write-ahead log as well
        if (history::recording::split_part_path(part).number < last) {
            whole.push_back(file.path());
        }
    }
    for (const auto& path : whole) {
        std::filesystem::remove(path);
    }
}

class Measurement {
  public:
    explicit Measurement(const Settings& settings)
        : settings_(settings), tap_(options_for(folder_.path()), log_) {}

    int run() {
        std::vector<proxy::RelayCounters> counters(settings_.threads);
        std::vector<std::unique_ptr<history::EventSink>> sinks;
        for (proxy::RelayCounters& one : counters) {
            sinks.push_back(tap_.sink_of_thread(one));
        }
        tap_.start();
        for (std::uint64_t i = 0; i < settings_.threads; ++i) {
            drivers_.push_back(std::make_unique<Driver>(std::move(sinks[i]), i + 1, settings_));
        }
        fmt::print(
            "| s | statements/s | analysis | recorder | load | ring | lost | recording lost "
            "| RSS MiB | graph |\n|---|---|---|---|---|---|---|---|---|---|\n");
        const auto began = Clock::now();
        auto due = began;
        while (Clock::now() - began < Seconds(settings_.seconds)) {
            due += std::chrono::duration_cast<Clock::duration>(Seconds(settings_.report));
            while (Clock::now() < due) {
                std::this_thread::sleep_until(std::min(due, Clock::now() + 1s));
                delays_.take(tap_.bulletin());
                remove_whole_parts(folder_.path(), tap_.recording()->path);
            }
            line(Seconds(Clock::now() - began).count());
        }
        return finish();
    }

  private:
    [[nodiscard]] std::uint64_t statements() const {
        std::uint64_t sum = 0;
        for (const auto& driver : drivers_) {
            sum += driver->load().statements();
        }
        return sum;
    }

    void line(double at) {
        const std::uint64_t now = statements();
        const auto processor = processor_seconds();
        const double seconds = at - last_at_;
        std::uint64_t lost = 0;
        std::size_t depth = 0;
        for (const proxy::RingFigures& ring : tap_.figures()) {
            lost += ring.lost;
            depth = std::max(depth, ring.depth);
        }
        const auto share = [&](const char* thread) {
            const auto found = processor.find(thread);
            const auto before = last_processor_.find(thread);
            return found == processor.end()
                       ? 0
                       : 100 *
                             (found->second -
                              (before == last_processor_.end() ? 0 : before->second)) /
                             seconds;
        };
        fmt::print(
            "| {:.0f} | {:.0f} | {:.0f} % | {:.0f} % | {:.0f} % | {} | {} | {} | {:.0f} | {} "
            "|\n",
            at, static_cast<double>(now - last_statements_) / seconds, share("analysis"),
            share("recorder"), share("load"), depth, lost, tap_.recording()->lost,
            memory_.emplace_back(resident_mebibytes()), tap_.bulletin().status().statistics.live);
        std::fflush(stdout);
        last_at_ = at;
        last_statements_ = now;
        last_processor_ = processor;
    }

    int finish() {
        std::uint64_t planted = 0;
        for (const auto& driver : drivers_) {
            driver->stop();
            planted += driver->load().planted();
        }
        const auto processor = processor_seconds();
        tap_.stop();
        delays_.take(tap_.bulletin());
        const double all = static_cast<double>(statements());
        const auto status = tap_.bulletin().status();
        fmt::print(
            "\n{:.0f} statements of {} accesses: {:.1f} us of the analysis thread and {:.1f} us "
            "of the recorder each\n",
            all, LiveLoad::rows_each, 1e6 * processor.at("analysis") / all,
            1e6 * processor.at("recorder") / all);
        fmt::print(
            "verdict delay of {} anomalies: least {:.0f} ms, p50 {:.0f} ms, p90 {:.0f} ms, p99 "
            "{:.0f} ms, most {:.0f} ms\n",
            delays_.count(), 1e3 * delays_.at(0), 1e3 * delays_.at(0.5), 1e3 * delays_.at(0.9),
            1e3 * delays_.at(0.99), 1e3 * delays_.at(1));
        if (!memory_.empty()) {
            // At a tenth of the time what has bounds is full.
            fmt::print(
                "memory in MiB: first {:.0f}, at a tenth {:.0f}, at the half {:.0f}, last {:.0f}, "
                "most {:.0f}\n",
                memory_.front(), memory_[memory_.size() / 10], memory_[memory_.size() / 2],
                memory_.back(), *std::max_element(memory_.begin(), memory_.end()));
        }
        fmt::print("planted {}, found {}; verdict {}\n", planted,
                   status.statistics.hazards + status.statistics.violations,
                   analysis::to_string(status.verdict));
        for (const std::string& doubt : status.doubts) {
            fmt::print("  {}\n", doubt);
        }
        return delays_.count() == planted ? 0 : 1;
    }

    Settings settings_;
    test::TemporaryFolder folder_;
    proxy::Log log_{proxy::LogFormat::text, static_cast<proxy::LogLevel>(99)};
    proxy::Tap tap_;
    std::vector<std::unique_ptr<Driver>> drivers_;
    Delays delays_;
    std::vector<double> memory_;  ///< resident MiB, one for each line
    double last_at_ = 0;
    std::uint64_t last_statements_ = 0;
    std::map<std::string, double> last_processor_;
};

bool read_settings(int argc, char** argv, Settings& settings) {
    if (argc % 2 != 1) {
        return false;
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const double value = std::atof(argv[i + 1]);
        if (name == "--seconds") {
            settings.seconds = value;
        } else if (name == "--rate") {
            settings.rate = value;
        } else if (name == "--report") {
            settings.report = value;
        } else if (name == "--threads" && value >= 1) {
            settings.threads = static_cast<std::uint64_t>(value);
        } else if (name == "--plant") {
            settings.plant = static_cast<std::uint64_t>(value);
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace
}  // namespace isotap::bench

int main(int argc, char** argv) {
    isotap::bench::Settings settings;
    if (!isotap::bench::read_settings(argc, argv, settings)) {
        std::fputs(
            "usage: bench_live [--seconds N] [--rate N] [--threads N] [--plant N] "
            "[--report N]\n",
            stderr);
        return 2;
    }
    return isotap::bench::Measurement(settings).run();
}
