#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres {

std::string_view name(FrontendType type) noexcept {
    switch (type) {
        case FrontendType::bind: return "Bind";
        case FrontendType::close: return "Close";
        case FrontendType::copy_data: return "CopyData";
        case FrontendType::copy_done: return "CopyDone";
        case FrontendType::copy_fail: return "CopyFail";
        case FrontendType::describe: return "Describe";
        case FrontendType::execute: return "Execute";
        case FrontendType::flush: return "Flush";
        case FrontendType::function_call: return "FunctionCall";
        case FrontendType::parse: return "Parse";
        case FrontendType::password: return "Password";
        case FrontendType::query: return "Query";
        case FrontendType::sync: return "Sync";
        case FrontendType::terminate: return "Terminate";
    }
    return {};
}

std::string_view name(BackendType type) noexcept {
    switch (type) {
        case BackendType::authentication: return "Authentication";
        case BackendType::backend_key_data: return "BackendKeyData";
        case BackendType::bind_complete: return "BindComplete";
        case BackendType::close_complete: return "CloseComplete";
        case BackendType::command_complete: return "CommandComplete";
        case BackendType::copy_both_response: return "CopyBothResponse";
        case BackendType::copy_data: return "CopyData";
        case BackendType::copy_done: return "CopyDone";
        case BackendType::copy_in_response: return "CopyInResponse";
        case BackendType::copy_out_response: return "CopyOutResponse";
        case BackendType::data_row: return "DataRow";
        case BackendType::empty_query_response: return "EmptyQueryResponse";
        case BackendType::error_response: return "ErrorResponse";
        case BackendType::function_call_response: return "FunctionCallResponse";
        case BackendType::negotiate_protocol_version: return "NegotiateProtocolVersion";
        case BackendType::no_data: return "NoData";
        case BackendType::notice_response: return "NoticeResponse";
        case BackendType::notification_response: return "NotificationResponse";
        case BackendType::parameter_description: return "ParameterDescription";
        case BackendType::parameter_status: return "ParameterStatus";
        case BackendType::parse_complete: return "ParseComplete";
        case BackendType::portal_suspended: return "PortalSuspended";
        case BackendType::ready_for_query: return "ReadyForQuery";
        case BackendType::row_description: return "RowDescription";
    }
    return {};
}

}  // namespace isotap::postgres
