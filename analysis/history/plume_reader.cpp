#include <unordered_map>

#include "analysis/history/line_reader.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

struct PlumeLine {
    OperationKind kind = OperationKind::read;
    std::int64_t key = 0;
    std::int64_t value = 0;
    std::int64_t session = 0;
    std::int64_t transaction = 0;
};

constexpr std::int64_t aborted_transaction = -1;

bool parse(std::string_view line, PlumeLine& into) {
    const bool writes = take_char(line, 'w');
    into.kind = writes ? OperationKind::write : OperationKind::read;
    return (writes || take_char(line, 'r')) && take_char(line, '(') &&
           take_integer(line, into.key) && take_char(line, ',') && take_integer(line, into.value) &&
           take_char(line, ',') && take_integer(line, into.session) && take_char(line, ',') &&
           take_integer(line, into.transaction) && take_char(line, ')') &&
           line.find_first_not_of(' ') == std::string_view::npos;
}

struct SessionAndTransaction {
    std::uint32_t session = 0;
    std::int64_t transaction = 0;
    friend bool operator==(const SessionAndTransaction&, const SessionAndTransaction&) = default;
};

struct Hash {
    std::size_t operator()(const SessionAndTransaction& key) const noexcept {
        return (static_cast<std::size_t>(key.transaction) << 16 ^ key.session) *
               0x9E3779B97F4A7C15ULL;
    }
};

/// Transactions are told apart by (session, number): some writers of this format number them anew
/// in every session. The operations of one may stand apart.
class PlumeReader {
  public:
    explicit PlumeReader(const Source& source) : source_(source) {}

    ReadResult<History> read() {
        LineReader lines(source_.text);
        std::string_view line;
        while (lines.next(line)) {
            PlumeLine operation;
            if (line.empty()) {
                continue;
            }
            if (!parse(line, operation)) {
                return source_.error(ReadErrorKind::malformed, lines.offset(),
                                     "expected r(key,value,session,transaction) or w(…)");
            }
            add(operation);
            source_.done_before(lines.offset());
        }
        if (scattered_) {
            gather();
        }
        history_.sessions = static_cast<std::uint32_t>(sessions_.size());
        return std::move(history_);
    }

  private:
    void add(const PlumeLine& line) {
        if (owners_.empty() || line.session != last_session_ || line.transaction != last_number_) {
            switch_to(line);
        }
        Atoms& atoms = history_.atoms;
        history_.operations.push_back(
            {atoms.number(line.value), atoms.key(atoms.number(line.key)), line.kind});
        owners_.push_back(current_);
        ++history_.transactions[current_].operations;
    }

    void switch_to(const PlumeLine& line) {
        last_session_ = line.session;
        last_number_ = line.transaction;
        const std::uint32_t session =
            sessions_.try_emplace(line.session, static_cast<std::uint32_t>(sessions_.size()))
                .first->second;
        const auto next = static_cast<std::uint32_t>(history_.transactions.size());
        if (line.transaction != aborted_transaction) {
            const auto [at, fresh] = numbers_.try_emplace({session, line.transaction}, next);
            if (!fresh) {
                scattered_ = true;
                current_ = at->second;
                return;
            }
        }
        Transaction transaction;
        transaction.label = static_cast<std::uint64_t>(line.transaction);
        transaction.first_operation = history_.operations.size();
        transaction.session = session;
        transaction.outcome =
            line.transaction == aborted_transaction ? Outcome::aborted : Outcome::committed;
        history_.transactions.push_back(transaction);
        current_ = next;
    }

    /// Puts the operations of each transaction side by side, in their order.
    void gather() {
        std::uint64_t first = 0;
        for (Transaction& transaction : history_.transactions) {
            transaction.first_operation = first;
            first += transaction.operations;
            transaction.operations = 0;
        }
        std::vector<Operation> gathered(history_.operations.size());
        for (std::size_t i = 0; i < owners_.size(); ++i) {
            Transaction& owner = history_.transactions[owners_[i]];
            gathered[owner.first_operation + owner.operations++] = history_.operations[i];
        }
        history_.operations = std::move(gathered);
    }

    const Source& source_;
    History history_;
    std::unordered_map<std::int64_t, std::uint32_t> sessions_;
    std::unordered_map<SessionAndTransaction, std::uint32_t, Hash> numbers_;
    std::vector<std::uint32_t> owners_;  ///< of each operation
    std::int64_t last_session_ = 0;
    std::int64_t last_number_ = 0;
    std::uint32_t current_ = 0;
    bool scattered_ = false;
};

}  // namespace

ReadResult<History> read_plume(const Source& source) {
    return PlumeReader(source).read();
}

}  // namespace isotap::history
