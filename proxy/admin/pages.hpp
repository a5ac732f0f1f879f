#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace isotap::proxy {

/// What a client of the admin address asks. Anything may stand in it.
struct AdminRequest {
    std::string_view method;
    std::string_view target;
    std::string_view authorization;
    std::string_view host{};
    bool at_loopback = false;  ///< it came to an address that only this machine has
};

struct AdminAnswer {
    unsigned status = 200;
    std::string_view content_type = "text/plain; charset=utf-8";
    std::string body;
    std::string_view allow;  ///< with 405: the methods that there are
    std::string policy{};    ///< what a page may load and run (Content-Security-Policy)
    /// Not null: the answer has no end; this gives each further piece of it, perhaps empty.
    std::function<std::string()> feed{};
};

/// The pages behind the admin address. One thread.
///
///     /          the page for people, when there is one; holds no data by itself
///     /api/…     what analysis knows (LiveApi); asks for the token when there is one
///     /metrics   the numbers, for Prometheus; asks for the token when there is one
///     /healthz   200 while the process answers
///     /readyz    200 while new sessions are accepted, 503 from the first signal on
///
/// Without a token, what is told at a loopback address is told to those who ask by an address or as
/// `localhost`: any name in the world may be made to lead there, and a browser would let the page
/// of that name read the answer.
class Pages {
  public:
    struct Sources {
        std::function<std::string()> metrics;
        std::function<bool()> ready;
        std::string_view page{};  ///< empty: none
        std::function<std::optional<AdminAnswer>(std::string_view path)> api{};
        /// A stream of events that begins behind the anomaly of that number.
        std::function<std::function<std::string()>(std::uint64_t after)> feed{};
    };

    /// `token`: what /metrics and /api ask for as `Authorization: Bearer …`; empty: nothing.
    Pages(Sources sources, std::string token)
        : sources_(std::move(sources)), token_(std::move(token)) {}

    [[nodiscard]] AdminAnswer answer(const AdminRequest& request) const;

  private:
    [[nodiscard]] std::optional<AdminAnswer> data(std::string_view path,
                                                  std::string_view query) const;
    [[nodiscard]] bool authorized(std::string_view authorization) const;
    [[nodiscard]] bool misled(const AdminRequest& request) const;

    Sources sources_;
    std::string token_;
};

}  // namespace isotap::proxy
