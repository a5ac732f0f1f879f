#include <algorithm>
#include <cctype>
#include <charconv>

#include "analysis/history/history_builder.hpp"
#include "analysis/history/readers.hpp"

namespace isotap::history {

namespace {

/// dbcop's own text: `[x:=1 y==2 z==?] [..]!`, sessions parted by `---`.
class HistReader {
  public:
    explicit HistReader(const Source& source) : source_(source), text_(source.text) {}

    ReadResult<History> read() {
        session_ = builder_.begin_session();
        for (;;) {
            blanks();
            if (at_ == text_.size()) {
                return std::move(builder_.history);
            }
            if (text_.substr(at_).starts_with("---")) {
                at_ = std::min(text_.find_first_not_of('-', at_), text_.size());
                session_ = builder_.begin_session();
            } else if (!read_transaction()) {
                const auto kind =
                    at_ >= text_.size() ? ReadErrorKind::truncated : ReadErrorKind::malformed;
                return source_.error(kind, at_, expected_);
            }
        }
    }

  private:
    bool read_transaction() {
        if (text_[at_] != '[') {
            return expect("expected a transaction [x:=1 y==2], --- or a // comment");
        }
        ++at_;
        for (;;) {
            blanks();
            if (at_ == text_.size()) {
                return expect("expected the end of a transaction: ]");
            }
            if (text_[at_] == ']') {
                break;
            }
            if (!read_operation()) {
                return false;
            }
        }
        ++at_;
        const bool aborted = at_ < text_.size() && text_[at_] == '!';
        at_ += aborted ? 1 : 0;
        builder_.end_transaction(session_, aborted ? Outcome::aborted : Outcome::committed);
        return true;
    }

    bool read_operation() {
        const std::string_view name = word();
        const std::string_view rest = text_.substr(at_);
        const bool writes = rest.starts_with(":=");
        if (name.empty() || (!writes && !rest.starts_with("=="))) {
            return expect("expected x:=1, x==1 or x==?");
        }
        at_ += 2;
        const std::string_view digits = word();
        if (digits.empty() && !writes && at_ < text_.size() && text_[at_] == '?') {
            ++at_;
            builder_.read(atom(name), initial_value);
            return true;
        }
        if (digits.empty()) {
            return expect(writes ? "expected a value" : "expected a value or ?");
        }
        builder_.add(atom(name), atom(digits), writes ? OperationKind::write : OperationKind::read);
        return true;
    }

    Value atom(std::string_view text) {
        Value integer = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
        const bool whole = error == std::errc{} && end == text.data() + text.size();
        return whole ? builder_.history.atoms.number(integer) : builder_.history.atoms.intern(text);
    }

    std::string_view word() noexcept {
        const std::size_t start = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
            ++at_;
        }
        return text_.substr(start, at_ - start);
    }

    void blanks() noexcept {
        while (at_ < text_.size()) {
            if (text_.substr(at_).starts_with("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                return;
            }
        }
    }

    bool expect(const char* what) {
        expected_ = what;
        return false;
    }

    const Source& source_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t session_ = 0;
    const char* expected_ = "";
    HistoryBuilder builder_;
};

}  // namespace

ReadResult<History> read_dbcop_hist(const Source& source) {
    return HistReader(source).read();
}

}  // namespace isotap::history
