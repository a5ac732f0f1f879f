#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/history/list_chains.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

/// Transactions with the start and commit times of a hybrid clock: physical, then logical.
class TimekillerReader {
  public:
    explicit TimekillerReader(const Source& source)
        : source_(source), forms_(source.text, Notation::json), lists_(history_) {}

    ReadResult<History> read() {
        bool done = forms_.expect('[', "a list of transactions");
        while (done && !forms_.take(']')) {
            done = read_transaction();
            source_.done_before(forms_.offset());
        }
        if (!done || (!forms_.at_end() && !forms_.fail("the end of the file"))) {
            return source_.error(forms_.failure(), forms_.failure_offset(), forms_.expected());
        }
        settle();
        return std::move(history_);
    }

  private:
    using Time = std::pair<std::int64_t, std::int64_t>;

    bool read_transaction() {
        Transaction transaction;
        transaction.first_operation = history_.operations.size();
        std::int64_t session = 0;
        if (!forms_.expect('{', "a transaction: {\"tid\": …}")) {
            return false;
        }
        while (!forms_.take('}')) {
            Atom field;
            if (!forms_.atom(field) || !read_field(field.text, transaction, session)) {
                return false;
            }
        }
        transaction.operations =
            static_cast<std::uint32_t>(history_.operations.size() - transaction.first_operation);
        transaction.session =
            sessions_.try_emplace(session, static_cast<std::uint32_t>(sessions_.size()))
                .first->second;
        const bool timed =
            transaction.began != beginning_of_time && transaction.ended != beginning_of_time;
        if (!timed || time(transaction.ended) < time(transaction.began)) {
            return forms_.fail("a start (sts) and a commit (cts) that is not before it");
        }
        history_.transactions.push_back(transaction);
        return true;
    }

    bool read_field(std::string_view field, Transaction& transaction, std::int64_t& session) {
        if (field == "tid") {
            std::int64_t label = 0;
            const bool done = forms_.integer(label, "a number after \"tid\"");
            transaction.label = static_cast<std::uint64_t>(label);
            return done;
        }
        if (field == "sid") {
            return forms_.integer(session, "a number after \"sid\"");
        }
        if (field == "sts") {
            return read_time(transaction.began);
        }
        if (field == "cts") {
            return read_time(transaction.ended);
        }
        return field == "ops" ? read_operations() : forms_.skip();
    }

    /// The physical part may be a string: JavaScript's numbers are too short for it.
    /// Until all times are known, a moment is the place of a time in `times_`.
    bool read_time(Moment& into) {
        std::int64_t physical = 0;
        std::int64_t logical = 0;
        if (!forms_.expect('{', "a time: {\"p\": …, \"l\": …}")) {
            return false;
        }
        while (!forms_.take('}')) {
            Atom field;
            Atom number;
            if (!forms_.atom(field) || !forms_.atom(number)) {
                return false;
            }
            std::int64_t value = number.integer;
            const char* last = number.text.data() + number.text.size();
            if (number.kind == Atom::Kind::word &&
                std::from_chars(number.text.data(), last, value).ptr != last) {
                return forms_.fail("a number in a time");
            }
            (field.text == "l" ? logical : physical) = value;
        }
        into = static_cast<Moment>(times_.size());
        times_.emplace_back(physical, logical);
        return true;
    }

    bool read_operations() {
        if (!forms_.expect('[', "a list of operations")) {
            return false;
        }
        while (!forms_.take(']')) {
            if (!read_operation()) {
                return false;
            }
        }
        return true;
    }

    bool read_operation() {
        Operation operation;
        bool has_kind = false;
        bool has_key = false;
        bool has_value = false;
        if (!forms_.expect('{', "an operation: {\"t\":\"w\",\"k\":…,\"v\":…}")) {
            return false;
        }
        while (!forms_.take('}')) {
            Atom field;
            Value name = 0;
            if (!forms_.atom(field)) {
                return false;
            }
            bool done = true;
            if (field.text == "t") {
                done = once(has_kind) && read_kind(operation);
            } else if (field.text == "k") {
                done = once(has_key) && read_value(forms_, history_.atoms, name);
                operation.key = history_.atoms.key(name);
            } else if (field.text == "v") {
                done = once(has_value) && read_seen(operation, has_key);
            } else {
                done = forms_.skip();
            }
            if (!done) {
                return false;
            }
        }
        history_.operations.push_back(operation);
        return has_key || forms_.fail("an operation with a key");
    }

    bool once(bool& seen) {
        return !std::exchange(seen, true) || forms_.fail("each field of an operation once");
    }

    bool read_kind(Operation& operation) {
        Atom kind;
        if (!forms_.atom(kind) || (kind.text != "r" && kind.text != "w" && kind.text != "a")) {
            return forms_.fail("an operation of type r, w or a");
        }
        if (operation.kind == OperationKind::read_list) {
            return kind.text == "r" || forms_.fail("a list where something is read");
        }
        saw_writes_ |= kind.text == "w";
        if (kind.text == "a") {
            history_.model = HistoryModel::lists;
        }
        if (saw_writes_ && history_.model == HistoryModel::lists) {
            return forms_.fail("one kind of history: this one mixes appends with writes");
        }
        operation.kind = kind.text == "a"   ? OperationKind::append
                         : kind.text == "w" ? OperationKind::write
                                            : OperationKind::read;
        return true;
    }

    bool read_seen(Operation& operation, bool has_key) {
        if (forms_.peek() != '[') {
            return read_value(forms_, history_.atoms, operation.value);
        }
        ListPrefix list;
        if (!has_key && !forms_.fail("the key of an operation before its value")) {
            return false;
        }
        if (operation.kind != OperationKind::read) {
            return forms_.fail("a list where something is read");
        }
        FormReader ahead = forms_;
        if (ahead.take('[') && ahead.take(']')) {
            forms_ = ahead;
            return true;
        }
        if (!lists_.read(operation.key, forms_, list)) {
            return false;
        }
        history_.model = HistoryModel::lists;
        operation.kind = OperationKind::read_list;
        operation.value = History::pack(list);
        return true;
    }

    [[nodiscard]] const Time& time(Moment at) const { return times_[static_cast<std::size_t>(at)]; }

    /// Moments become the ranks of their times. The file may be in any order; the clock knows the
    /// one of the sessions.
    void settle() {
        std::vector<Time> ranked = times_;
        std::sort(ranked.begin(), ranked.end());
        const auto rank = [&](Moment at) {
            return std::lower_bound(ranked.begin(), ranked.end(), time(at)) - ranked.begin();
        };
        for (Transaction& transaction : history_.transactions) {
            transaction.began = rank(transaction.began);
            transaction.ended = rank(transaction.ended);
        }
        std::stable_sort(
            history_.transactions.begin(), history_.transactions.end(),
            [](const Transaction& a, const Transaction& b) { return a.ended < b.ended; });
        history_.sessions = static_cast<std::uint32_t>(sessions_.size());
        history_.has_real_time = true;
    }

    const Source& source_;
    FormReader forms_;
    History history_;
    ListChains lists_;
    std::vector<Time> times_;
    bool saw_writes_ = false;
    std::unordered_map<std::int64_t, std::uint32_t> sessions_;
};

}  // namespace

ReadResult<History> read_timekiller(const Source& source) {
    return TimekillerReader(source).read();
}

}  // namespace isotap::history
