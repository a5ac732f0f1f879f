#pragma once

#include <cstdint>
#include <string_view>

namespace isotap::mysql {

/// The first byte of what a client sends when the server awaits a command.
enum class Command : std::uint8_t {
    sleep = 0x00,
    quit = 0x01,
    init_db = 0x02,
    query = 0x03,
    field_list = 0x04,
    create_db = 0x05,
    drop_db = 0x06,
    refresh = 0x07,
    shutdown = 0x08,
    statistics = 0x09,
    process_info = 0x0a,
    connect = 0x0b,
    process_kill = 0x0c,
    debug = 0x0d,
    ping = 0x0e,
    time = 0x0f,
    delayed_insert = 0x10,
    change_user = 0x11,
    binlog_dump = 0x12,
    table_dump = 0x13,
    connect_out = 0x14,
    register_replica = 0x15,
    stmt_prepare = 0x16,
    stmt_execute = 0x17,
    stmt_send_long_data = 0x18,
    stmt_close = 0x19,
    stmt_reset = 0x1a,
    set_option = 0x1b,
    stmt_fetch = 0x1c,
    daemon = 0x1d,
    binlog_dump_gtid = 0x1e,
    reset_connection = 0x1f,
    clone = 0x20,
    subscribe_group_replication = 0x21,
    stmt_bulk_execute = 0xfa,  ///< MariaDB only
};

/// How the reply to a command looks. One state machine serves each shape.
enum class ReplyShape : std::uint8_t {
    none,            ///< nothing comes back
    simple,          ///< OK, EOF or ERR
    results,         ///< one or several of: OK, ERR, result set, request for a local file
    rows,            ///< rows without their metadata: the next ones of a cursor
    field_list,      ///< column definitions up to an end marker
    prepare,         ///< what a prepared statement takes and gives
    text,            ///< one packet of bare text
    authentication,  ///< a dialogue up to OK or ERR
    foreign,         ///< another protocol from here on, or one that nobody told us about
};

ReplyShape reply_shape(Command command) noexcept;

/// The name in the protocol document, or empty for a byte that is none.
std::string_view name(Command command) noexcept;

}  // namespace isotap::mysql
