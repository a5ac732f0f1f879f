#include "proxy/catalog/mysql_triggers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "protocol/mysql/instrument/told_write.hpp"
#include "protocol/sql/catalog.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/trimmed_writers.hpp"
#include "protocol/sql/user_variables.hpp"

namespace isotap::proxy {
namespace {

/// Writers that a row remembers: what fits into the column.
constexpr std::uint32_t entries = 16;

/// In force for the statement that is running.
const std::string& writer_is_named() {
    static const std::string text =
        "left(" + sql::in_ascii(std::string(mysql::instrument::writer_variable)) + ",1)='T'";
    return text;
}

/// True where the server itself finds no difference between the two rows. Without that, a row that
/// an UPDATE leaves as it is would change: clients count such rows.
std::string same(const MysqlColumn& column) {
    const std::string name = sql::quoted(column.name, sql::Dialect::mysql);
    const auto compared = [&](std::string_view form) {
        return fmt::format(fmt::runtime(form), fmt::arg("o", "old." + name),
                           fmt::arg("n", "new." + name));
    };
    static constexpr std::array numbers_and_times{"tinyint", "smallint", "mediumint", "int",
                                                  "bigint",  "decimal",  "bit",       "date",
                                                  "time",    "datetime", "year",      "json"};
    const std::string& type = column.type;
    if (std::find(numbers_and_times.begin(), numbers_and_times.end(), type) !=
        numbers_and_times.end()) {
        return compared("{o}<=>{n}");
    }
    if (type == "float" || type == "double") {
        return compared("({o}<=>{n} and cast({o} as char)<=>cast({n} as char))");  // 0 and -0
    }
    if (type == "timestamp") {
        // Two moments may have one name in the session's time zone.
        return compared("({o}<=>{n} and unix_timestamp({o})<=>unix_timestamp({n}))");
    }
    if (type == "enum" || type == "set") {
        return compared("{o}+0<=>{n}+0");
    }
    return compared("cast({o} as binary)<=>cast({n} as binary)");
}

/// Appends an entry of `told_write.hpp`. Two variables, because appending to a long text is
/// quadratic; and a bound, because both are the server's memory.
std::string collects(std::string_view identity, const std::string& kind, std::string_view row) {
    return fmt::format(
        "begin if {named} then"
        " if length(@isotap_rows)>least(16000,@@max_allowed_packet div 8) then"
        " if length(@isotap_done)<least(4000000,@@max_allowed_packet div 8) then"
        " set @isotap_done=concat({done},{rows}),@isotap_rows='';"
        " else set @isotap_rows='!;'; end if;"
        " end if;"
        " set @isotap_rows=concat({rows},{kind},'{table} ',ifnull({row}.isotap_rowid,''),'=',"
        "{row}.isotap_wlist,';');"
        " end if; end",
        fmt::arg("named", writer_is_named()), fmt::arg("done", sql::in_ascii("@isotap_done")),
        fmt::arg("rows", sql::in_ascii("@isotap_rows")), fmt::arg("kind", kind),
        fmt::arg("table", mysql::instrument::told_name(identity)), fmt::arg("row", row));
}

std::string names_inserted_row() {
    return fmt::format(
        "begin if new.isotap_rowid is null then set new.isotap_rowid=uuid(); end if;"
        " if {} then set new.isotap_wlist={}; end if; end",
        writer_is_named(), sql::in_ascii(std::string(mysql::instrument::writer_variable)));
}

std::string lengthens_list(const std::vector<MysqlColumn>& columns) {
    std::string all;
    for (const MysqlColumn& column : columns) {
        all += (all.empty() ? "" : " and ") + same(column);
    }
    return fmt::format(
        "begin if {} and not ({}) then set new.isotap_wlist=concat({},',',{}); end if; end",
        writer_is_named(), all.empty() ? "true" : all,
        sql::trimmed_writers("old.isotap_wlist", entries, sql::Dialect::mysql),
        sql::in_ascii(std::string(mysql::instrument::writer_variable)));
}

}  // namespace

std::vector<MysqlTrigger> wanted_triggers(std::string_view identity,
                                          const std::vector<MysqlColumn>& columns) {
    // What was written is told afterwards: a row that IGNORE skips, or that becomes an update, has
    // been before a write as well.
    return {{"isotap_bi", "BEFORE", "INSERT", names_inserted_row()},
            {"isotap_ai", "AFTER", "INSERT", collects(identity, "'I'", "new")},
            {"isotap_bu", "BEFORE", "UPDATE", lengthens_list(columns)},
            {"isotap_au", "AFTER", "UPDATE",
             collects(identity, "if(old.isotap_wlist<=>new.isotap_wlist,'K','U')", "old")},
            {"isotap_ad", "AFTER", "DELETE", collects(identity, "'D'", "old")}};
}

bool is_ours(const MysqlTrigger& trigger) {
    return trigger.name.starts_with(mysql_trigger_prefix);
}

bool are_in_force(const std::vector<MysqlTrigger>& found, const std::vector<MysqlTrigger>& wanted) {
    const auto ours = std::count_if(found.begin(), found.end(), is_ours);
    if (static_cast<std::size_t>(ours) != wanted.size()) {
        return false;
    }
    const MysqlTrigger* last = nullptr;
    for (const MysqlTrigger& trigger : found) {
        if (trigger.timing == "BEFORE" && trigger.event == "UPDATE") {
            last = &trigger;
        }
    }
    return last != nullptr && is_ours(*last) &&
           std::all_of(wanted.begin(), wanted.end(), [&](const MysqlTrigger& one) {
               return std::any_of(found.begin(), found.end(), [&](const MysqlTrigger& there) {
                   return is_ours(there) && there.timing == one.timing &&
                          there.event == one.event && there.body == one.body;
               });
           });
}

}  // namespace isotap::proxy
