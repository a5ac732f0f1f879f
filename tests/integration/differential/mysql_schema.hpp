#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/mysql_server.hpp"

namespace isotap::test {

/// What generated statements of the MySQL family know of a column.
enum class MysqlType : std::uint8_t { integer, text, number, real, date, moment, mood, document };

/// What a column holds where nothing is given.
enum class Absent : std::uint8_t { null, its_default, next_number, refused };

struct MysqlColumn {
    std::string name;
    MysqlType type = MysqlType::integer;
    bool assigned = true;  ///< else the server computes it
    Absent absent = Absent::null;
};

struct MysqlTable {
    std::string name;
    std::vector<MysqlColumn> columns;
    std::string key{};  ///< of one whole number, where it has such a one
    bool view = false;
};

const std::vector<MysqlTable>& mysql_tables();

/// Creates the tables: keys of one and of several columns, none; defaults, generated columns,
/// enums, sets, JSON, ON UPDATE; partitions, foreign keys that cascade, triggers, views, routines;
/// several character sets, odd names.
std::string mysql_schema(MysqlFlavour flavour);

/// A trigger behind which no table is given columns on MariaDB: for after that.
const char* mysql_late_trigger();

/// Takes away what an episode has left and fills the tables again.
std::vector<std::string> mysql_first_rows();

}  // namespace isotap::test
