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

    /// What the server gives to everybody is not taken for known.
    void doubt() noexcept;

    /// What the session's next transactions have, unless something else is set for one of them.
    [[nodiscard]] const Isolation& session() const noexcept { return session_; }

    /// For a transaction that starts with this statement. Uses up what was set for the next one.
    [[nodiscard]] Isolation take(const sql::TransactionControl& first) noexcept;

    /// How the transaction has ended that took. Only COMMIT and ROLLBACK make the server forget
    /// what was set for that transaction alone. The one that it rolls back by itself, after a
    /// deadlock, leaves it in force; after any other end, nobody knows: a statement that touches no
    /// table leaves it, too.
    void ended_by_word() noexcept { used_.reset(); }
    void ended_by_server() noexcept;
    void ended() noexcept;

  private:
    /// Set for one transaction.
    struct Once {
        Isolation isolation;
        bool certain = true;  ///< no transaction may have used it up meanwhile
    };

    Isolation session_;
    std::optional<Once> next_;
    std::optional<Once> used_;  ///< by the transaction that is open
};

}  // namespace isotap::mysql
