#include <string>

#include "isotap/base/byte_reader.hpp"

#include "analysis/history/history_builder.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

/// dbcop's binary form, little endian: five numbers, three texts, then sessions of transactions of
/// events, each list after its length.
class BincodeReader {
  public:
    explicit BincodeReader(const Source& source) : source_(source), bytes_(as_bytes(source.text)) {}

    ReadResult<History> read() {
        constexpr int parameters = 5;
        for (int i = 0; i < parameters; ++i) {
            bytes_.le64();
        }
        for (const char* what : {"a description", "a start time", "an end time"}) {
            const std::uint64_t length = bytes_.le64();
            if (length > bytes_.rest().size()) {
                return error(what);
            }
            bytes_.take(length);
        }
        const std::uint64_t sessions = bytes_.le64();
        for (std::uint64_t i = 0; i < sessions; ++i) {
            if (!read_session()) {
                return error(expected_);
            }
        }
        if (!bytes_.ok()) {
            return error("the number of sessions");
        }
        if (!bytes_.at_end()) {
            return ReadError{ReadErrorKind::malformed, source_.name, 0, offset(),
                             "expected the end of the file"};
        }
        return std::move(builder_.history);
    }

  private:
    bool read_session() {
        const std::uint32_t session = builder_.begin_session();
        const std::uint64_t transactions = bytes_.le64();
        expected_ = "the number of transactions of a session";
        for (std::uint64_t i = 0; bytes_.ok() && i < transactions; ++i) {
            const std::uint64_t events = bytes_.le64();
            expected_ = "the events of a transaction";
            for (std::uint64_t j = 0; bytes_.ok() && j < events; ++j) {
                read_event();
            }
            const bool committed = bytes_.u8() != 0;
            if (bytes_.ok()) {
                builder_.end_transaction(session,
                                         committed ? Outcome::committed : Outcome::aborted);
            }
            source_.done_before(offset());
        }
        return bytes_.ok();
    }

    /// An event that failed did nothing.
    void read_event() {
        const bool writes = bytes_.u8() != 0;
        Atoms& atoms = builder_.history.atoms;
        const auto variable = static_cast<std::int64_t>(bytes_.le64());
        const auto value = static_cast<std::int64_t>(bytes_.le64());
        const bool succeeded = bytes_.u8() != 0;
        if (bytes_.ok() && succeeded) {
            builder_.add(atoms.number(variable), atoms.number(value),
                         writes ? OperationKind::write : OperationKind::read);
        }
    }

    [[nodiscard]] std::size_t offset() const noexcept {
        return source_.text.size() - bytes_.rest().size();
    }
    [[nodiscard]] ReadError error(const char* what) const {
        return {ReadErrorKind::truncated, source_.name, 0, source_.text.size(),
                std::string("expected ") + what};
    }

    const Source& source_;
    ByteReader bytes_;
    const char* expected_ = "";
    HistoryBuilder builder_;
};

}  // namespace

ReadResult<History> read_dbcop_bincode(const Source& source) {
    return BincodeReader(source).read();
}

}  // namespace isotap::history
