#include "analysis/history/recording/sqlite.hpp"

namespace isotap::history::sqlite {

Statement::Statement(const Database& database, std::string_view sql) noexcept {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                       SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    handle_.reset(made);
}

bool Statement::run() noexcept {
    const int code = sqlite3_step(handle_.get());
    sqlite3_reset(handle_.get());
    return code == SQLITE_DONE;
}

Statement::Step Statement::step() noexcept {
    switch (sqlite3_step(handle_.get())) {
        case SQLITE_ROW: return Step::row;
        case SQLITE_DONE: return Step::end;
        default: return Step::failed;
    }
}

std::string_view Statement::text(int column) const noexcept {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    const int bytes = sqlite3_column_bytes(handle_.get(), column);
    return text == nullptr ? std::string_view{}
                           : std::string_view(text, static_cast<std::size_t>(bytes));
}

bool Database::open(const std::string& path, int flags) noexcept {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    handle_.reset(opened);
    return code == SQLITE_OK;
}

bool Database::run(const char* sql) noexcept {
    return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

std::optional<std::int64_t> Database::number(const char* sql) const noexcept {
    Statement statement(*this, sql);
    if (!statement.ready() || statement.step() != Statement::Step::row) {
        return std::nullopt;
    }
    return statement.integer(0);
}

std::string Database::error() const {
    return handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_.get());
}

}  // namespace isotap::history::sqlite
