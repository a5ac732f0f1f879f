#pragma once

/// What a side connection asks a server of the MySQL family. Questions do not depend on sql_mode:
/// they run under that of a client.
namespace isotap::proxy::mysql_queries {

/// Locks that a client holds are not waited for; nor does a slow catalog keep the next job. What
/// the client library does not know is that nothing here ever writes.
inline constexpr const char* mariadb_settings =
    "set session lock_wait_timeout = 0, innodb_lock_wait_timeout = 0, max_statement_time = 1";
/// MySQL waits for a second at least.
inline constexpr const char* mysql_settings =
    "set session lock_wait_timeout = 1, innodb_lock_wait_timeout = 1, max_execution_time = 1000";

/// {0}: schema, {1}: table, {2}: user, all as literals. The trigger would change a row behind what
/// an UPDATE says.
inline constexpr const char* table = R"(
select t.table_type, ifnull(t.engine, ''),
    cast(convert(concat(t.table_schema, '.', t.table_name) using utf8mb4) as binary),
    cast(t.table_name as binary) = cast({1} as binary)
        and cast(t.table_schema as binary) = cast({0} as binary),
    exists (select 1 from information_schema.triggers g
        where g.event_object_schema = {0} and g.event_object_table = {1}
        and g.event_manipulation = 'UPDATE' and g.action_timing = 'BEFORE'),
    exists (select 1 from information_schema.triggers g
        where g.event_object_schema = {0} and g.event_object_table = {1}),
    exists (select 1 from information_schema.column_privileges p
        where p.table_schema = {0} and p.table_name = {1}
        and p.grantee like concat(quote({2}), '@%'))
from information_schema.tables t where t.table_schema = {0} and t.table_name = {1}
)";

/// {0}: schema, {1}: table.
inline constexpr const char* columns = R"(
select c.column_name, c.extra like '%INVISIBLE%', c.column_comment = 'isotap',
    c.extra like '%auto_increment%', c.column_default is not null, c.data_type = 'float',
    c.character_octet_length <= 255 or c.data_type in ('tinyint', 'smallint', 'mediumint', 'int',
        'bigint', 'decimal', 'date', 'datetime', 'timestamp', 'time', 'year')
from information_schema.columns c where c.table_schema = {0} and c.table_name = {1}
order by c.ordinal_position
)";

/// {0}: schema, {1}: table. Without a name: an expression.
inline constexpr const char* indexes = R"(
select s.index_name = 'PRIMARY', ifnull(s.column_name, '')
from information_schema.statistics s where s.table_schema = {0} and s.table_name = {1}
order by s.index_name, s.seq_in_index
)";

/// Oracle's MySQL. {0}: schema, {1}: table. In UTF-8, whatever the client speaks.
inline constexpr const char* triggers = R"(
select cast(convert(trigger_name using utf8mb4) as binary), action_timing, event_manipulation,
    cast(convert(action_statement using utf8mb4) as binary)
from information_schema.triggers where event_object_schema = {0} and event_object_table = {1}
order by event_manipulation, action_timing, action_order
)";
inline constexpr const char* stored_columns = R"(
select cast(convert(column_name using utf8mb4) as binary), data_type
from information_schema.columns where table_schema = {0} and table_name = {1}
    and generation_expression = '' and column_name not in ('isotap_rowid', 'isotap_wlist')
order by ordinal_position
)";
inline constexpr const char* cascades = R"(
select count(if(update_rule in ('NO ACTION', 'RESTRICT'), null, 1)),
    count(if(delete_rule in ('NO ACTION', 'RESTRICT'), null, 1))
from information_schema.referential_constraints
where unique_constraint_schema = {0} and referenced_table_name = {1}
)";

/// {0}: a list of names. Aggregates of users: functions of MariaDB, and those in libraries.
inline constexpr const char* mariadb_aggregates =
    "select name from mysql.proc where aggregate = 'GROUP' and name in ({0}) "
    "union select name from mysql.func where type = 'aggregate' and name in ({0})";
inline constexpr const char* mysql_aggregates =
    "select name from mysql.func where type = 'aggregate' and name in ({0})";
/// For who may not read those tables: any function might be one.
inline constexpr const char* functions =
    "select routine_name from information_schema.routines "
    "where routine_type = 'FUNCTION' and routine_name in ({0})";

/// How often the server has been asked to change something that plans depend on. It counts when
/// such a statement begins: what it does to tables that hold rows is seen in the dictionary when it
/// has ended.
inline constexpr const char* changes_begun =
    "show global status where variable_name in ('Com_alter_db', 'Com_alter_table', "
    "'Com_create_db', 'Com_create_function', 'Com_create_index', 'Com_create_table', "
    "'Com_create_trigger', 'Com_create_udf', 'Com_create_view', 'Com_drop_db', "
    "'Com_drop_function', 'Com_drop_index', 'Com_drop_table', 'Com_drop_trigger', "
    "'Com_drop_view', 'Com_grant', 'Com_grant_role', 'Com_rename_table', 'Com_revoke', "
    "'Com_revoke_all')";
inline constexpr const char* mariadb_dictionary[] = {
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, name, n_cols)))) "
    "from information_schema.innodb_sys_tables",
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, name, pos, mtype, prtype, "
    "len)))) from information_schema.innodb_sys_columns",
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, index_id, name)))) "
    "from information_schema.innodb_sys_indexes"};
inline constexpr const char* mysql_dictionary[] = {
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, name, n_cols)))) "
    "from information_schema.innodb_tables",
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, name, pos, mtype, prtype, "
    "len)))) from information_schema.innodb_columns",
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', table_id, index_id, name)))) "
    "from information_schema.innodb_indexes",
    "select concat(count(*), ':', sum(crc32(concat_ws(' ', trigger_schema, trigger_name, "
    "event_object_table, action_order, created)))) from information_schema.triggers"};

}  // namespace isotap::proxy::mysql_queries
