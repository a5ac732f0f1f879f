#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/events.hpp"

#include "protocol/sql/catalog.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::sql {

/// A piece of the client's own text, literals and all, that an addition repeats.
struct Quote {
    std::size_t at = 0;  ///< offset in the addition's text
    TokenRange tokens;   ///< empty: the stamp of the writer
};

/// A change of a statement's text, in terms of its tokens: those in [first, last) are replaced by
/// `text`; an empty range inserts right behind the token before it, so that no comment swallows it.
struct Splice {
    static constexpr std::size_t no_stamp = static_cast<std::size_t>(-1);

    TokenRange tokens;
    std::string text;
    /// Where in `text` the stamp of the writer goes, an SQL expression that is known only when the
    /// statement is sent.
    std::size_t stamp_at = no_stamp;
    /// In the order of the text. A splice has either these or `stamp_at`.
    std::vector<Quote> quotes{};

    [[nodiscard]] bool has_stamp() const noexcept;
};

/// What an added result column holds. PostgreSQL sends each as text.
enum class ColumnRole : std::uint8_t {
    key,          ///< a part of the row's identity; NULL: no row (the empty side of an outer join)
    seen,         ///< `system`: the version that was read, or that was overwritten or deleted
    made,         ///< `system`: the version that was written
    writers,      ///< `columns`: wList. Its last entry is the current version: seen by a read or a
                  ///< delete, made by other writes, which overwrote the entry before
    transaction,  ///< the server's number of the top-level transaction
    updated,      ///< 'true' where ON CONFLICT updated a row that was there, else 'false'
    action,       ///< MERGE: what it did to the row: INSERT, UPDATE or DELETE
    packed,      ///< many rows: `key=version;key=version;…`, keys of several parts joined by ','.
                 ///< NULL: none, or told in another row of the result
    packed_hex,  ///< the same, each part of a key as the hex of its UTF-8
    packed_if_short,  ///< `packed`, the same in every row of the result; '!' where it is too long
    insert_id,        ///< the value of the column that numbers itself
};

/// How the names of columns begin that are added to a SELECT of PostgreSQL.
inline constexpr std::string_view added_name_prefix = "isotap_";

struct AddedColumn {
    static constexpr std::size_t no_table = static_cast<std::size_t>(-1);

    ColumnRole role = ColumnRole::key;
    std::size_t table = no_table;  ///< index into `Plan::tables`
};

struct CapturedTable {
    std::string identity;
    VersionSource source = VersionSource::none;
    history::AccessKind kind = history::AccessKind::read;
};

/// A question to put behind a statement, on the same connection: rows that it has read are read
/// again, as long as they are the same for sure. It has one row with a column for each table.
struct Reread {
    /// What keeps the rows as they were.
    enum class Hold : std::uint8_t {
        locks,     ///< those that the statement has taken: REPEATABLE READ and SERIALIZABLE
        snapshot,  ///< that of the transaction: REPEATABLE READ alone
    };

    /// A column as long as this was cut.
    static constexpr std::size_t bytes_max = 4'000'000;

    std::string text;  ///< empty: nothing is read again
    std::vector<Quote> quotes;
    std::vector<std::size_t> tables;  ///< of the columns, which are `packed`
    Hold hold = Hold::locks;
    /// All that keeps coverage from being full is that these rows are not told yet.
    bool completes = false;
    /// They are what the whole result came from, and nothing else tells of the statement: it is
    /// `opaque` until they are told.
    bool of_result = false;
    /// The result tells the same as `packed_if_short`: to be put, if at all, only where that was
    /// too long.
    bool spare = false;

    [[nodiscard]] bool wanted() const noexcept { return !text.empty(); }
};

/// A question that a `Reread` puts about one statement.
struct Question {
    std::string text;  ///< empty: not to be put
    /// Of a statement that is prepared: which of its parameters the question's own are, in their
    /// order.
    std::vector<std::size_t> parameters;

    [[nodiscard]] bool wanted() const noexcept { return !text.empty(); }
};

/// What becomes of the server's reply.
enum class ReplyChange : std::uint8_t {
    none,
    strip,    ///< the client gets the rows without the last `added.size()` columns
    swallow,  ///< the client expects no rows: it gets the completion alone (PostgreSQL)
    rebuild,  ///< the client expects an OK packet: it is made from the rows (MariaDB RETURNING)
};

