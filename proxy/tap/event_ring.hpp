#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// Events on their way from one thread to one other: slots of fixed size, and a ring of bytes for
/// what they point at. All memory is taken at the start.
///
/// The producer calls `push` and `wait_for_room`, the consumer `drain` and `close`; anybody may ask
/// for `depth`. Neither side takes a lock, unless the producer chose to wait.
class EventRing {
  public:
    /// Some room is kept for what must not be lost: ends, names, what was undone.
    enum class Urgency : std::uint8_t { ordinary, essential };

    /// What comes out. Its views live until `drain` returns.
    struct Slot {
        history::Event event;
        /// What came before is not to be joined with what follows: the essential was lost, too.
        bool restart = false;
        std::uint64_t payload_end = 0;
    };

    /// Slots are rounded up to a power of two.
    EventRing(std::size_t slots, std::size_t payload_bytes);
    EventRing(const EventRing&) = delete;
    EventRing& operator=(const EventRing&) = delete;
    ~EventRing() = default;

    /// False, with nothing changed, when there is no room.
    bool push(const history::Event& event, Urgency urgency, bool restart = false) noexcept;

    /// Whether its texts and lists could ever fit.
    [[nodiscard]] bool fits(const history::Event& event) const noexcept;
    [[nodiscard]] std::size_t payload_limit() const noexcept { return arena_.size() / 4; }

    [[nodiscard]] bool half_empty() const noexcept;

    /// Until the consumer has made room, or some milliseconds. False once the ring is closed.
    bool wait_for_room() noexcept;

    /// Hands at most so many events over and gives their room back. Returns how many there were.
    template <typename Take>
    std::size_t drain(std::size_t most, Take take) {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        const std::uint64_t there = head_.load(std::memory_order_acquire) - tail;
        const std::size_t count = there < most ? static_cast<std::size_t>(there) : most;
        for (std::size_t i = 0; i < count; ++i) {
            take(slots_[(tail + i) & mask_]);
        }
        if (count > 0) {
            give_back(tail + count, slots_[(tail + count - 1) & mask_].payload_end);
        }
        return count;
    }

    /// Nobody will drain it any more: a producer does not wait.
    void close() noexcept;

    [[nodiscard]] std::size_t depth() const noexcept {
        // The tail first: it never overtakes a head that is read later.
        const std::uint64_t tail = tail_.load(std::memory_order_acquire);
        return static_cast<std::size_t>(head_.load(std::memory_order_acquire) - tail);
    }
    [[nodiscard]] std::size_t slots() const noexcept { return slots_.size(); }

  private:
    void give_back(std::uint64_t tail, std::uint64_t payload_tail) noexcept;
    [[nodiscard]] static std::size_t payload_of(const history::Event& event) noexcept;

    std::vector<Slot> slots_;
    std::vector<std::uint64_t> arena_words_;  ///< eight bytes each, so that lists lie aligned
    std::span<std::uint8_t> arena_;
    std::uint64_t mask_;
    std::size_t reserve_;

    // Positions count up for ever; their remainder is a place. Each side has its own cache line.
    alignas(64) std::atomic<std::uint64_t> head_{0};
    std::uint64_t payload_head_ = 0;
    alignas(64) std::atomic<std::uint64_t> tail_{0};
    std::atomic<std::uint64_t> payload_tail_{0};
    alignas(64) std::atomic<bool> waiting_{false};
    std::atomic<bool> closed_{false};
    std::mutex mutex_;
    std::condition_variable room_;
};

}  // namespace isotap::proxy
