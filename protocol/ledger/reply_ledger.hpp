#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isotap/base/bytes.hpp"
#include "isotap/base/clock.hpp"

#include "protocol/ledger/treatment.hpp"

namespace isotap::protocol {

/// The replies that a server still owes, oldest first: one entry for each request that gets one.
///
/// Requests append; only replies take away. What a reply means, and what becomes of it, is decided
/// by the entry at the front, so nothing is ever guessed from what was asked last. Each entry may
/// keep a few bytes of its request (a text, a name), which live exactly as long as it does.
///
/// `Reply` is the dialect's own enumeration of what can be owed. Bounded: `push` refuses beyond the
/// limits given. Allocates only while it grows to its working size. Not thread-safe.
template <typename Reply>
class ReplyLedger {
  public:
    struct Entry {
        Reply reply{};
        Treatment treatment = Treatment::forward;
        bool cut = false;  ///< `kept` holds only the beginning
        std::uint32_t kept_size = 0;
        Time at{};
    };

    ReplyLedger(std::size_t entries_max, std::size_t bytes_max) noexcept
        : entries_max_(entries_max), bytes_max_(bytes_max) {}

    [[nodiscard]] bool empty() const noexcept { return head_ == entries_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - head_; }

    [[nodiscard]] Entry& front() noexcept {
        assert(!empty());
        return entries_[head_];
    }
    [[nodiscard]] const Entry& front() const noexcept {
        assert(!empty());
        return entries_[head_];
    }

    /// What the front entry keeps. Valid until the next call that changes the ledger.
    [[nodiscard]] Bytes kept() const noexcept {
        return Bytes(bytes_).subspan(bytes_head_, front().kept_size);
    }

    /// False when the ledger is full; then nothing was added.
    [[nodiscard]] bool push(Reply reply, Time at, Bytes keep = {}, bool cut = false,
                            Treatment treatment = Treatment::forward) {
        if (size() >= entries_max_) {
            return false;
        }
        if (bytes_.size() - bytes_head_ + keep.size() > bytes_max_) {
            keep = {};
            cut = true;
        }
        reclaim();
        entries_.push_back({reply, treatment, cut, static_cast<std::uint32_t>(keep.size()), at});
        bytes_.insert(bytes_.end(), keep.begin(), keep.end());
        return true;
    }

    void pop() noexcept {
        assert(!empty());
        bytes_head_ += front().kept_size;
        ++head_;
        if (empty()) {
            clear();
        }
    }

    /// Drops entries from the second on for which `drop` holds, up to the first for which `stop`
    /// does, in one pass. For what a server reads and does not answer.
    template <typename Drop, typename Stop>
    void drop_behind_front(Drop drop, Stop stop) {
        assert(!empty());
        const auto at = [](auto& list, std::size_t i) {
            return list.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::size_t next = head_ + 1;
        std::size_t end = next;  // of those that stay
        std::size_t bytes_next = bytes_head_ + front().kept_size;
        std::size_t bytes_end = bytes_next;
        for (; next < entries_.size() && !stop(entries_[next]); ++next) {
            const Entry entry = entries_[next];
            if (!drop(entry)) {
                std::copy_n(at(bytes_, bytes_next), entry.kept_size, at(bytes_, bytes_end));
                bytes_end += entry.kept_size;
                entries_[end++] = entry;
            }
            bytes_next += entry.kept_size;
        }
        entries_.erase(at(entries_, end), at(entries_, next));
        bytes_.erase(at(bytes_, bytes_end), at(bytes_, bytes_next));
    }

    void clear() noexcept {
        // One long text must not make a session that idles afterwards expensive.
        constexpr std::size_t bytes_to_keep = 2048;
        if (bytes_.capacity() > bytes_to_keep) {
            bytes_ = {};
        }
        entries_.clear();
        bytes_.clear();
        head_ = 0;
        bytes_head_ = 0;
    }

  private:
    /// A pipeline that never runs dry must not grow the vectors for ever.
    void reclaim() {
        constexpr std::size_t worth_moving = 64;
        if (head_ < worth_moving || head_ * 2 < entries_.size()) {
            return;
        }
        entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes_head_));
        head_ = 0;
        bytes_head_ = 0;
    }

    std::size_t entries_max_;
    std::size_t bytes_max_;
    std::vector<Entry> entries_;
    std::vector<std::uint8_t> bytes_;
    std::size_t head_ = 0;
    std::size_t bytes_head_ = 0;
};

}  // namespace isotap::protocol
