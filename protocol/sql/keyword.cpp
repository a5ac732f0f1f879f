#include "protocol/sql/keyword.hpp"

#include <array>
#include <iterator>

#include "protocol/sql/letter_case.hpp"

namespace isotap::sql {
namespace {

struct Row {
    std::string_view spelling;
    Reserved postgres;
    Reserved mysql;
};

constexpr Reserved no = Reserved::no;
constexpr Reserved in_some = Reserved::in_some;
constexpr Reserved yes = Reserved::yes;

// clang-format off
/// One row per enumerator, in the same order. PostgreSQL: its own list (kwlist.h, 15). MySQL
/// family: what MariaDB 10.11 refuses as an alias, joined with the manual of MySQL 8.
constexpr Row rows[] = {
    Row{"", no, no},
    Row{"abort", no, no}, Row{"accessible", no, yes}, Row{"action", no, no}, Row{"add", no, yes},
    Row{"after", no, no}, Row{"aggregate", no, no}, Row{"algorithm", no, no}, Row{"all", yes, yes},
    Row{"alter", no, yes}, Row{"always", no, no}, Row{"analyse", yes, no},
    Row{"analyze", yes, yes}, Row{"and", yes, yes}, Row{"any", yes, no}, Row{"array", yes, no},
    Row{"as", yes, yes}, Row{"asc", yes, yes}, Row{"asensitive", no, yes},
    Row{"asymmetric", yes, no}, Row{"atomic", no, no}, Row{"authorization", yes, no},
    Row{"autocommit", no, no}, Row{"before", no, yes}, Row{"begin", no, no},
    Row{"between", no, yes}, Row{"bigint", no, yes}, Row{"binary", yes, yes}, Row{"blob", no, yes},
    Row{"body", no, no}, Row{"both", yes, yes}, Row{"buffers", no, no}, Row{"by", no, yes},
    Row{"call", no, yes}, Row{"cascade", no, yes}, Row{"case", yes, yes}, Row{"cast", yes, no},
    Row{"chain", no, no}, Row{"change", no, yes}, Row{"char", no, yes}, Row{"character", no, yes},
    Row{"character_set_client", no, no}, Row{"characteristics", no, no}, Row{"charset", no, no},
    Row{"check", yes, yes}, Row{"checksum", no, no}, Row{"client_encoding", no, no},
    Row{"close", no, no}, Row{"cluster", no, no}, Row{"collate", yes, yes},
    Row{"collation", yes, no}, Row{"column", yes, yes}, Row{"comment", no, no},
    Row{"commit", no, no}, Row{"committed", no, no}, Row{"concurrently", yes, no},
    Row{"condition", no, yes}, Row{"conflict", no, no}, Row{"connection", no, no},
    Row{"consistent", no, no}, Row{"constraint", yes, yes}, Row{"constraints", no, no},
    Row{"continue", no, yes}, Row{"convert", no, yes}, Row{"copy", no, no}, Row{"costs", no, no},
    Row{"create", yes, yes}, Row{"cross", yes, yes}, Row{"cube", no, in_some},
    Row{"cume_dist", no, in_some}, Row{"current", no, no}, Row{"current_catalog", yes, no},
    Row{"current_date", yes, yes}, Row{"current_role", yes, in_some},
    Row{"current_schema", yes, no}, Row{"current_time", yes, yes},
    Row{"current_timestamp", yes, yes}, Row{"current_user", yes, yes}, Row{"cursor", no, yes},
    Row{"database", no, no}, Row{"databases", no, yes}, Row{"day_hour", no, yes},
    Row{"day_microsecond", no, yes}, Row{"day_minute", no, yes}, Row{"day_second", no, yes},
    Row{"deallocate", no, no}, Row{"dec", no, yes}, Row{"decimal", no, yes},
    Row{"declare", no, yes}, Row{"default", yes, yes},
    Row{"default_transaction_deferrable", no, no}, Row{"default_transaction_isolation", no, no},
    Row{"default_transaction_read_only", no, no}, Row{"deferrable", yes, no},
    Row{"deferred", no, no}, Row{"definer", no, no}, Row{"delayed", no, yes},
    Row{"delete", no, yes}, Row{"delete_domain_id", no, in_some}, Row{"dense_rank", no, in_some},
    Row{"desc", yes, yes}, Row{"describe", no, yes}, Row{"deterministic", no, yes},
    Row{"discard", no, no}, Row{"distinct", yes, yes}, Row{"distinctrow", no, yes},
    Row{"div", no, yes}, Row{"do", yes, no}, Row{"do_domain_ids", no, in_some},
    Row{"double", no, yes}, Row{"drop", no, yes}, Row{"dual", no, yes}, Row{"dumpfile", no, no},
    Row{"duplicate", no, no}, Row{"each", no, yes}, Row{"else", yes, yes}, Row{"elseif", no, yes},
    Row{"empty", no, in_some}, Row{"enclosed", no, yes}, Row{"end", yes, no},
    Row{"engine", no, no}, Row{"error", no, no}, Row{"errors", no, no}, Row{"escape", no, no},
    Row{"escaped", no, yes}, Row{"event", no, no}, Row{"events", no, no}, Row{"except", yes, yes},
    Row{"exchange", no, no}, Row{"execute", no, no}, Row{"exists", no, yes}, Row{"exit", no, yes},
    Row{"explain", no, yes}, Row{"external", no, no}, Row{"extract", no, no},
    Row{"false", yes, yes}, Row{"fetch", yes, yes}, Row{"filter", no, no},
    Row{"first_value", no, in_some}, Row{"float", no, yes}, Row{"float4", no, yes},
    Row{"float8", no, yes}, Row{"flush", no, no}, Row{"for", yes, yes}, Row{"force", no, yes},
    Row{"foreign", yes, yes}, Row{"format", no, no}, Row{"found_rows", no, no},
    Row{"freeze", yes, no}, Row{"from", yes, yes},
    Row{"full", yes, no}, Row{"fulltext", no, yes}, Row{"function", no, in_some},
    Row{"functions", no, no}, Row{"generated", no, in_some}, Row{"get", no, in_some},
    Row{"global", no, no}, Row{"grant", yes, yes}, Row{"group", yes, yes},
    Row{"group_concat", no, no},
    Row{"grouping", no, in_some}, Row{"groups", no, in_some}, Row{"handler", no, no},
    Row{"having", yes, yes}, Row{"high_priority", no, yes}, Row{"history", no, no},
    Row{"hour_microsecond", no, yes}, Row{"hour_minute", no, yes}, Row{"hour_second", no, yes},
    Row{"if", no, yes}, Row{"ignore", no, yes}, Row{"ignore_domain_ids", no, in_some},
    Row{"ilike", yes, no}, Row{"immediate", no, no}, Row{"import", no, no}, Row{"in", yes, yes},
    Row{"index", no, yes}, Row{"indexes", no, no}, Row{"infile", no, yes},
    Row{"initially", yes, no}, Row{"inner", yes, yes}, Row{"inout", no, yes},
    Row{"inplace", no, no}, Row{"insensitive", no, yes}, Row{"insert", no, yes},
    Row{"install", no, no}, Row{"instance", no, no}, Row{"int", no, yes}, Row{"int1", no, yes},
    Row{"int2", no, yes}, Row{"int3", no, yes}, Row{"int4", no, yes}, Row{"int8", no, yes},
    Row{"integer", no, yes}, Row{"intersect", yes, yes}, Row{"interval", no, yes},
    Row{"into", yes, yes}, Row{"io_after_gtids", no, in_some}, Row{"io_before_gtids", no, in_some},
    Row{"is", yes, yes}, Row{"isnull", yes, no}, Row{"isolation", no, no}, Row{"iterate", no, yes},
    Row{"join", yes, yes}, Row{"json_arrayagg", no, no}, Row{"json_objectagg", no, no},
    Row{"json_table", no, in_some}, Row{"key", no, yes},
    Row{"keys", no, yes}, Row{"kill", no, yes}, Row{"lag", no, in_some}, Row{"last", no, no},
    Row{"last_insert_id", no, no},
    Row{"last_value", no, in_some}, Row{"lateral", yes, in_some}, Row{"lead", no, in_some},
    Row{"leading", yes, yes}, Row{"leave", no, yes}, Row{"left", yes, yes}, Row{"level", no, no},
    Row{"library", no, in_some}, Row{"like", yes, yes}, Row{"limit", yes, yes},
    Row{"linear", no, yes}, Row{"lines", no, yes}, Row{"listen", no, no}, Row{"load", no, yes},
    Row{"local", no, no}, Row{"localtime", yes, yes}, Row{"localtimestamp", yes, yes},
    Row{"lock", no, yes}, Row{"locked", no, no}, Row{"locks", no, no}, Row{"logfile", no, no},
    Row{"long", no, yes}, Row{"longblob", no, yes}, Row{"longtext", no, yes}, Row{"loop", no, yes},
    Row{"low_priority", no, yes}, Row{"manual", no, in_some}, Row{"master", no, no},
    Row{"master_bind", no, in_some}, Row{"master_demote_to_replica", no, in_some},
    Row{"master_demote_to_slave", no, in_some}, Row{"master_ssl_verify_server_cert", no, in_some},
    Row{"match", no, yes}, Row{"matched", no, no}, Row{"materialized", no, no},
    Row{"maxvalue", no, yes}, Row{"mediumblob", no, yes}, Row{"mediumint", no, yes},
    Row{"mediumtext", no, yes}, Row{"merge", no, no}, Row{"middleint", no, yes},
    Row{"migrate", no, no}, Row{"minus", no, no}, Row{"minute_microsecond", no, yes},
    Row{"minute_second", no, yes}, Row{"mod", no, yes}, Row{"mode", no, no},
    Row{"modifies", no, yes}, Row{"names", no, no}, Row{"natural", yes, yes}, Row{"new", no, no},
    Row{"next", no, no}, Row{"no", no, no}, Row{"no_write_to_binlog", no, yes},
    Row{"not", yes, yes}, Row{"nothing", no, no}, Row{"notify", no, no}, Row{"notnull", yes, no},
    Row{"nowait", no, no}, Row{"nth_value", no, in_some}, Row{"ntile", no, in_some},
    Row{"null", yes, yes}, Row{"numeric", no, yes}, Row{"of", no, in_some}, Row{"off", no, no},
    Row{"offline", no, no}, Row{"offset", yes, in_some}, Row{"oj", no, no}, Row{"old", no, no},
    Row{"on", yes, yes}, Row{"one", no, no}, Row{"online", no, no}, Row{"only", yes, no},
    Row{"open", no, no}, Row{"optimistic", no, no}, Row{"optimize", no, yes},
    Row{"optimizer_costs", no, in_some}, Row{"option", no, no}, Row{"optionally", no, yes},
    Row{"or", yes, yes}, Row{"order", yes, yes}, Row{"ordinality", no, no}, Row{"out", no, yes},
    Row{"outer", yes, yes}, Row{"outfile", no, yes}, Row{"over", no, yes},
    Row{"overlaps", yes, no}, Row{"overlay", no, no}, Row{"overriding", no, no},
    Row{"owned", no, no}, Row{"package", no, no}, Row{"page_checksum", no, in_some},
    Row{"parallel", no, in_some}, Row{"parse_vcol_expr", no, in_some}, Row{"partition", no, yes},
    Row{"password", no, no}, Row{"percent_rank", no, in_some}, Row{"period", no, no},
    Row{"persist", no, no}, Row{"persist_only", no, no}, Row{"pessimistic", no, no},
    Row{"phase", no, no}, Row{"placing", yes, no}, Row{"plugin", no, no},
    Row{"portion", no, in_some}, Row{"position", no, no}, Row{"precision", no, yes},
    Row{"prepare", no, no}, Row{"prepared", no, no}, Row{"primary", yes, yes},
    Row{"priority", no, no}, Row{"privileges", no, no}, Row{"procedure", no, yes},
    Row{"purge", no, yes}, Row{"qualify", no, in_some}, Row{"quick", no, no},
    Row{"range", no, yes}, Row{"rank", no, in_some}, Row{"read", no, yes},
    Row{"read_write", no, yes}, Row{"reads", no, yes}, Row{"real", no, yes},
    Row{"recover", no, no}, Row{"recursive", no, yes}, Row{"ref_system_id", no, in_some},
    Row{"references", yes, yes}, Row{"refresh", no, no}, Row{"regexp", no, yes},
    Row{"reindex", no, no}, Row{"release", no, yes}, Row{"rename", no, yes}, Row{"repair", no, no},
    Row{"repeat", no, yes}, Row{"repeatable", no, no}, Row{"replace", no, yes},
    Row{"replica", no, no}, Row{"require", no, yes}, Row{"reset", no, no},
    Row{"resignal", no, yes}, Row{"resource", no, no}, Row{"restrict", no, yes},
    Row{"resume", no, no}, Row{"return", no, yes}, Row{"returning", yes, in_some},
    Row{"returns", no, no}, Row{"revoke", no, yes}, Row{"right", yes, yes}, Row{"rlike", no, yes},
    Row{"role", no, no}, Row{"rollback", no, no}, Row{"rollup", no, no}, Row{"row", no, in_some},
    Row{"row_count", no, no},
    Row{"row_number", no, yes}, Row{"rows", no, yes}, Row{"savepoint", no, no},
    Row{"schema", no, no}, Row{"schemas", no, yes}, Row{"second_microsecond", no, yes},
    Row{"security", no, no}, Row{"select", yes, yes}, Row{"sensitive", no, yes},
    Row{"separator", no, yes}, Row{"sequence", no, no}, Row{"serializable", no, no},
    Row{"server", no, no}, Row{"session", no, no}, Row{"session_user", yes, no},
    Row{"set", no, yes}, Row{"sets", no, no}, Row{"settings", no, no}, Row{"share", no, no},
    Row{"show", no, yes}, Row{"signal", no, yes}, Row{"similar", yes, no}, Row{"skip", no, no},
    Row{"slave", no, no}, Row{"smallint", no, yes}, Row{"snapshot", no, no}, Row{"soft", no, no},
    Row{"some", yes, no}, Row{"soname", no, no}, Row{"spatial", no, yes}, Row{"specific", no, yes},
    Row{"sql", no, yes}, Row{"sql_big_result", no, yes}, Row{"sql_buffer_result", no, no},
    Row{"sql_cache", no, no}, Row{"sql_calc_found_rows", no, yes}, Row{"sql_mode", no, no},
    Row{"sql_no_cache", no, no}, Row{"sql_small_result", no, yes}, Row{"sqlexception", no, yes},
    Row{"sqlstate", no, yes}, Row{"sqlwarning", no, yes}, Row{"ssl", no, yes},
    Row{"standard_conforming_strings", no, no}, Row{"start", no, no}, Row{"starting", no, yes},
    Row{"statement", no, no}, Row{"stats_auto_recalc", no, in_some},
    Row{"stats_persistent", no, in_some}, Row{"stats_sample_pages", no, in_some},
    Row{"stop", no, no}, Row{"stored", no, in_some}, Row{"straight_join", no, yes},
    Row{"substring", no, no}, Row{"summary", no, no}, Row{"suspend", no, no},
    Row{"symmetric", yes, no}, Row{"sysdate", no, no}, Row{"system", no, in_some},
    Row{"system_time", no, no}, Row{"system_versioning", no, no}, Row{"table", yes, yes},
    Row{"tables", no, no}, Row{"tablesample", yes, in_some}, Row{"tablespace", no, no},
    Row{"temp", no, no}, Row{"temporary", no, no}, Row{"terminated", no, yes}, Row{"text", no, no},
    Row{"then", yes, yes}, Row{"thread", no, no}, Row{"ties", no, no}, Row{"time", no, no},
    Row{"timestamp", no, no}, Row{"timing", no, no}, Row{"tinyblob", no, yes},
    Row{"tinyint", no, yes}, Row{"tinytext", no, yes}, Row{"to", yes, yes},
    Row{"trailing", yes, yes}, Row{"transaction", no, no}, Row{"transaction_deferrable", no, no},
    Row{"transaction_isolation", no, no}, Row{"transaction_read_only", no, no},
    Row{"trigger", no, yes}, Row{"trim", no, no}, Row{"true", yes, yes}, Row{"truncate", no, no},
    Row{"tx_isolation", no, no}, Row{"tx_read_only", no, no}, Row{"type", no, no},
    Row{"uescape", no, no}, Row{"uncommitted", no, no}, Row{"undo", no, yes},
    Row{"undofile", no, no}, Row{"uninstall", no, no}, Row{"union", yes, yes},
    Row{"unique", yes, yes}, Row{"unknown", no, no}, Row{"unlisten", no, no},
    Row{"unlock", no, yes}, Row{"unlogged", no, no}, Row{"unsigned", no, yes},
    Row{"until", no, no}, Row{"update", no, yes}, Row{"usage", no, yes}, Row{"use", no, yes},
    Row{"user", yes, no}, Row{"using", yes, yes}, Row{"utc_date", no, yes},
    Row{"utc_time", no, yes}, Row{"utc_timestamp", no, yes}, Row{"vacuum", no, no},
    Row{"value", no, no}, Row{"values", no, yes}, Row{"varbinary", no, yes},
    Row{"varchar", no, yes}, Row{"varcharacter", no, yes}, Row{"variadic", yes, no},
    Row{"varying", no, yes}, Row{"verbose", yes, no}, Row{"versioning", no, no},
    Row{"view", no, no}, Row{"virtual", no, in_some}, Row{"wait", no, no}, Row{"wal", no, no},
    Row{"when", yes, yes}, Row{"where", yes, yes}, Row{"while", no, yes}, Row{"window", yes, yes},
    Row{"with", yes, yes}, Row{"within", no, no}, Row{"without", no, no}, Row{"work", no, no},
    Row{"write", no, yes}, Row{"xa", no, no}, Row{"xid", no, no}, Row{"xml", no, no},
    Row{"xmltable", no, no}, Row{"xor", no, yes}, Row{"year_month", no, yes},
    Row{"zerofill", no, yes}, Row{"zone", no, no},
};
// clang-format on

constexpr std::size_t longest = 40;
constexpr std::size_t slot_count = 2048;  // a power of two, about four times the words

/// The ends and the length of a word tell most of them apart; the comparison decides.
constexpr std::size_t slot_of(std::string_view word) noexcept {
    std::size_t hash = word.size();
    const std::size_t step = word.size() > 8 ? 2 : 1;
    for (std::size_t i = 0; i < word.size(); i += step) {
        hash = hash * 31 + static_cast<unsigned char>(small_letter(word[i]));
    }
    return (hash ^ hash >> 11) & (slot_count - 1);
}

constexpr auto slots = [] {
    std::array<std::uint16_t, slot_count> table{};
    for (std::size_t i = 1; i < std::size(rows); ++i) {
        std::size_t slot = slot_of(rows[i].spelling);
        while (table[slot] != 0) {
            slot = (slot + 1) & (slot_count - 1);
        }
        table[slot] = static_cast<std::uint16_t>(i);
    }
    return table;
}();

constexpr bool in_order() noexcept {
    for (std::size_t i = 1; i < std::size(rows); ++i) {
        if (!(rows[i - 1].spelling < rows[i].spelling) || rows[i].spelling.size() > longest) {
            return false;
        }
    }
    return true;
}

static_assert(in_order());
static_assert(std::size(rows) == static_cast<std::size_t>(Keyword::zone) + 1);

bool equal_in_any_case(std::string_view word, std::string_view spelled) noexcept {
    if (word.size() != spelled.size()) {
        return false;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (small_letter(word[i]) != spelled[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace

Keyword keyword_of(std::string_view word) noexcept {
    if (word.size() > longest) {
        return Keyword::none;
    }
    for (std::size_t slot = slot_of(word); slots[slot] != 0; slot = (slot + 1) & (slot_count - 1)) {
        if (equal_in_any_case(word, rows[slots[slot]].spelling)) {
            return static_cast<Keyword>(slots[slot]);
        }
    }
    return Keyword::none;
}

std::string_view spelling(Keyword keyword) noexcept {
    return rows[static_cast<std::size_t>(keyword)].spelling;
}

Reserved reserved_by_postgres(Keyword keyword) noexcept {
    return rows[static_cast<std::size_t>(keyword)].postgres;
}

Reserved reserved_by_mysql(Keyword keyword) noexcept {
    return rows[static_cast<std::size_t>(keyword)].mysql;
}

}  // namespace isotap::sql
