#pragma once

#include <cstdint>

/// What the number of an error says of the statement and of its transaction.
namespace isotap::mysql {

/// The whole transaction is gone: a deadlock, the lock table full, and the XA branches that the
/// server has rolled back by itself.
bool rolls_back_all(std::uint32_t error) noexcept;

/// The statement is undone, or the transaction: a lock wait that took too long, as a setting wants
/// it, a row that changed under MariaDB's snapshot, and no number for a row, which may be a
/// deadlock.
bool may_roll_back_all(std::uint32_t error) noexcept;

/// The text is no SQL. The message tells of all that stands behind the place, in whatever
/// statement.
bool cannot_be_read(std::uint32_t error) noexcept;

/// The statement was never tried, be it a COMMIT: it could not be read, a cursor was asked for that
/// it has not, its protocol or an unknown number forbids it, and so do XA, a quota, and a password
/// to be changed.
bool never_ran(std::uint32_t error) noexcept;

/// A COMMIT that failed so has undone the transaction.
bool undoes_a_commit(std::uint32_t error) noexcept;

/// Nobody knows whether a statement alone was committed: the server went away, the session was
/// killed, and TiDB's own word for it.
bool leaves_doubt(std::uint32_t error) noexcept;

/// The statement was not run at all, because of its text or of who asks.
bool refuses_the_text(std::uint32_t error) noexcept;

}  // namespace isotap::mysql
