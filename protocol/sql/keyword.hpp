#pragma once

#include <cstdint>
#include <string_view>

namespace isotap::sql {

/// Words that mean something to us, or that an engine reserves. In the order of the alphabet, as in
/// the table of keyword.cpp; a word that C++ reserves as well has an underscore behind it.
// clang-format off
enum class Keyword : std::uint16_t {
    none,
    abort, accessible, action, add, after, aggregate, algorithm, all, alter, always, analyse,
    analyze, and_, any, array, as, asc, asensitive, asymmetric, atomic, authorization, autocommit,
    before, begin, between, bigint, binary, blob, body, both, buffers, by, call, cascade, case_,
    cast, chain, change, char_, character, character_set_client, characteristics, charset, check,
    checksum, client_encoding, close, cluster, collate, collation, column, comment, commit,
    committed, concurrently, condition, conflict, connection, consistent, constraint, constraints,
    continue_, convert, copy, costs, create, cross, cube, cume_dist, current, current_catalog,
    current_date, current_role, current_schema, current_time, current_timestamp, current_user,
    cursor, database, databases, day_hour, day_microsecond, day_minute, day_second, deallocate,
    dec, decimal, declare, default_, default_transaction_deferrable, default_transaction_isolation,
    default_transaction_read_only, deferrable, deferred, definer, delayed, delete_,
    delete_domain_id, dense_rank, desc, describe, deterministic, discard, distinct, distinctrow,
    div, do_, do_domain_ids, double_, drop, dual, dumpfile, duplicate, each, else_, elseif, empty,
    enclosed, end, engine, error, errors, escape, escaped, event, events, except, exchange,
    execute, exists, exit, explain, external, extract, false_, fetch, filter, first_value, float_,
    float4, float8, flush, for_, force, foreign, format, found_rows, freeze, from, full, fulltext,
    function,
    functions, generated, get, global, grant, group, group_concat, grouping, groups, handler,
    having, high_priority, history, hour_microsecond, hour_minute, hour_second, if_, ignore,
    ignore_domain_ids, ilike, immediate, import, in, index, indexes, infile, initially, inner,
    inout, inplace, insensitive, insert, install, instance, int_, int1, int2, int3, int4, int8,
    integer, intersect, interval, into, io_after_gtids, io_before_gtids, is, isnull, isolation,
    iterate, join, json_arrayagg, json_objectagg, json_table, key, keys, kill, lag, last,
    last_insert_id, last_value, lateral, lead, leading, leave, left, level, library, like, limit,
    linear, lines,
    listen, load, local, localtime, localtimestamp, lock, locked, locks, logfile, long_, longblob,
    longtext, loop, low_priority, manual, master, master_bind, master_demote_to_replica,
    master_demote_to_slave, master_ssl_verify_server_cert, match, matched, materialized, maxvalue,
    mediumblob, mediumint, mediumtext, merge, middleint, migrate, minus, minute_microsecond,
    minute_second, mod, mode, modifies, names, natural, new_, next, no, no_write_to_binlog, not_,
    nothing, notify, notnull, nowait, nth_value, ntile, null, numeric, of, off, offline, offset,
    oj, old, on, one, online, only, open, optimistic, optimize, optimizer_costs, option,
    optionally, or_, order, ordinality, out, outer, outfile, over, overlaps, overlay, overriding,
    owned, package, page_checksum, parallel, parse_vcol_expr, partition, password, percent_rank,
    period, persist, persist_only, pessimistic, phase, placing, plugin, portion, position,
    precision, prepare, prepared, primary, priority, privileges, procedure, purge, qualify, quick,
    range, rank, read, read_write, reads, real, recover, recursive, ref_system_id, references,
    refresh, regexp, reindex, release, rename, repair, repeat, repeatable, replace, replica,
    require, reset, resignal, resource, restrict, resume, return_, returning, returns, revoke,
    right, rlike, role, rollback, rollup, row, row_count, row_number, rows, savepoint, schema,
    schemas,
    second_microsecond, security, select, sensitive, separator, sequence, serializable, server,
    session, session_user, set, sets, settings, share, show, signal, similar, skip, slave,
    smallint, snapshot, soft, some, soname, spatial, specific, sql, sql_big_result,
    sql_buffer_result, sql_cache, sql_calc_found_rows, sql_mode, sql_no_cache, sql_small_result,
    sqlexception, sqlstate, sqlwarning, ssl, standard_conforming_strings, start, starting,
    statement, stats_auto_recalc, stats_persistent, stats_sample_pages, stop, stored,
    straight_join, substring, summary, suspend, symmetric, sysdate, system, system_time,
    system_versioning, table, tables, tablesample, tablespace, temp, temporary, terminated, text,
    then, thread, ties, time, timestamp, timing, tinyblob, tinyint, tinytext, to, trailing,
    transaction, transaction_deferrable, transaction_isolation, transaction_read_only, trigger,
    trim, true_, truncate, tx_isolation, tx_read_only, type, uescape, uncommitted, undo, undofile,
    uninstall, union_, unique, unknown, unlisten, unlock, unlogged, unsigned_, until, update,
    usage, use, user, using_, utc_date, utc_time, utc_timestamp, vacuum, value, values, varbinary,
    varchar, varcharacter, variadic, varying, verbose, versioning, view, virtual_, wait, wal, when,
    where, while_, window, with, within, without, work, write, xa, xid, xml, xmltable, xor_,
    year_month, zerofill, zone,
};
// clang-format on

/// Whether a word may stand where a name is expected, without quotes and without AS.
enum class Reserved : std::uint8_t {
    no,
    in_some,  ///< some engines of the family reserve it, or some releases: not to be relied on
    yes,
};

/// The keyword that a bare word spells, in any case; `none` for any other word. No allocation.
Keyword keyword_of(std::string_view word) noexcept;

/// In small letters; empty for `none`.
std::string_view spelling(Keyword keyword) noexcept;

Reserved reserved_by_postgres(Keyword keyword) noexcept;
Reserved reserved_by_mysql(Keyword keyword) noexcept;

}  // namespace isotap::sql
