#pragma once

#include <cstdint>

namespace isotap::postgres {

/// Type bytes of messages that a client sends, once the start-up packet is through.
enum class FrontendType : std::uint8_t {
    bind = 'B',
    close = 'C',
    copy_data = 'd',
    copy_done = 'c',
    copy_fail = 'f',
    describe = 'D',
    execute = 'E',
    flush = 'H',
    function_call = 'F',
    parse = 'P',
    password = 'p',  ///< also the SASL and GSS responses: only the last request tells which
    query = 'Q',
    sync = 'S',
    terminate = 'X',
};

/// Type bytes of messages that a server sends.
enum class BackendType : std::uint8_t {
    authentication = 'R',
    backend_key_data = 'K',
    bind_complete = '2',
    close_complete = '3',
    command_complete = 'C',
    copy_both_response = 'W',
    copy_data = 'd',
    copy_done = 'c',
    copy_in_response = 'G',
    copy_out_response = 'H',
    data_row = 'D',
    empty_query_response = 'I',
    error_response = 'E',
    function_call_response = 'V',
    negotiate_protocol_version = 'v',
    no_data = 'n',
    notice_response = 'N',
    notification_response = 'A',
    parameter_description = 't',
    parameter_status = 'S',
    parse_complete = '1',
    portal_suspended = 's',
    ready_for_query = 'Z',
    row_description = 'T',
};

}  // namespace isotap::postgres
