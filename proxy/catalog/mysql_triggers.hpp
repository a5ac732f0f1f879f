#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isotap::proxy {

/// Triggers that tell of the writes to a table of Oracle's MySQL. Those of ours are known by how
/// their names begin, and are in force only while their text is what it has to be: it names the
/// table and compares its columns, so that renaming, copying or altering the table shows.
inline constexpr std::string_view mysql_trigger_prefix = "isotap_";

struct MysqlTrigger {
    std::string name;  ///< of one that is wanted: how it begins
    std::string timing;
    std::string event;
    std::string body;
};

/// One that an UPDATE may assign.
struct MysqlColumn {
    std::string name;
    std::string type;  ///< as information_schema names it: `varchar`
};

/// What a table has to have. `identity` is the table's name in histories; all in UTF-8.
std::vector<MysqlTrigger> wanted_triggers(std::string_view identity,
                                          const std::vector<MysqlColumn>& columns);

bool is_ours(const MysqlTrigger& trigger);

/// `found` are all triggers of the table, those of one event and timing in the order in which they
/// fire. Ours has to be the last one that sees a row before it is updated.
bool are_in_force(const std::vector<MysqlTrigger>& found, const std::vector<MysqlTrigger>& wanted);

}  // namespace isotap::proxy
