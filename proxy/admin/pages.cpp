#include "proxy/admin/pages.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <openssl/crypto.h>

namespace isotap::proxy {

AdminAnswer Pages::answer(const AdminRequest& request) const {
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    const bool metrics = path == "/metrics";
    if (!metrics && path != "/healthz" && path != "/readyz") {
        return {.status = 404, .body = "there is /metrics, /healthz and /readyz\n", .allow = {}};
    }
    if (request.method != "GET" && request.method != "HEAD") {
        return {.status = 405, .body = "ask with GET or HEAD\n", .allow = "GET, HEAD"};
    }
    if (metrics) {
        if (!authorized(request.authorization)) {
            return {.status = 401, .body = "ask with the bearer token\n", .allow = {}};
        }
        return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
                .body = sources_.metrics(),
                .allow = {}};
    }
    if (path == "/readyz" && !sources_.ready()) {
        return {.status = 503, .body = "draining\n", .allow = {}};
    }
    return {.body = "ok\n", .allow = {}};
}

bool Pages::authorized(std::string_view authorization) const {
    constexpr std::string_view scheme = "Bearer ";
    if (token_.empty()) {
        return true;
    }
    if (!boost::algorithm::istarts_with(authorization, scheme)) {
        return false;
    }
    authorization.remove_prefix(scheme.size());
    // In a time that does not tell how much of it was right.
    return authorization.size() == token_.size() &&
           CRYPTO_memcmp(authorization.data(), token_.data(), token_.size()) == 0;
}

}  // namespace isotap::proxy
