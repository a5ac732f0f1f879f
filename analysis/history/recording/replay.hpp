#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "isotap/history/events.hpp"

#include "analysis/history/recording/log_decoder.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/history/recording/sqlite.hpp"

namespace isotap::history::recording {

/// The texts of one file, as they are asked for; keeps a bounded number of them.
class StoredTexts final : public TextSource {
  public:
    explicit StoredTexts(const sqlite::Database& database)
        : select_(database, "SELECT text FROM text WHERE id = ?") {}

    std::string_view text(TextId id) override;
    [[nodiscard]] bool ready() const noexcept { return select_.ready(); }

    /// Between rows of `log`: views given out so far end here.
    void trim();

  private:
    sqlite::Statement select_;
    std::unordered_map<TextId, std::string> kept_;
    std::size_t bytes_ = 0;
};

/// The tables of one file, merged back into the one stream of events that they were.
class Replay {
  public:
    Replay(sqlite::Database& database, std::uint64_t first_seq);

    /// What is wrong with the file, in words; empty: nothing.
    std::string run(EventSink& sink, bool continued, const Progress& progress);

    /// The same for the names alone.
    std::string tell_names(EventSink& sink);

  private:
    enum class Table : std::uint8_t {
        session_began,
        session_ended,
        transaction_began,
        transaction_ended,
        log,
        row_label,
        gap,
    };
    static constexpr std::size_t table_count = 7;

    struct Cursor {
        sqlite::Statement rows;
        std::uint64_t seq = 0;
        bool at_row = false;
    };

    bool open_tables(bool continued);
    bool advance(Table table);
    [[nodiscard]] Table first() const noexcept;
    void tell(Table table, EventSink& sink);
    void tell_log(Cursor& cursor, EventSink& sink);
    std::int64_t integer(const Cursor& cursor, int column);
    template <typename Enum>
    Enum word(const Cursor& cursor, int column, Enum last);
    Time time(const Cursor& cursor, int column);
    RowKey row(const Cursor& cursor, int column);
    void fail(std::string what);

    sqlite::Database& database_;
    std::uint64_t first_seq_;
    StoredTexts texts_;
    std::array<Cursor, table_count> cursors_;
    Table current_ = Table::log;
    bool continued_ = false;
    std::string fault_;
};

}  // namespace isotap::history::recording
