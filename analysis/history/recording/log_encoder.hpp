#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isotap/history/events.hpp"

namespace isotap::history::recording {

/// A text of the recording by its number; 0 is the empty one.
using TextId = std::int64_t;

/// What transactions did, one after the other, as the `entries` of a row of `log`: a JSON array of
/// small arrays, numbers and fixed words only, without white space (docs/HISTORY_FORMAT.md). One
/// row holds what one transaction did without another one coming in between.
class LogEncoder {
  public:
    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
    [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }

    void add(const TransactionLevel& event);
    void add(const StatementBegan& event, TextId text);
    void add(const StatementEnded& event, TextId sql_state, TextId tag);
    void add(const Savepoint& event, TextId name);
    void add(const Access& event);
    void add(const WriterList& event);
    void add(const RowImage& event, TextId before, TextId after);
    void add(const PredicateRead& event, TextId condition);
    void add(const PredicateMatch& event);
    void add(const TableEmptied& event);
    void add(const HeldRead& event);
    void add(const Alias& event);

    /// The array so far, whole. `clear` begins the next one.
    std::string_view finish();
    void clear() noexcept { text_.clear(); }

  private:
    void open(char kind);
    void open(char kind, std::uint32_t statement);
    void close() { text_ += ']'; }
    void number(std::int64_t value);
    void number(std::uint64_t value) { number(static_cast<std::int64_t>(value)); }
    void row(const RowKey& row);
    void version(const Version& version);

    std::string text_;
};

/// A row as JSON: the number where it is one, else 32 hexadecimal digits in quotes.
void append_row(std::string& text, const RowKey& row);

}  // namespace isotap::history::recording
