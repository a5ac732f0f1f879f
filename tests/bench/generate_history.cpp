// Writes a history of any size for the checkers' benchmark: transactions of several sessions that
// overlap, each taking effect at once when it completes. So it is strictly serializable, and a
// checker has to look at all of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

constexpr std::size_t sessions = 25;
constexpr std::size_t operations_per_transaction = 8;
constexpr std::uint64_t active_keys = 100;
constexpr std::uint64_t writes_per_key = 32;

struct Operation {
    bool writes = false;
    std::uint64_t key = 0;
    std::uint64_t value = 0;
};

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

class Generator {
  public:
    Generator(std::FILE* out, bool elle) : out_(out), elle_(elle), open_(sessions) {}

    void run(std::uint64_t transactions) {
        std::uint64_t begun = 0;
        while (completed_ < transactions) {
            const std::size_t session = random_() % sessions;
            if (!open_[session].empty()) {
                complete(session);
            } else if (begun < transactions) {
                ++begun;
                invoke(session);
            }
            if (buffer_.size() > 1U << 20) {
                flush();
            }
        }
        flush();
    }

  private:
    void invoke(std::size_t session) {
        for (std::size_t i = 0; i < operations_per_transaction; ++i) {
            open_[session].push_back(keys_.next());
        }
        if (elle_) {
            line(session, "invoke");
        }
    }

    void complete(std::size_t session) {
        if (elle_) {
            line(session, "ok");
        } else {
            for (const Operation& operation : open_[session]) {
                std::uint64_t& value = registers(operation.key);
                if (operation.writes) {
                    value = operation.value;
                }
                fmt::format_to(std::back_inserter(buffer_), "{}({},{},{},{})\n",
                               operation.writes ? 'w' : 'r', operation.key, value, session,
                               completed_);
            }
        }
        open_[session].clear();
        ++completed_;
    }

    void line(std::size_t session, std::string_view type) {
        const bool completes = type == "ok";
        fmt::format_to(std::back_inserter(buffer_),
                       "{{:index {}, :time {}, :type :{}, :process {}, :f :txn, :value [", index_,
                       index_ * 1000, type, session);
        ++index_;
        const char* separator = "";
        for (const Operation& operation : open_[session]) {
            buffer_ += separator;
            separator = " ";
            if (operation.writes) {
                fmt::format_to(std::back_inserter(buffer_), "[:append {} {}]", operation.key,
                               operation.value);
            } else {
                fmt::format_to(std::back_inserter(buffer_), "[:r {} ", operation.key);
                buffer_ += completes ? "[" + list(operation.key) + "]]" : "nil]";
            }
            if (operation.writes && completes) {
                std::string& elements = list(operation.key);
                elements += (elements.empty() ? "" : " ") + std::to_string(operation.value);
            }
        }
        buffer_ += "]}\n";
    }

    std::string& list(std::uint64_t key) {
        if (key >= lists_.size()) {
            lists_.resize(key + active_keys);
        }
        return lists_[key];
    }
    std::uint64_t& registers(std::uint64_t key) {
        if (key >= registers_.size()) {
            registers_.resize(key + active_keys);
        }
        return registers_[key];
    }

    void flush() {
        std::fwrite(buffer_.data(), 1, buffer_.size(), out_);
        buffer_.clear();
    }

    std::FILE* out_;
    bool elle_;
    std::mt19937_64 random_{20'261'118};
    Keys keys_{random_};
    std::vector<std::vector<Operation>> open_;
    std::vector<std::string> lists_;
    std::vector<std::uint64_t> registers_;
    std::string buffer_;
    std::uint64_t completed_ = 0;
    std::uint64_t index_ = 0;
};

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

int main(int argc, char** argv) {
    const std::string_view format = argc == 4 ? argv[1] : "";
    if (format != "elle-append" && format != "plume") {
        std::fputs("usage: generate_history elle-append|plume TRANSACTIONS FILE\n", stderr);
        return 2;
    }
    const std::unique_ptr<std::FILE, Close> out(std::fopen(argv[3], "wb"));
    if (!out) {
        std::perror(argv[3]);
        return 2;
    }
    Generator(out.get(), format == "elle-append").run(std::strtoull(argv[2], nullptr, 10));
    return 0;
}
