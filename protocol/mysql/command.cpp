#include "protocol/mysql/command.hpp"

namespace isotap::mysql {

ReplyShape reply_shape(Command command) noexcept {
    switch (command) {
        case Command::quit:
        case Command::stmt_send_long_data:
        case Command::stmt_close: return ReplyShape::none;
        case Command::sleep:
        case Command::init_db:
        case Command::create_db:
        case Command::drop_db:
        case Command::refresh:
        case Command::shutdown:
        case Command::connect:
        case Command::process_kill:
        case Command::debug:
        case Command::ping:
        case Command::time:
        case Command::delayed_insert:
        case Command::stmt_reset:
        case Command::set_option:
        case Command::daemon:
        case Command::reset_connection: return ReplyShape::simple;
        case Command::query:
        case Command::process_info:
        case Command::stmt_execute:
        case Command::stmt_bulk_execute: return ReplyShape::results;
        case Command::stmt_fetch: return ReplyShape::rows;
        case Command::field_list: return ReplyShape::field_list;
        case Command::stmt_prepare: return ReplyShape::prepare;
        case Command::statistics: return ReplyShape::text;
        case Command::change_user: return ReplyShape::authentication;
        case Command::binlog_dump:
        case Command::table_dump:
        case Command::connect_out:
        case Command::register_replica:
        case Command::binlog_dump_gtid:
        case Command::clone:
        case Command::subscribe_group_replication: return ReplyShape::foreign;
    }
    return ReplyShape::foreign;
}

std::string_view name(Command command) noexcept {
    switch (command) {
        case Command::sleep: return "COM_SLEEP";
        case Command::quit: return "COM_QUIT";
        case Command::init_db: return "COM_INIT_DB";
        case Command::query: return "COM_QUERY";
        case Command::field_list: return "COM_FIELD_LIST";
        case Command::create_db: return "COM_CREATE_DB";
        case Command::drop_db: return "COM_DROP_DB";
        case Command::refresh: return "COM_REFRESH";
        case Command::shutdown: return "COM_SHUTDOWN";
        case Command::statistics: return "COM_STATISTICS";
        case Command::process_info: return "COM_PROCESS_INFO";
        case Command::connect: return "COM_CONNECT";
        case Command::process_kill: return "COM_PROCESS_KILL";
        case Command::debug: return "COM_DEBUG";
        case Command::ping: return "COM_PING";
        case Command::time: return "COM_TIME";
        case Command::delayed_insert: return "COM_DELAYED_INSERT";
        case Command::change_user: return "COM_CHANGE_USER";
        case Command::binlog_dump: return "COM_BINLOG_DUMP";
        case Command::table_dump: return "COM_TABLE_DUMP";
        case Command::connect_out: return "COM_CONNECT_OUT";
        case Command::register_replica: return "COM_REGISTER_SLAVE";
        case Command::stmt_prepare: return "COM_STMT_PREPARE";
        case Command::stmt_execute: return "COM_STMT_EXECUTE";
        case Command::stmt_send_long_data: return "COM_STMT_SEND_LONG_DATA";
        case Command::stmt_close: return "COM_STMT_CLOSE";
        case Command::stmt_reset: return "COM_STMT_RESET";
        case Command::set_option: return "COM_SET_OPTION";
        case Command::stmt_fetch: return "COM_STMT_FETCH";
        case Command::daemon: return "COM_DAEMON";
        case Command::binlog_dump_gtid: return "COM_BINLOG_DUMP_GTID";
        case Command::reset_connection: return "COM_RESET_CONNECTION";
        case Command::clone: return "COM_CLONE";
        case Command::subscribe_group_replication: return "COM_SUBSCRIBE_GROUP_REPLICATION_STREAM";
        case Command::stmt_bulk_execute: return "COM_STMT_BULK_EXECUTE";
    }
    return {};
}

}  // namespace isotap::mysql