/// How the statements of one shape are rewritten, and what the additions in their results mean.
/// Immutable once made: share it between sessions and threads. Applied by token index.
struct Plan {
    history::Coverage coverage = history::Coverage::opaque;
    /// Why coverage is not full, in a word or two; empty when it is.
    std::string_view reason;
    /// Auxiliary columns would show in the result and no rewrite can hide them.
    bool leaks = false;

    std::vector<Splice> splices;  ///< in the order of the text
    ReplyChange reply = ReplyChange::none;
    std::vector<AddedColumn> added;  ///< the last columns of every row, in order
    std::vector<CapturedTable> tables;
    /// A result without rows may have read rows all the same, and nothing tells of them.
    bool silent_when_empty = false;
    /// Coverage is full after all when so many rows were inserted, or updated over a version that
    /// is told: none met a conflict that says nothing. With `afterwards`: when the server says that
    /// it touched so many. 0: it is as it stands.
    std::size_t full_when_known = 0;

    /// A statement to send behind this one on the same connection; empty where none is needed. Its
    /// one row has the rows of `tables[0]` in its first column, as `packed`, a ';' ahead of each,
    /// with wList as it was before the write. A '*' behind it: the row matched and did not change.
    /// `key=+`: a row that is about to be made; where another row comes next, that one was there
    /// already.
    std::string afterwards;

    Reread reread;

    /// A hint is added, and of two hints the server reads the first one alone: not for a text that
    /// has one, which its shape does not tell.
    bool hints = false;

    /// Triggers tell of the write: the session names the writer ahead of the statement, and what
    /// `afterwards` gives is of the form that `protocol/mysql/instrument/told_write.hpp` reads.
    bool told_by_triggers = false;

    /// This one reads rows twice to tell of them: a plan for where that would lock more or might
    /// see others, and for where the server does not take it. Null: there is no need of one.
    std::shared_ptr<const Plan> otherwise;

    /// The server closes the connection of a client that sends it a text of this size.
    std::size_t text_max = SIZE_MAX;

    /// LOAD DATA: the completion says how many rows it has skipped and removed.
    bool loads = false;
    /// With `loads`: coverage is full after all where there are none.
    bool full_when_none_skipped = false;
    /// The server may ask the client for a file before it answers.
    bool asks_for_file = false;

    /// PostgreSQL: the text calls set_config(), which not every role may.
    bool calls_set_config = false;

    /// `tables` are empty once the statement is through; no rows tell so.
    bool empties = false;

    /// COPY of a table: queries that show what it copies, before and after. The server reads a COPY
    /// only when it runs, so that these are proved in its place. Else empty.
    struct ShownBy {
        std::string original;
        std::string rewritten;
    };
    ShownBy shown_by;

    /// With `rebuild`: the completion of the statement says how many rows it read and made.
    bool counts_records = false;
    /// How many it read, where it may skip some; else as many as it made.
    std::size_t records = 0;

    /// PostgreSQL: the same for a reply that is text for sure. The server takes 2.5 µs for a point
    /// SELECT's casts to text, of 20. Null: no other one.
    std::shared_ptr<const Plan> in_text;

    [[nodiscard]] bool rewrites() const noexcept { return !splices.empty(); }
    [[nodiscard]] bool writes() const noexcept {
        return std::any_of(tables.begin(), tables.end(),
                           [](const auto& table) { return !history::is_read(table.kind); });
    }
};

/// Writes the statement as the plan wants it into `out`, which it empties first and never shrinks:
/// no allocation once `out` has grown. `tokens` must be of the plan's shape.
void apply(const Plan& plan, const TokenList& tokens, std::string_view stamp, std::string& out);

/// The question about the statement that `tokens` are of.
Question ask_again(const Reread& reread, const TokenList& tokens);

/// The offset in the client's text of a byte of the rewritten one, for error positions. A byte of
/// an addition maps to where the addition was put.
std::size_t original_offset(const Plan& plan, const TokenList& tokens, std::string_view stamp,
                            std::size_t rewritten) noexcept;

}  // namespace isotap::sql
