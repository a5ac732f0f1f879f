#pragma once

#include <cstdint>

namespace isotap::postgres {

/// What a server owes for a request, and the request that it is owed for.
enum class Reply : std::uint8_t {
    query,
    parse,
    bind,
    describe,
    execute,
    close,
    sync,
    function_call,
    copy_end,  ///< CopyDone or CopyFail: gets no answer of its own, but ends what COPY swallows
};

}  // namespace isotap::postgres
