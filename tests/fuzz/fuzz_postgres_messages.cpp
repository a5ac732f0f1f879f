// Every decoder of a PostgreSQL message, over any body.
#include "protocol/postgres/backend/authentication.hpp"
#include "protocol/postgres/backend/command_complete.hpp"
#include "protocol/postgres/backend/error_response.hpp"
#include "protocol/postgres/backend/ready_for_query.hpp"
#include "protocol/postgres/frontend/bind.hpp"
#include "protocol/postgres/frontend/close.hpp"
#include "protocol/postgres/frontend/execute.hpp"
#include "protocol/postgres/frontend/parse.hpp"
#include "protocol/postgres/frontend/query.hpp"
#include "protocol/postgres/frontend/sasl_initial_response.hpp"
#include "protocol/postgres/frontend/startup.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace frontend = isotap::postgres::frontend;
    namespace backend = isotap::postgres::backend;
    const isotap::Bytes body(data, size);
    (void)frontend::Query::decode(body);
    (void)frontend::Parse::decode(body);
    (void)frontend::Bind::decode(body);
    (void)frontend::Execute::decode(body);
    (void)frontend::Close::decode(body);
    (void)frontend::SaslInitialResponse::decode(body);
    (void)frontend::StartupHeader::decode(body, 10'000);
    (void)frontend::Startup::decode(body);
    (void)backend::ReadyForQuery::decode(body);
    if (const auto complete = backend::CommandComplete::decode(body)) {
        (void)complete->rows();
    }
    if (const auto error = backend::ErrorResponse::decode(body)) {
        (void)error->state();
    }
    if (const auto offer = backend::Authentication::decode(body)) {
        (void)backend::sasl_without_channel_binding(*offer);
    }
    return 0;
}
