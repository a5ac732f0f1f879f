// Writes a history of any size for the checkers' benchmark: transactions of several sessions that
// overlap, each taking effect at once when it completes. So it is strictly serializable, and a
// checker has to look at all of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

#include "tests/bench/history_output.hpp"

namespace isotap::bench {
namespace {

constexpr std::size_t sessions = 25;
constexpr std::size_t operations_per_transaction = 8;
constexpr std::uint64_t active_keys = 100;
constexpr std::uint64_t writes_per_key = 32;

/// Keys live until they have been written often enough; then another one takes the place.
class Keys {
  public:
    explicit Keys(std::mt19937_64& random) : random_(random), writes_(active_keys) {
        for (std::uint64_t i = 0; i < active_keys; ++i) {
            names_.push_back(i);
        }
    }
    Operation next() {
        const std::uint64_t slot = random_() % active_keys;
        Operation operation{random_() % 2 == 0, names_[slot], 0};
        if (operation.writes) {
            operation.value = ++writes_[slot];
            if (writes_[slot] == writes_per_key) {
                names_[slot] = next_name_++;
                writes_[slot] = 0;
            }
        }
        return operation;
    }

  private:
    std::mt19937_64& random_;
    std::vector<std::uint64_t> names_;
    std::vector<std::uint64_t> writes_;
    std::uint64_t next_name_ = active_keys;
};

void generate(std::uint64_t transactions, HistoryOutput& output) {
    std::mt19937_64 random{20'261'118};
    Keys keys{random};
    std::vector<std::vector<Operation>> open(sessions);
    std::uint64_t begun = 0;
    std::uint64_t completed = 0;
    while (completed < transactions) {
        const std::size_t session = random() % sessions;
        if (!open[session].empty()) {
            output.complete(session, open[session]);
            open[session].clear();
            ++completed;
        } else if (begun < transactions) {
            ++begun;
            for (std::size_t i = 0; i < operations_per_transaction; ++i) {
                open[session].push_back(keys.next());
            }
            output.invoke(session, open[session]);
        }
    }
}

std::unique_ptr<HistoryOutput> output_of(std::string_view format, const char* path) {
    if (format == "recording") {
        return recording_output(path, sessions);
    }
    return format == "plume" ? plume_output(path) : elle_output(path);
}

}  // namespace
}  // namespace isotap::bench

int main(int argc, char** argv) {
    const std::string_view format = argc == 4 ? argv[1] : "";
    if (format != "elle-append" && format != "plume" && format != "recording") {
        std::fputs("usage: generate_history elle-append|plume|recording TRANSACTIONS FILE\n",
                   stderr);
        return 2;
    }
    const auto output = isotap::bench::output_of(format, argv[3]);
    if (output == nullptr) {
        return 2;
    }
    isotap::bench::generate(std::strtoull(argv[2], nullptr, 10), *output);
    return output->close() ? 0 : 2;
}
