#include <algorithm>
#include <filesystem>
#include <system_error>

#include "isotap/base/byte_reader.hpp"

#include "analysis/history/history_builder.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

namespace fs = std::filesystem;

/// Writes that stand for the state before the first transaction: a key that was absent, and one
/// that was there from the start.
constexpr std::int64_t absent_write = 0xdeadbeef;
constexpr std::int64_t initial_write = 0xbebeebee;

/// One session of Cobra: a letter and big-endian numbers, again and again.
class CobraLog {
  public:
    CobraLog(const Source& source, HistoryBuilder& builder)
        : source_(source), bytes_(as_bytes(source.text)), builder_(builder) {}

    ReadResult<void> read() {
        const std::uint32_t session = builder_.begin_session();
        bool open = false;
        while (!bytes_.at_end()) {
            const std::size_t at = offset();
            const auto letter = static_cast<char>(bytes_.u8());
            if (letter != 'S' && letter != 'R' && letter != 'W' && letter != 'C') {
                return error(ReadErrorKind::malformed, at, "expected S, R, W or C");
            }
            if (open == (letter == 'S')) {
                return error(ReadErrorKind::contradiction, at,
                             open ? "a transaction starts inside another one"
                                  : "an operation outside of a transaction");
            }
            const std::int64_t number = read_record(letter);
            if (!bytes_.ok()) {
                break;
            }
            open = letter != 'C';
            if (!open) {
                builder_.end_transaction(session, Outcome::committed,
                                         static_cast<std::uint64_t>(number));
            }
        }
        if (!bytes_.ok()) {
            return error(ReadErrorKind::truncated, source_.text.size(),
                         "expected the numbers of an operation");
        }
        if (open) {
            // The client died here: nobody knows whether this one committed.
            builder_.end_transaction(session, Outcome::indeterminate);
        }
        return {};
    }

  private:
    /// The number of the transaction for S and C.
    std::int64_t read_record(char letter) {
        std::int64_t first = number();
        if (letter == 'S' || letter == 'C') {
            return first;
        }
        if (letter == 'R') {
            first = number();  // the writer's transaction comes before the write it saw
        }
        const std::int64_t key = number();
        number();  // a hash of the value: the write says more
        if (bytes_.ok()) {
            Atoms& atoms = builder_.history.atoms;
            const bool initial = letter == 'R' && (first == absent_write || first == initial_write);
            builder_.add(atoms.number(key), initial ? initial_value : atoms.number(first),
                         letter == 'R' ? OperationKind::read : OperationKind::write);
        }
        return 0;
    }

    std::int64_t number() noexcept { return static_cast<std::int64_t>(bytes_.be64()); }
    [[nodiscard]] std::size_t offset() const noexcept {
        return source_.text.size() - bytes_.rest().size();
    }
    [[nodiscard]] ReadError error(ReadErrorKind kind, std::size_t byte, std::string what) const {
        return {kind, source_.name, 0, byte, std::move(what)};
    }

    const Source& source_;
    ByteReader bytes_;
    HistoryBuilder& builder_;
};

}  // namespace

ReadResult<History> read_cobra(const std::string& folder) {
    std::error_code failed;
    std::vector<fs::path> logs;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with('T') && name.ends_with(".log")) {
            logs.push_back(entry.path());
        }
    }
    if (failed || logs.empty()) {
        return ReadError{ReadErrorKind::unreadable, folder, 0, 0,
                         failed ? failed.message() : "no T*.log in this folder"};
    }
    std::sort(logs.begin(), logs.end());
    HistoryBuilder builder;
    for (const fs::path& log : logs) {
        auto file = MappedFile::open(log.string());
        if (!file) {
            return file.error();
        }
        const Source source{log.string(), file->text(), &*file};
        if (auto done = CobraLog(source, builder).read(); !done) {
            return done.error();
        }
    }
    return std::move(builder.history);
}

}  // namespace isotap::history
