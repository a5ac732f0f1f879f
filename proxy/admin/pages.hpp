#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace isotap::proxy {

/// What a client of the admin address asks. Anything may stand in it.
struct AdminRequest {
    std::string_view method;
    std::string_view target;
    std::string_view authorization;
};

struct AdminAnswer {
    unsigned status = 200;
    std::string_view content_type = "text/plain; charset=utf-8";
    std::string body;
    std::string_view allow;  ///< with 405: the methods that there are
};

/// The pages behind the admin address. One thread.
///
///     /metrics   the numbers, for Prometheus; asks for the token when there is one
///     /healthz   200 while the process answers
///     /readyz    200 while new sessions are accepted, 503 from the first signal on
class Pages {
  public:
    struct Sources {
        std::function<std::string()> metrics;
        std::function<bool()> ready;
    };

    /// `token`: what /metrics asks for as `Authorization: Bearer …`; empty: nothing.
    Pages(Sources sources, std::string token)
        : sources_(std::move(sources)), token_(std::move(token)) {}

    [[nodiscard]] AdminAnswer answer(const AdminRequest& request) const;

  private:
    [[nodiscard]] bool authorized(std::string_view authorization) const;

    Sources sources_;
    std::string token_;
};

}  // namespace isotap::proxy
