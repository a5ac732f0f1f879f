#include "proxy/tap/event_ring.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <type_traits>

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {
namespace {

static_assert(std::is_trivially_copyable_v<history::Version>);

/// A waiting producer looks again by itself, so that no wake-up can be missed for long.
constexpr std::chrono::milliseconds longest_wait{5};

/// One slot of so many is kept for the essential.
constexpr std::size_t reserve_share = 8;

constexpr std::size_t word = sizeof(std::uint64_t);

constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + word - 1) / word * word;
}

}  // namespace

EventRing::EventRing(std::size_t slots, std::size_t payload_bytes)
    : slots_(std::bit_ceil(std::max<std::size_t>(slots, 2 * reserve_share))),
      arena_words_(std::max<std::size_t>(rounded(payload_bytes) / word, 128)),
      arena_(reinterpret_cast<std::uint8_t*>(arena_words_.data()), arena_words_.size() * word),
      mask_(slots_.size() - 1),
      reserve_(slots_.size() / reserve_share) {}

std::size_t EventRing::payload_of(const history::Event& event) noexcept {
    std::size_t bytes = 0;
    history::Event copy = event;
    for_each_payload(
        copy, [&bytes](const auto& view) { bytes += rounded(view.size() * sizeof(*view.data())); });
    return bytes;
}

bool EventRing::fits(const history::Event& event) const noexcept {
    return payload_of(event) <= payload_limit();
}

bool EventRing::push(const history::Event& event, Urgency urgency, bool restart) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    const std::size_t free = slots_.size() - static_cast<std::size_t>(head - tail);
    if (free <= (urgency == Urgency::essential ? 0 : reserve_)) {
        return false;
    }
    const std::size_t needed = payload_of(event);
    std::uint64_t begin = payload_head_;
    if (const std::size_t place = begin % arena_.size(); place + needed > arena_.size()) {
        begin += arena_.size() - place;  // what is left at the end stays unused
    }
    const std::uint64_t used = begin + needed - payload_tail_.load(std::memory_order_acquire);
    const std::size_t kept = urgency == Urgency::essential ? 0 : arena_.size() / reserve_share;
    if (needed > 0 && used > arena_.size() - kept) {
        return false;
    }
    Slot& slot = slots_[head & mask_];
    slot.event = event;
    slot.restart = restart;
    if (needed > 0) {
        std::uint8_t* at = arena_.data() + begin % arena_.size();
        for_each_payload(slot.event, [&at](auto& view) {
            using View = std::remove_reference_t<decltype(view)>;
            using Item = std::remove_const_t<std::remove_reference_t<decltype(*view.data())>>;
            const std::size_t bytes = view.size() * sizeof(Item);
            if (bytes > 0) {
                std::memcpy(at, view.data(), bytes);
            }
            view = View(reinterpret_cast<const Item*>(at), view.size());
            at += rounded(bytes);
        });
        payload_head_ = begin + needed;
    }
    slot.payload_end = payload_head_;
    head_.store(head + 1, std::memory_order_release);
    return true;
}

bool EventRing::half_empty() const noexcept {
    const std::uint64_t used = payload_head_ - payload_tail_.load(std::memory_order_acquire);
    return depth() <= slots_.size() / 2 && used <= arena_.size() / 2;
}

void EventRing::give_back(std::uint64_t tail, std::uint64_t payload_tail) noexcept {
    payload_tail_.store(payload_tail, std::memory_order_release);
    tail_.store(tail, std::memory_order_release);
    if (waiting_.load(std::memory_order_seq_cst)) {
        const std::lock_guard lock(mutex_);
        room_.notify_all();
    }
}

bool EventRing::wait_for_room() noexcept {
    std::unique_lock lock(mutex_);
    if (closed_.load()) {
        return false;
    }
    waiting_.store(true, std::memory_order_seq_cst);
    room_.wait_for(lock, longest_wait);
    waiting_.store(false);
    return !closed_.load();
}

void EventRing::close() noexcept {
    closed_.store(true);
    const std::lock_guard lock(mutex_);
    room_.notify_all();
}

}  // namespace isotap::proxy
