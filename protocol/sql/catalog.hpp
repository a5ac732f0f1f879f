#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotap::sql {

enum class VersionSource : std::uint8_t {
    none,     ///< no way to name rows and versions of this table
    columns,  ///< auxiliary columns: rowId and wList
    system,   ///< PostgreSQL: primary key and xmin
};

enum class TableKind : std::uint8_t {
    ordinary,
    partitioned,
    view,
    system,  ///< the server's own: holds nothing of an application's
    other,   ///< foreign, temporary: left alone
};

/// What the planner must know of a table.
struct Table {
    std::string identity;  ///< the name in histories: schema and table
    TableKind kind = TableKind::ordinary;
    VersionSource source = VersionSource::none;
    std::vector<std::string> key;  ///< primary key, in its order
    /// MySQL family: columns of its other indexes. Unset: not known, or one is over an expression.
    std::optional<std::vector<std::string>> indexed;
    /// PostgreSQL, by part of the key: a function that makes bytes of it, for types whose text
    /// depends on settings. Empty, or missing: its text.
    std::vector<std::string> key_bytes;
    /// What the client sees, in order: all columns but the auxiliary ones.
    std::vector<std::string> columns;
    /// PostgreSQL: those of them that the server computes, which COPY leaves out.
    std::vector<std::string> generated;
    /// MySQL family: both in character set ascii, which mixes with every other one.
    std::string row_id = "isotap_rowid";
    std::string writers = "isotap_wlist";
    /// No key's text holds any of `,;=*`: numbers, UUIDs, dates. Others are packed as hex. On
    /// PostgreSQL it is the text that a result in text form has without a cast, too.
    bool plain_key = false;
    /// PostgreSQL, with `system`: no key names a row, so the place of its version in the table's
    /// file does. An update is the end of one place and the beginning of another.
    bool by_place = false;
    /// PostgreSQL: a partition that shares its identity with the table above it.
    bool is_part = false;
    /// PostgreSQL, where TRUNCATE asks: the tables whose foreign keys lead here, over others or
    /// not, by identity.
    std::vector<std::string> referenced_by;
    bool has_children = false;  ///< PostgreSQL inheritance: the key alone does not name a row
    /// The auxiliary columns show in `*`: PostgreSQL, and servers without invisible columns.
    bool shows_auxiliary = false;
    std::string auto_increment;  ///< MySQL family: the column that numbers itself; or empty
    /// MariaDB: columns of single precision, whose text does not tell two values apart.
    std::vector<std::string> floats;
    /// MariaDB: columns whose text is never longer than some hundred bytes.
    std::vector<std::string> short_values;
    /// Oracle's MySQL: triggers of ours name the writer in every row and note what was written.
    bool told_by_triggers = false;
    /// MariaDB: what its triggers write is not told of.
    bool has_triggers = false;
    /// Updating or deleting a row may change rows of other tables, which no trigger tells of.
    bool update_cascades = false;
    bool delete_cascades = false;
};

/// Answers the planner. Implemented over side connections by the proxy, over literal tables by
/// tests. A pure look-up: never blocks; what is not known (yet) is not found. Pointers stay valid
/// until the plan is made.
class Catalog {
  public:
    Catalog() = default;
    Catalog(const Catalog&) = delete;
    Catalog& operator=(const Catalog&) = delete;
    Catalog(Catalog&&) = delete;
    Catalog& operator=(Catalog&&) = delete;
    virtual ~Catalog() = default;

    /// Names without quotes, as `name_of` gives them. An empty schema means the session's search
    /// path or default database.
    [[nodiscard]] virtual const Table* find(std::string_view schema,
                                            std::string_view name) const = 0;

    /// An aggregate that users have made; the server's own are known.
    [[nodiscard]] virtual bool is_user_aggregate(std::string_view name) const = 0;
};

/// For what is planned without a look at any table.
class NoTables final : public Catalog {
  public:
    [[nodiscard]] const Table* find(std::string_view /*schema*/,
                                    std::string_view /*name*/) const override {
        return nullptr;
    }
    [[nodiscard]] bool is_user_aggregate(std::string_view /*name*/) const override { return false; }
};

}  // namespace isotap::sql
