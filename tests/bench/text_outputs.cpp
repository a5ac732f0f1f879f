// Histories in the formats of other checkers.
#include <cstdio>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/history_output.hpp"

namespace isotap::bench {
namespace {

class TextFile {
  public:
    explicit TextFile(const std::string& path) : out_(std::fopen(path.c_str(), "wb")) {
        if (out_ == nullptr) {
            std::perror(path.c_str());
        }
    }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;
    ~TextFile() { close(); }

    [[nodiscard]] bool is_open() const noexcept { return out_ != nullptr; }
    std::string& buffer() noexcept { return buffer_; }

    void flush_if_full() {
        constexpr std::size_t enough = 1U << 20U;
        if (buffer_.size() > enough) {
            flush();
        }
    }
    bool close() {
        if (out_ != nullptr) {
            flush();
            written_ = std::fclose(out_) == 0 && written_;
            out_ = nullptr;
        }
        return written_;
    }

  private:
    void flush() {
        written_ =
            std::fwrite(buffer_.data(), 1, buffer_.size(), out_) == buffer_.size() && written_;
        buffer_.clear();
    }

    std::FILE* out_;
    std::string buffer_;
    bool written_ = true;
};

/// Grows with what it is asked for.
template <typename Value>
Value& at(std::vector<Value>& values, std::uint64_t key) {
    if (key >= values.size()) {
        values.resize(key + values.size() / 2 + 1);
    }
    return values[key];
}

class ElleOutput final : public HistoryOutput {
  public:
    explicit ElleOutput(const std::string& path) : file_(path) {}
    [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }

    void invoke(std::size_t session, std::span<const Operation> operations) override {
        line(session, operations, "invoke");
    }
    void complete(std::size_t session, std::span<const Operation> operations) override {
        line(session, operations, "ok");
    }
    bool close() override { return file_.close(); }

  private:
    void line(std::size_t session, std::span<const Operation> operations, std::string_view type) {
        const bool completes = type == "ok";
        std::string& out = file_.buffer();
        fmt::format_to(std::back_inserter(out),
                       "{{:index {}, :time {}, :type :{}, :process {}, :f :txn, :value [", index_,
                       index_ * 1000, type, session);
        ++index_;
        const char* separator = "";
        for (const Operation& operation : operations) {
            out += separator;
            separator = " ";
            std::string& list = at(lists_, operation.key);
            if (!operation.writes) {
                fmt::format_to(std::back_inserter(out), "[:r {} ", operation.key);
                out += completes ? "[" + list + "]]" : "nil]";
                continue;
            }
            fmt::format_to(std::back_inserter(out), "[:append {} {}]", operation.key,
                           operation.value);
            if (completes) {
                list += (list.empty() ? "" : " ") + std::to_string(operation.value);
            }
        }
        out += "]}\n";
        file_.flush_if_full();
    }

    TextFile file_;
    std::vector<std::string> lists_;
    std::uint64_t index_ = 0;
};

class PlumeOutput final : public HistoryOutput {
  public:
    explicit PlumeOutput(const std::string& path) : file_(path) {}
    [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }

    void invoke(std::size_t /*session*/, std::span<const Operation> /*operations*/) override {}
    void complete(std::size_t session, std::span<const Operation> operations) override {
        for (const Operation& operation : operations) {
            std::uint64_t& value = at(registers_, operation.key);
            if (operation.writes) {
                value = operation.value;
            }
            fmt::format_to(std::back_inserter(file_.buffer()), "{}({},{},{},{})\n",
                           operation.writes ? 'w' : 'r', operation.key, value, session, completed_);
        }
        ++completed_;
        file_.flush_if_full();
    }
    bool close() override { return file_.close(); }

  private:
    TextFile file_;
    std::vector<std::uint64_t> registers_;
    std::uint64_t completed_ = 0;
};

template <typename Output>
std::unique_ptr<HistoryOutput> opened(const std::string& path) {
    auto output = std::make_unique<Output>(path);
    return output->is_open() ? std::move(output) : nullptr;
}

}  // namespace

std::unique_ptr<HistoryOutput> elle_output(const std::string& path) {
    return opened<ElleOutput>(path);
}

std::unique_ptr<HistoryOutput> plume_output(const std::string& path) {
    return opened<PlumeOutput>(path);
}

}  // namespace isotap::bench
