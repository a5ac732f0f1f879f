#pragma once

/// What a side connection asks a PostgreSQL server, 12 and later. All but `resolve` and `enter`
/// run under a search path of pg_catalog alone: functions of a client must not run in our name.
namespace isotap::proxy::postgres_queries {

/// Run under a client's search path, which may hold functions and operators of his making: so it
/// names its function in full and uses no operator. The server resolves the name itself.
inline constexpr const char* resolve = "select pg_catalog.to_regclass($1)::pg_catalog.oid";

/// $1: a JSON array of oids, 0 for what is not there. A row for each that is: its number from 1,
/// and what we want to know as a JSON object. A partition's key may be that of a table above it:
/// then this one gives rows their identity, so that they have one name by whatever way they are
/// reached. Where there is no primary key, another one will do that can be none but a row's own.
inline constexpr const char* tables = R"(
select named.ord, json_build_object(
    'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
    'temporary', c.relpersistence = 't',
    'own', n.nspname in ('pg_catalog', 'information_schema', 'pg_toast'),
    'rules', c.relhasrules, 'secured', row_security_active(c.oid),
    'readable', has_table_privilege(c.oid, 'SELECT'),
    'inherits', c.relkind = 'r' and not c.relispartition and exists (
        select from pg_catalog.pg_inherits h where c.oid in (h.inhparent, h.inhrelid)),
    'columns', (select json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'generated', (select json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and a.attgenerated <> ''),
    'root_schema', rn.nspname, 'root_name', rc.relname,
    'key', (select json_agg(json_build_array(a.attname,
            case when b.typtype = 'e' then 'enum'
                when b.typtype = 'r' and b.oid < 16384 then 'range'
                when b.typcategory = 'A' and b.typelem < 16384 then 'array'
                else b.typname end) order by k.place)
        from unnest(root.indkey) with ordinality k(attnum, place)
        join pg_catalog.pg_attribute a on a.attrelid = root.indrelid and a.attnum = k.attnum
        join pg_catalog.pg_type t on t.oid = a.atttypid
        join pg_catalog.pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
        where k.place <= root.indnkeyatts))
from json_array_elements_text($1::json) with ordinality named(oid, ord)
join pg_catalog.pg_class c on c.oid = named.oid::oid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
left join lateral (
    with recursive above(index, depth) as (
        select i.indexrelid, 0 from pg_catalog.pg_index i
        where i.indrelid = c.oid and (i.indisprimary or i.indisunique and i.indimmediate
            and i.indisvalid and i.indpred is null and i.indexprs is null and not exists (
                select from unnest(i.indkey) with ordinality u(attnum, place)
                join pg_catalog.pg_attribute a
                    on a.attrelid = i.indrelid and a.attnum = u.attnum
                where u.place <= i.indnkeyatts and not a.attnotnull))
        union all
        select h.inhparent, above.depth + 1 from above
        join pg_catalog.pg_inherits h on h.inhrelid = above.index)
    select i.* from above join pg_catalog.pg_index i on i.indexrelid = above.index
    order by above.depth desc, i.indisprimary desc, i.indexrelid limit 1) root on true
left join pg_catalog.pg_class rc on rc.oid = root.indrelid
left join pg_catalog.pg_namespace rn on rn.oid = rc.relnamespace
)";

/// $1: a JSON array of oids, as `tables` takes it. For each: its number, and the tables that
/// TRUNCATE … CASCADE of it would empty, one a row.
inline constexpr const char* referencing = R"(
with recursive reach(ord, oid) as (
    select named.ord, k.conrelid
    from json_array_elements_text($1::json) with ordinality named(oid, ord)
    join pg_catalog.pg_constraint k on k.contype = 'f' and k.confrelid = named.oid::oid
    union
    select reach.ord, k.conrelid from reach
    join pg_catalog.pg_constraint k on k.contype = 'f' and k.confrelid = reach.oid)
select reach.ord, n.nspname || '.' || c.relname from reach
join pg_catalog.pg_class c on c.oid = reach.oid and not c.relispartition
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
)";

