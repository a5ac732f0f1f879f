#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sqlite3.h>

/// As much of SQLite as recordings need. One thread; failures are values, the words of SQLite are
/// in `Database::error`.
namespace isotap::history::sqlite {

class Database;

/// A prepared statement. Must not outlive its database.
class Statement {
  public:
    Statement() = default;
    Statement(const Database& database, std::string_view sql) noexcept;

    /// False: `sql` was not understood, because the tables are not what they should be.
    [[nodiscard]] bool ready() const noexcept { return handle_ != nullptr; }

    void bind(int index, std::int64_t value) noexcept {
        sqlite3_bind_int64(handle_.get(), index, value);
    }
    /// `text` must stay as it is until the statement has run.
    void bind(int index, std::string_view text) noexcept {
        sqlite3_bind_text64(handle_.get(), index, text.data(), text.size(), SQLITE_STATIC,
                            SQLITE_UTF8);
    }

    /// Runs a statement that gives no rows, and makes it ready to be bound again.
    [[nodiscard]] bool run() noexcept;

    enum class Step : std::uint8_t { row, end, failed };
    [[nodiscard]] Step step() noexcept;
    void reset() noexcept { sqlite3_reset(handle_.get()); }

    [[nodiscard]] int columns() const noexcept { return sqlite3_column_count(handle_.get()); }
    [[nodiscard]] bool is_integer(int column) const noexcept {
        return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER;
    }
    [[nodiscard]] std::int64_t integer(int column) const noexcept {
        return sqlite3_column_int64(handle_.get(), column);
    }
    /// Until the next step.
    [[nodiscard]] std::string_view text(int column) const noexcept;

  private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };
    std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

class Database {
  public:
    Database() = default;

    /// `flags` as `sqlite3_open_v2` takes them. False: see `error`.
    [[nodiscard]] bool open(const std::string& path, int flags) noexcept;
    [[nodiscard]] bool run(const char* sql) noexcept;
    /// The first column of the first row; nothing where there is none, or on a failure.
    [[nodiscard]] std::optional<std::int64_t> number(const char* sql) const noexcept;
    [[nodiscard]] std::string error() const;
    [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }

  private:
    struct Close {
        void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace isotap::history::sqlite
