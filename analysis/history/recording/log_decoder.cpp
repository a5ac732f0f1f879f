#include "analysis/history/recording/log_decoder.hpp"

#include <charconv>
#include <limits>
#include <vector>

namespace isotap::history::recording {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

class Decoder {
  public:
    Decoder(std::string_view text, TransactionId transaction, TextSource& texts, EventSink& sink)
        : text_(text), transaction_(transaction), texts_(texts), sink_(sink) {}

    LogFault run() {
        expect("[", "an array of entries");
        while (ok()) {
            entry();
            if (at_ < text_.size() && text_[at_] == ',') {
                ++at_;
                continue;
            }
            expect("]", "',' or the end of the entries");
            if (ok() && at_ != text_.size()) {
                fail("nothing behind the entries");
            }
            break;
        }
        return {at_, expected_};
    }

  private:
    [[nodiscard]] bool ok() const noexcept { return expected_ == nullptr; }

    void fail(const char* expected) noexcept {
        if (ok()) {
            expected_ = expected;
        }
    }

    bool next_is(std::string_view word) noexcept {
        const bool is = text_.substr(at_, word.size()) == word;
        at_ += is ? word.size() : 0;
        return is;
    }

    void expect(std::string_view word, const char* what) noexcept {
        if (ok() && !next_is(word)) {
            fail(what);
        }
    }

    template <typename Number>
    Number digits() noexcept {
        Number value{};
        const char* end = text_.data() + text_.size();
        const auto read = std::from_chars(text_.data() + at_, end, value);
        if (read.ec != std::errc{}) {
            fail("a number");
            return 0;
        }
        at_ = static_cast<std::size_t>(read.ptr - text_.data());
        return value;
    }

    std::int64_t number(std::int64_t max = largest,
                        std::int64_t min = std::numeric_limits<std::int64_t>::min()) noexcept {
        expect(",", "',' and a number");
        const std::size_t start = at_;
        const auto value = ok() ? digits<std::int64_t>() : 0;
        if (value < min || value > max) {
            at_ = start;
            fail("a number that means something here");
            return 0;
        }
        return value;
    }

