#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "tests/support/descriptor.hpp"
#include "tests/support/stream.hpp"

namespace isotap::test {

/// What a gate does to the bytes of one direction.
struct LanePlan {
    /// At most so many bytes in one segment. Beyond the first `sliced_bytes` of a connection the
    /// slices grow, so that a large result does not take minutes.
    std::optional<std::size_t> slice{};
    std::size_t sliced_bytes = 8'192;

    /// Bytes wait so long, and what came meanwhile leaves with them in one segment: delays and
    /// merges. Together with `slice` every slice waits, up to `sliced_bytes`.
    std::chrono::microseconds hold{0};

    /// After so many bytes both connections are reset.
    std::optional<std::size_t> reset_after{};

    /// After so many bytes nothing more is read from the sender, until the plan is replaced.
    std::optional<std::size_t> stop_reading_after{};

    friend bool operator==(const LanePlan&, const LanePlan&) = default;
};

struct GatePlan {
    LanePlan to_server{};
    LanePlan to_client{};

    friend bool operator==(const GatePlan&, const GatePlan&) = default;
};

/// A TCP relay that misbehaves as planned: it stands between a client and the proxy, or between the
/// proxy and the server. Ends are passed on, resets as ends. It runs a thread of its own, ended by
/// the destructor together with every connection. The calls are thread-safe.
class Gate {
  public:
    explicit Gate(Endpoint target, GatePlan plan = {});
    ~Gate();
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    /// For connections that come from now on, and for stopped ones.
    void set_plan(GatePlan plan);

    /// Bytes that have left towards one side, over all connections.
    [[nodiscard]] std::size_t bytes_to_server() const noexcept { return to_server_; }
    [[nodiscard]] std::size_t bytes_to_client() const noexcept { return to_client_; }

    /// Connections that were accepted, ever.
    [[nodiscard]] std::size_t accepted() const noexcept { return accepted_; }

    /// Connections that are up now.
    [[nodiscard]] std::size_t open() const noexcept { return open_; }

  private:
    class Loop;

    Endpoint target_;
    Descriptor listener_;
    Descriptor wake_;
    std::uint16_t port_ = 0;
    std::mutex mutex_;
    GatePlan plan_;
    std::atomic<bool> ending_ = false;
    std::atomic<std::size_t> to_server_ = 0;
    std::atomic<std::size_t> to_client_ = 0;
    std::atomic<std::size_t> accepted_ = 0;
    std::atomic<std::size_t> open_ = 0;
    std::thread thread_;
};

}  // namespace isotap::test
