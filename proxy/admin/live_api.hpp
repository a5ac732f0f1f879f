#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/admin/pages.hpp"
#include "proxy/tap/tap.hpp"

namespace isotap::proxy {

/// What analysis knows, as JSON and as a stream of events. On the ops thread; the tap must outlive
/// it.
///
///     /api/status               how things stand: verdict, coverage, rings, recording
///     /api/anomalies            all that are kept, in the shape of `check --json`
///     /api/anomalies/<id>       one, with times, reasons and advice
///     /api/transactions/<id>    what is remembered of a transaction
///     /api/coverage             what was captured, and why not the rest
///     /api/events               server-sent events: `status` each second, `anomaly` as they come
class LiveApi {
  public:
    explicit LiveApi(const Tap& tap) : tap_(tap) {}

    /// Nothing for a path that is not of ours.
    [[nodiscard]] std::optional<AdminAnswer> answer(std::string_view path) const;

    /// A stream that begins behind the anomaly of that number: each call gives its next piece,
    /// perhaps empty. Null when too many are open.
    [[nodiscard]] std::function<std::string()> feed(std::uint64_t after) const;

    [[nodiscard]] std::string status() const;

  private:
    struct FeedState {
        std::uint64_t last = 0;
        std::chrono::steady_clock::time_point status_due;
    };
    std::string next(FeedState& state) const;
    [[nodiscard]] std::string anomalies() const;
    [[nodiscard]] std::string coverage() const;

    const Tap& tap_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    /// Every open stream holds one: their number is the use count.
    std::shared_ptr<const int> tickets_ = std::make_shared<const int>(0);
};

}  // namespace isotap::proxy
