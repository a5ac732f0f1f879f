#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isotap/proxy/options.hpp"
#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

/// A table and what it has of the columns that name rows and versions.
struct AuxiliaryState {
    enum class Stage : std::uint8_t {
        absent,
        begun,  ///< the columns are there, not every row is named
        ready,
        unread,   ///< the columns are there, but its rows cannot be looked at: `why`
        refused,  ///< cannot have them: `why`
    };

    std::string schema;
    std::string table;
    Stage stage = Stage::absent;
    std::string why;
};

/// The server does not do for one table what it may do for others.
class TableRefused : public StartupError {
  public:
    explicit TableRefused(const std::string& words);

    /// The server's, as they came.
    [[nodiscard]] const std::string& words() const noexcept { return words_; }

  private:
    std::string words_;
};

/// Adds auxiliary columns to the tables of one database, and takes them away again. What is there
/// already is left as it is, so that work that was broken off goes on where it was. Columns carry
/// the comment `isotap`: those of others that happen to have the names are never touched. Blocks;
/// one thread. Throws StartupError (failure) with the server's words; on the MySQL family it is a
/// TableRefused where work on the other tables has a chance.
class AuxiliaryColumns {
  public:
    /// Rows that have got their name so far.
    using Progress = std::function<void(std::uint64_t rows)>;

    AuxiliaryColumns() = default;
    AuxiliaryColumns(const AuxiliaryColumns&) = delete;
    AuxiliaryColumns& operator=(const AuxiliaryColumns&) = delete;
    virtual ~AuxiliaryColumns() = default;

    /// Every table of the database, by name.
    virtual std::vector<AuxiliaryState> tables() = 0;
    /// The same without a look at any row: `ready` where both columns are there.
    virtual std::vector<AuxiliaryState> at_a_glance() = 0;
    virtual void add(const AuxiliaryState& table, const Progress& progress) = 0;
    virtual void drop(const AuxiliaryState& table) = 0;
};

/// How long a table that is in use is waited for. While one waits, whoever comes later waits
/// behind.
enum class TableWait : std::uint8_t {
    seconds,
    none,  ///< MySQL family; it is an error, and the work may be started again
};

/// Connects with user and password of the URL.
std::unique_ptr<AuxiliaryColumns> auxiliary_columns(const Upstream& upstream,
                                                    TableWait wait = TableWait::seconds);
std::unique_ptr<AuxiliaryColumns> mysql_auxiliary_columns(const Upstream& upstream, TableWait wait);
std::unique_ptr<AuxiliaryColumns> postgres_auxiliary_columns(const Upstream& upstream);

/// Rows that one transaction names: few enough that nobody waits for its locks.
inline constexpr int rows_per_batch = 5'000;

}  // namespace isotap::proxy
