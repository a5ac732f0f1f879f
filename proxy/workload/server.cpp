#include "proxy/workload/server.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

std::unique_ptr<Server> Server::open(const Upstream& target) {
    return target.dialect == history::Dialect::postgres ? open_postgres_server(target)
                                                        : open_mysql_server(target);
}

workload::Answer must(Client& client, const std::string& sql) {
    workload::Answer answer = client.execute(sql);
    if (answer.failed) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("the server says '{}' to '{}': a scenario needs a user who "
                                       "may do that",
                                       answer.message, sql));
    }
    return answer;
}

std::string scratch_name() {
    return fmt::format("isotap_run_{}", getpid());
}

}  // namespace isotap::proxy