/// $1: a JSON array of names. Those that are aggregates of users, wherever they stand.
inline constexpr const char* aggregates = R"(
select distinct p.proname from pg_catalog.pg_proc p
where p.prokind = 'a' and p.oid >= 16384
    and p.proname in (select json_array_elements_text($1::json))
)";

/// $1: role, or 'none'; $2: search path; $3: standard_conforming_strings.
inline constexpr const char* enter =
    "select pg_catalog.set_config('role', $1, false), "
    "pg_catalog.set_config('search_path', $2, false), "
    "pg_catalog.set_config('standard_conforming_strings', $3, false)";

inline constexpr const char* may_call_set_config =
    "select pg_catalog.has_function_privilege('pg_catalog.set_config(text,text,boolean)', "
    "'execute')";

/// $1: user. The search path that ALTER ROLE or ALTER DATABASE gave to his sessions here.
inline constexpr const char* search_path_of_user = R"(
select substr(setting, 13) from (
    select s.setrole, s.setdatabase, unnest(s.setconfig) setting
    from pg_catalog.pg_db_role_setting s
    where s.setrole in (0, (select oid from pg_catalog.pg_roles where rolname = $1))
        and s.setdatabase in (0, (select oid from pg_catalog.pg_database
                                  where datname = current_database()))) settings
where setting like 'search_path=%'
order by setrole = 0, setdatabase = 0 limit 1
)";

/// The search path that the server gave to this session, and where it came from.
inline constexpr const char* own_search_path =
    "select reset_val, source from pg_catalog.pg_settings where name = 'search_path'";

/// Sums over hashes of (row, xmin): another text after any committed change of a table, a view, a
/// column, a key, a foreign key, a rule, a policy, a membership or a setting. Temporary tables are
/// left out: they are nobody's but their session's. ANALYZE and VACUUM update these rows in place
/// and are not seen.
inline constexpr const char* signature = R"(
with kept as materialized (
    select c.oid, c.xmin from pg_catalog.pg_class c
    where c.relpersistence <> 't' and c.relkind in ('r', 'p', 'v', 'm', 'f'))
select concat_ws(' ',
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8))) from kept),
    (select concat(count(*), ':', sum(hashint8extended(
            (attrelid::int8 << 16) | attnum, a.xmin::text::int8)))
        from pg_catalog.pg_attribute a join kept on kept.oid = a.attrelid where attnum > 0),
    (select concat(count(*), ':', sum(hashint8extended(indexrelid::int8, i.xmin::text::int8)))
        from pg_catalog.pg_index i join kept on kept.oid = i.indrelid where indisunique),
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8)))
        from pg_catalog.pg_constraint where contype = 'f'),
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8)))
        from pg_catalog.pg_rewrite),
    (select concat(count(*), ':', sum(hashint8extended(
            (inhrelid::int8 << 32) | inhparent::int8, xmin::text::int8)))
        from pg_catalog.pg_inherits),
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8)))
        from pg_catalog.pg_namespace where nspname not like 'pg\_t%'),
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8)))
        from pg_catalog.pg_proc where oid >= 16384),
    (select concat(count(*), ':', sum(hashint8extended(oid::int8, xmin::text::int8)))
        from pg_catalog.pg_type where oid >= 16384 and typtype in ('d', 'e')),
    (select concat(count(*), ':', sum(hashint8extended(
            (roleid::int8 << 32) | member::int8, xmin::text::int8)))
        from pg_catalog.pg_auth_members),
    (select concat(count(*), ':', sum(hashint8extended(
            (setdatabase::int8 << 32) | setrole::int8, xmin::text::int8)))
        from pg_catalog.pg_db_role_setting))
)";

}  // namespace isotap::proxy::postgres_queries
