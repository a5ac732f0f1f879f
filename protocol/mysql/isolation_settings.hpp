#pragma once

#include <optional>
#include <string_view>

#include "isotap/history/events.hpp"

#include "protocol/sql/transaction_control.hpp"

namespace isotap::mysql {

/// The isolation of one transaction, and how it came to be known.
struct Isolation {
    history::IsolationLevel level = history::IsolationLevel::repeatable_read;
    history::LevelSource source = history::LevelSource::server_default;
    bool read_only = false;
};

/// What a session has been told about isolation: for itself, and for its next transaction alone.
class IsolationSettings {
  public:
    /// A statement that sets something has succeeded.
    void set(const sql::TransactionControl& control) noexcept;

    /// The server's session tracker names a variable; others than those of isolation are ignored.
    void reported(std::string_view variable, std::string_view value) noexcept;

    /// Back to what the server gives to everybody.
    void reset() noexcept;

    /// For a transaction that starts with this statement. Uses up what was set for the next one.
    [[nodiscard]] Isolation take(const sql::TransactionControl& first) noexcept;

  private:
    Isolation session_;
    std::optional<Isolation> next_;
};

}  // namespace isotap::mysql
