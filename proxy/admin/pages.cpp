#include "proxy/admin/pages.hpp"

#include <array>
#include <charconv>

#include <boost/algorithm/string/predicate.hpp>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

namespace isotap::proxy {

namespace {

/// What a browser may run of a page: the one script that stands in it, and nothing from elsewhere.
std::string policy_of(std::string_view page) {
    constexpr std::string_view opening = "<script>";
    const std::size_t begin = page.find(opening) + opening.size();
    const std::size_t end = page.find("</script>");
    std::string allowed = "'none'";
    if (end != std::string_view::npos && begin <= end) {
        const std::string_view script = page.substr(begin, end - begin);
        std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
        SHA256(reinterpret_cast<const unsigned char*>(script.data()), script.size(), digest.data());
        std::array<unsigned char, std::size_t{2} * SHA256_DIGEST_LENGTH> base64{};
        const int size = EVP_EncodeBlock(base64.data(), digest.data(), digest.size());
        allowed = "'sha256-" + std::string(base64.begin(), base64.begin() + size) + "'";
    }
    return "default-src 'none'; script-src " + allowed +
           "; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
           "form-action 'none'; frame-ancestors 'none'";
}

std::uint64_t after_in(std::string_view query) {
    constexpr std::string_view name = "after=";
    std::uint64_t number = 0;
    if (query.starts_with(name)) {
        std::from_chars(query.data() + name.size(), query.data() + query.size(), number);
    }
    return number;
}

}  // namespace

AdminAnswer Pages::answer(const AdminRequest& request) const {
    const std::size_t mark = request.target.find('?');
    const std::string_view path = request.target.substr(0, mark);
    const std::string_view query =
        mark == std::string_view::npos ? std::string_view{} : request.target.substr(mark + 1);
    const bool secret = path == "/metrics" || path.starts_with("/api/");
    const bool page = path == "/" && !sources_.page.empty();
    if (!secret && !page && path != "/healthz" && path != "/readyz") {
        return {.status = 404,
                .body =
                    "there is /, /api/status, /api/anomalies, /api/anomalies/ID, "
                    "/api/transactions/ID, /api/coverage, /api/events, /metrics, /healthz and "
                    "/readyz\n",
                .allow = {}};
    }
    if (request.method != "GET" && request.method != "HEAD") {
        return {.status = 405, .body = "ask with GET or HEAD\n", .allow = "GET, HEAD"};
    }
    if (secret) {
        if (misled(request)) {
            return {.status = 421,
                    .body = "ask by an address or as localhost, or give the proxy a token\n",
                    .allow = {}};
        }
        if (!authorized(request.authorization)) {
            return {.status = 401, .body = "ask with the bearer token\n", .allow = {}};
        }
        const auto found = data(path, query);
        return found ? *found
                     : AdminAnswer{.status = 404, .body = "there is no such path\n", .allow = {}};
    }
    if (page) {
        return {.content_type = "text/html; charset=utf-8",
                .body = std::string(sources_.page),
                .allow = {},
                .policy = policy_of(sources_.page)};
    }
    if (path == "/readyz" && !sources_.ready()) {
        return {.status = 503, .body = "draining\n", .allow = {}};
    }
    return {.body = "ok\n", .allow = {}};
}

std::optional<AdminAnswer> Pages::data(std::string_view path, std::string_view query) const {
    if (path == "/metrics") {
        return AdminAnswer{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                           .body = sources_.metrics(),
                           .allow = {}};
    }
    if (path == "/api/events" && sources_.feed) {
        auto feed = sources_.feed(after_in(query));
        if (!feed) {
            return AdminAnswer{.status = 503, .body = "too many are listening\n", .allow = {}};
        }
        return AdminAnswer{
            .content_type = "text/event-stream", .body = {}, .allow = {}, .feed = std::move(feed)};
    }
    return sources_.api ? sources_.api(path) : std::nullopt;
}

bool Pages::misled(const AdminRequest& request) const {
    std::string_view host = request.host;
    if (!token_.empty() || !request.at_loopback || host.starts_with('[')) {
        return false;
    }
    host = host.substr(0, host.find(':'));
    return host.find_first_not_of("0123456789.") != std::string_view::npos &&
           !boost::algorithm::iequals(host, "localhost");
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