    std::uint64_t bits() noexcept { return static_cast<std::uint64_t>(number()); }
    bool flag() noexcept { return number(1, 0) == 1; }
    NameId name() noexcept {
        return NameId{
            static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max(), 0))};
    }
    template <typename Enum>
    Enum word(Enum last) noexcept {
        return static_cast<Enum>(number(static_cast<std::int64_t>(last), 0));
    }
    Time time() noexcept { return Time{std::chrono::nanoseconds{number()}}; }
    std::string_view text() { return texts_.text(number(largest, 0)); }

    StatementRef statement() noexcept {
        return {transaction_,
                static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max(), 0))};
    }

    RowKey row() noexcept {
        if (text_.substr(at_, 2) != ",\"") {
            return {0, static_cast<std::uint64_t>(number(largest, 0))};
        }
        at_ += 2;
        RowKey row{hexadecimal(), hexadecimal()};
        expect("\"", "the end of a row's 32 digits");
        return row;
    }

    std::uint64_t hexadecimal() noexcept {
        constexpr std::size_t width = 16;
        const std::string_view part = text_.substr(at_, width);
        std::uint64_t value = 0;
        const auto read = std::from_chars(part.data(), part.data() + part.size(), value, 16);
        if (part.size() != width || read.ptr != part.data() + width) {
            fail("a row's 32 hexadecimal digits");
            return 0;
        }
        at_ += width;
        return value;
    }

    Version version() noexcept {
        if (next_is("T0") && !more_digits()) {
            return Version::initial();
        }
        if (next_is("T")) {
            const auto writer = digits<std::uint64_t>();
            expect(".", "a version, T<transaction>.<statement>");
            return Version::written_by({TransactionId{writer}, ok() ? digits<std::uint32_t>() : 0});
        }
        if (next_is("x")) {
            return Version::foreign(digits<std::uint64_t>());
        }
        if (next_is("unborn")) {
            return Version::unborn();
        }
        if (next_is("dead")) {
            return Version::dead();
        }
        expect("?", "a version: T0, T<transaction>.<statement>, x<number>, unborn, dead or ?");
        return {};
    }
    [[nodiscard]] bool more_digits() const noexcept {
        return at_ < text_.size() &&
               (text_[at_] == '.' || (text_[at_] >= '0' && text_[at_] <= '9'));
    }

    Version quoted_version() noexcept {
        expect(",\"", "a version in quotes");
        const Version read = version();
        expect("\"", "the end of a version");
        return read;
    }

    void access(AccessKind kind) {
        Access event;
        event.kind = kind;
        event.statement = statement();
        event.table = name();
        event.row = row();
        event.before = quoted_version();
        if (next_is(",\".\"")) {
            event.after = Version::written_by(event.statement);
        } else if (at_ < text_.size() && text_[at_] == ',') {
            event.after = quoted_version();
        }
        tell(event);
    }

    void writer_list() {
        WriterList event;
        event.statement = statement();
        event.table = name();
        event.row = row();
        event.trimmed = bits();
        writers_.clear();
        expect(",\"", "a list of writers in quotes");
        while (ok() && !next_is("\"")) {
            if (!writers_.empty()) {
                expect(",", "',' between writers");
            }
            writers_.push_back(version());
        }
        event.writers = writers_;
        tell(event);
    }

    void statement_began() {
        StatementBegan event;
        event.statement = statement();
        event.at = time();
        event.text = text();
        event.text_cut = flag();
        tell(event);
    }

    void statement_ended() {
        StatementEnded event;
        event.statement = statement();
        event.at = time();
        event.outcome = word(StatementOutcome::cut);
        event.coverage = word(Coverage::full);
        if (const std::string_view state = text(); state.size() == event.sql_state.size()) {
            state.copy(event.sql_state.data(), state.size());
        }
        event.error_number =
            static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max(), 0));
        event.rows = bits();
        event.reason = name();
        event.tag = text();
        tell(event);
    }

    /// Members of a braced list are evaluated from left to right: as they stand in the text.
    void other(char kind) {
        switch (kind) {
            case 'v':
                return tell(TransactionLevel{transaction_, word(IsolationLevel::serializable),
                                             word(LevelSource::reported), flag()});
            case 'p': return tell(Savepoint{statement(), word(SavepointAction::roll_back), text()});
            case 'm': return tell(RowImage{statement(), name(), row(), text(), text()});
            case 'q': {
                const StatementRef by = statement();
                const PredicateId predicate{bits()};
                return tell(PredicateRead{by, predicate, name(), text()});
            }
            case 'h': {
                const StatementRef writer = statement();
                const PredicateId predicate{bits()};
                return tell(PredicateMatch{predicate, writer, row(), flag(), flag()});
            }
            case 'a': return tell(Alias{transaction_, bits()});
            case 'k': {
                const StatementRef by = statement();
                return tell(HeldRead{{}, by, name(), row(), quoted_version()});
            }
            case 't': {
                const StatementRef by = statement();
                return tell(TableEmptied{by, name()});
            }
            default: fail("the letter of an entry");
        }
    }

    void entry() {
        expect("[\"", "an entry");
        if (!ok() || at_ >= text_.size()) {
            return fail("an entry");
        }
        const char kind = text_[at_++];
        expect("\"", "the letter of an entry");
        if (!ok()) {
            return;
        }
        switch (kind) {
            case 's': statement_began(); break;
            case 'e': statement_ended(); break;
            case 'r': access(AccessKind::read); break;
            case 'l': access(AccessKind::locking_read); break;
            case 'b': access(AccessKind::doubtful_read); break;
            case 'i': access(AccessKind::insert); break;
            case 'u': access(AccessKind::update); break;
            case 'd': access(AccessKind::remove); break;
            case 'w': writer_list(); break;
            default: other(kind);
        }
    }

    void tell(const Event& event) {
        expect("]", "the end of an entry");
        if (ok()) {
            sink_.accept(event);
        }
    }

    std::string_view text_;
    TransactionId transaction_;
    TextSource& texts_;
    EventSink& sink_;
    std::size_t at_ = 0;
    const char* expected_ = nullptr;
    std::vector<Version> writers_;
};

}  // namespace

LogFault decode_log(std::string_view entries, TransactionId transaction, TextSource& texts,
                    EventSink& sink) {
    return Decoder(entries, transaction, texts, sink).run();
}

}  // namespace isotap::history::recording
