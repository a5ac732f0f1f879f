#pragma once

#include "protocol/sql/plan.hpp"

struct pg_result;

namespace isotap::proxy {

/// Of two statements that the server has described: the client would see no difference, once what
/// the plan adds is taken out.
bool same_to_the_client(const pg_result* original, const pg_result* rewritten,
                        const sql::Plan& plan);

}  // namespace isotap::proxy
