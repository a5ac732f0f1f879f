// What the engine costs, on recordings made up as it goes.
//
// usage: check_engine batch TRANSACTIONS…     each as one recording: time, memory, growth
//        check_engine stream TRANSACTIONS     one endless one: the cost of each tenth, and memory
//
// The same events go to a sink that does nothing first; what remains is the engine's own time.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "isotap/analysis/engine.hpp"
#include "isotap/history/events.hpp"

namespace isotap::bench {
namespace {

/// Time of the processor: the machine may have other things to do.
struct Clock {
    using time_point = std::chrono::nanoseconds;
    static time_point now() noexcept {
        timespec spent{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        return std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec};
    }
};
using history::TransactionId;
using history::Version;

/// Snapshot transactions, several at once: reads at the beginning, writes at the end of those rows
/// that nobody else wrote meanwhile. Write skew happens, as it does in life.
class Traffic {
  public:
    static constexpr std::size_t operations = 8;
    static constexpr std::size_t concurrent = 16;
    static constexpr std::size_t rows = 200'000;

    explicit Traffic(history::EventSink& sink) : sink_(sink), current_(rows, Version::initial()) {}

    void run(std::uint64_t transactions) {
        for (std::uint64_t n = 0; n < transactions; ++n) {
            Open& open = open_[n % concurrent];
            if (open.id != TransactionId{}) {
                end(open);
            }
            begin(open, n % concurrent);
        }
    }
    void finish() {
        for (Open& open : open_) {
            if (open.id != TransactionId{}) {
                end(open);
            }
        }
    }

  private:
    struct Open {
        TransactionId id{};
        std::array<std::size_t, operations> row{};
        std::array<Version, operations> seen{};
    };

    std::uint64_t random() noexcept {
        state_ ^= state_ << 13U;
        state_ ^= state_ >> 7U;
        state_ ^= state_ << 17U;
        return state_;
    }

    void begin(Open& open, std::uint64_t session) {
        open.id = TransactionId{++last_id_};
        now_ += std::chrono::microseconds{20};
        sink_.accept(
            history::TransactionBegan{history::SessionId{session + 1}, open.id, now_, false});
        sink_.accept(history::TransactionLevel{open.id, history::IsolationLevel::snapshot,
                                               history::LevelSource::session, false});
        for (std::size_t n = 0; n < operations; ++n) {
            const std::uint64_t die = random();
            // One in eight goes to a hundredth of the rows: some rows are hot.
            open.row[n] = die % 8 == 0 ? (die >> 8U) % (rows / 100) : (die >> 8U) % rows;
            open.seen[n] = current_[open.row[n]];
            if (n < operations / 2) {
                access(open, n, history::AccessKind::read, open.seen[n], {});
            }
        }
    }

    void end(Open& open) {
        for (std::size_t n = operations / 2; n < operations; ++n) {
            const std::size_t row = open.row[n];
            if (current_[row] == open.seen[n]) {
                const auto made = Version::written_by({open.id, static_cast<std::uint32_t>(n + 1)});
                access(open, n, history::AccessKind::update, current_[row], made);
                current_[row] = made;
            }
        }
        now_ += std::chrono::microseconds{20};
        sink_.accept(
            history::TransactionEnded{open.id, now_, now_, history::Outcome::committed, false});
        open.id = {};
    }

    void access(const Open& open, std::size_t n, history::AccessKind kind, Version before,
                Version after) {
        sink_.accept(history::Access{{open.id, static_cast<std::uint32_t>(n + 1)},
                                     history::NameId{1},
                                     {0, open.row[n]},
                                     kind,
                                     before,
                                     after});
    }

    history::EventSink& sink_;
    std::vector<Version> current_;
    std::array<Open, concurrent> open_{};
    std::uint64_t last_id_ = 0;
    std::uint64_t state_ = 88172645463325252ULL;
    Time now_{std::chrono::seconds{1}};
};

class Nowhere final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override { seen_ += event.index(); }
    [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }

  private:
    std::uint64_t seen_ = 0;
};

analysis::EngineOptions options() {
    analysis::EngineOptions options;
    options.arrival_skew = std::chrono::milliseconds{20};
    options.on_anomaly = [](analysis::Anomaly&&) {};
    return options;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Resident memory now, in MiB.
double resident() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) {
        return 0;
    }
    unsigned long total = 0;
    unsigned long pages = 0;
    const int read = std::fscanf(file, "%lu %lu", &total, &pages);
    std::fclose(file);
    return read == 2 ? static_cast<double>(pages) * 4096.0 / (1024.0 * 1024.0) : 0;
}

double seconds_to_generate(std::uint64_t transactions) {
    Nowhere nowhere;
    const auto start = Clock::now();
    Traffic traffic{nowhere};
    traffic.run(transactions);
    traffic.finish();
    return nowhere.seen() == 0 ? 0 : seconds_since(start);
}

void batch(const std::vector<std::uint64_t>& sizes) {
    std::printf("transactions  engine s  ns/access  edges/txn  hazards  MiB\n");
    double last_seconds = 0;
    std::uint64_t last_size = 0;
    for (const std::uint64_t size : sizes) {
        const double generating = seconds_to_generate(size);
        const auto start = Clock::now();
        analysis::Engine engine{options()};
        Traffic traffic{engine};
        traffic.run(size);
        traffic.finish();
        engine.finish();
        const double seconds = seconds_since(start) - generating;
        const auto& statistics = engine.statistics();
        std::printf("%12llu  %8.3f  %9.0f  %9.1f  %7llu  %.0f",
                    static_cast<unsigned long long>(size), seconds,
                    seconds * 1e9 / static_cast<double>(statistics.accesses),
                    static_cast<double>(statistics.edges) / static_cast<double>(size),
                    static_cast<unsigned long long>(statistics.hazards), resident());
        if (last_size != 0) {
            std::printf("  exponent %.2f",
                        std::log(seconds / last_seconds) /
                            std::log(static_cast<double>(size) / static_cast<double>(last_size)));
        }
        std::printf("\n");
        last_seconds = seconds;
        last_size = size;
    }
}

void stream(std::uint64_t transactions) {
    std::printf("transactions  us/txn  live  MiB\n");
    analysis::Engine engine{options()};
    Traffic traffic{engine};
    const std::uint64_t part = transactions / 10;
    for (std::uint64_t done = part; done <= transactions; done += part) {
        const auto start = Clock::now();
        traffic.run(part);
        const double seconds = seconds_since(start);
        std::printf("%12llu  %6.3f  %llu  %.0f\n", static_cast<unsigned long long>(done),
                    seconds * 1e6 / static_cast<double>(part),
                    static_cast<unsigned long long>(engine.statistics().live), resident());
    }
    traffic.finish();
    engine.finish();
    std::printf("breaches %llu, forced %llu\n",
                static_cast<unsigned long long>(engine.statistics().breaches),
                static_cast<unsigned long long>(engine.statistics().forced));
}

}  // namespace
}  // namespace isotap::bench

int main(int argc, char** argv) {
    std::vector<std::uint64_t> sizes;
    for (int i = 2; i < argc; ++i) {
        sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    }
    const std::string mode = argc > 1 ? argv[1] : "";
    if (sizes.empty() || (mode != "batch" && mode != "stream")) {
        std::fprintf(stderr, "usage: check_engine batch|stream TRANSACTIONS...\n");
        return 2;
    }
    if (mode == "batch") {
        isotap::bench::batch(sizes);
    } else {
        isotap::bench::stream(sizes[0]);
    }
    return 0;
}
