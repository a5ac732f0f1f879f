// What a recording costs to write and to read: a tap's traffic, 4 accesses a statement.
//
// usage: bench_recording FILE TRANSACTIONS      (8 statements each; FILE must not exist)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/history/recording/recording_writer.hpp"

namespace isotap::bench {
namespace {

constexpr std::uint32_t statements = 8;
constexpr std::uint64_t accesses = 4;
constexpr std::uint64_t transactions_per_flush = 1'000;

/// Time of the processor: the machine may have other things to do.
double now_seconds() {
    timespec spent{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

class Count final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override { sum += 1 + event.index() / 100; }
    std::uint64_t sum = 0;
};

void tell_transaction(history::EventSink& sink, std::uint64_t number, std::uint64_t run_tag) {
    constexpr std::uint64_t rows = 100'000;
    const history::TransactionId id{run_tag + number};
    const Time at{std::chrono::seconds{1'700'000'000} + std::chrono::microseconds{160 * number}};
    sink.accept(history::TransactionBegan{history::SessionId{1 + number % 32}, id, at, false});
    sink.accept(history::TransactionLevel{id, history::IsolationLevel::read_committed,
                                          history::LevelSource::session, false});
    for (std::uint32_t s = 1; s <= statements; ++s) {
        const history::StatementRef statement{id, s};
        const bool writes = s == statements;
        sink.accept(
            history::StatementBegan{statement, at,
                                    writes ? "UPDATE account SET balance = balance - ? WHERE id = ?"
                                           : "SELECT balance FROM account WHERE id IN (?, ?, ?, ?)",
                                    false});
        for (std::uint64_t a = 0; a < accesses; ++a) {
            const std::uint64_t row = (number * 31 + s * 7 + a * 1'009) % rows;
            const history::Version before =
                history::Version::written_by({history::TransactionId{run_tag + number / 2}, 8});
            sink.accept(history::Access{
                statement,
                history::NameId{1},
                {0, row},
                writes ? history::AccessKind::update : history::AccessKind::read,
                before,
                writes ? history::Version::written_by(statement) : history::Version{}});
        }
        sink.accept(history::StatementEnded{statement, at, history::StatementOutcome::completed,
                                            history::Coverage::full, history::no_sql_state, 0,
                                            accesses, history::no_name, "SELECT 4"});
    }
    sink.accept(history::TransactionEnded{id, at, at, history::Outcome::committed, false});
}

int measure(const std::string& file, std::uint64_t transactions) {
    const std::uint64_t run_tag = std::uint64_t{0x5A5A5} << 40U;
    const double all = static_cast<double>(transactions * statements);
    Count count;
    double start = now_seconds();
    for (std::uint64_t n = 1; n <= transactions; ++n) {
        tell_transaction(count, n, run_tag);
    }
    const double generating = now_seconds() - start;
    start = now_seconds();
    auto writer = history::recording::RecordingWriter::create(file, {}, system_now());
    if (!writer) {
        std::fprintf(stderr, "%s\n", writer.error().c_str());
        return 2;
    }
    (*writer)->accept(history::NameDefined{history::NameId{1}, "account"});
    for (std::uint64_t n = 1; n <= transactions; ++n) {
        tell_transaction(**writer, n, run_tag);
        if (n % transactions_per_flush == 0) {
            (*writer)->flush();
        }
    }
    if (!(*writer)->close()) {
        std::fprintf(stderr, "%s\n", (*writer)->error().c_str());
        return 3;
    }
    const double writing = now_seconds() - start - generating;
    std::printf("written: %.0f statements/s, %.2f s, %.0f bytes a statement\n", all / writing,
                writing, static_cast<double>((*writer)->bytes()) / all);
    start = now_seconds();
    auto recording = history::recording::Recording::open(file);
    Count read;
    if (!recording || recording->replay(read)) {
        std::fprintf(stderr, "it cannot be read\n");
        return 3;
    }
    std::printf("read: %.0f statements/s, %.2f s\n", all / (now_seconds() - start),
                now_seconds() - start);
    return read.sum == count.sum + 1 ? 0 : 1;
}

}  // namespace
}  // namespace isotap::bench

int main(int argc, char** argv) {
    const std::uint64_t transactions = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
    if (transactions == 0) {
        std::fputs("usage: bench_recording FILE TRANSACTIONS\n", stderr);
        return 2;
    }
    return isotap::bench::measure(argv[1], transactions);
}
