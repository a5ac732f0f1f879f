#pragma once

#include <string>
#include <utility>
#include <vector>

#include "isotap/history/events.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "proxy/tap/event_ring.hpp"

namespace isotap::proxy {

/// What one producer counts. Written by its thread, read by whoever makes metrics.
struct RingCounters {
    Counter events;    ///< that were put into the ring
    Counter lost;      ///< that were not
    Counter gaps;      ///< transactions that lost something
    Counter restarts;  ///< times that even the essential found no room
    Counter waits;     ///< times that the producer waited (block)
};

/// Puts events into a ring, and keeps the books when there is no room.
///
/// What is shed is shed by the transaction: once one of its events is lost, a Gap that names it
/// follows and the rest of it is left out, but for what undoes or ends what was told already. So
/// whoever listens never takes an undone write for one that holds. When there is no room for that
/// either, everything is left out until the ring has drained; then a Gap with `restart` says that
/// nothing from before may be joined with what follows. Names are told again until they came
/// through.
///
/// On the producer's thread. Allocates only while it loses.
class RingSink final : public history::EventSink {
  public:
    RingSink(EventRing& ring, OnOverload on_overload, RingCounters& counters) noexcept
        : ring_(ring), on_overload_(on_overload), counters_(counters) {}

    void accept(const history::Event& event) noexcept override;

  private:
    using Urgency = EventRing::Urgency;

    bool push(const history::Event& event, Urgency urgency) noexcept;
    bool push_cut(const history::Event& event, Urgency urgency) noexcept;
    void offer(const history::Event& event) noexcept;
    void lose(const history::Event& event) noexcept;
    void overrun() noexcept;
    bool recover() noexcept;
    bool tell_names() noexcept;

    /// A transaction that lost something. One whose beginning was lost is left out altogether.
    struct Torn {
        history::TransactionId transaction{};
        bool untold = false;
    };
    [[nodiscard]] const Torn* torn(history::TransactionId id) const noexcept;
    void mend(history::TransactionId id) noexcept;

    EventRing& ring_;
    OnOverload on_overload_;
    RingCounters& counters_;
    std::vector<Torn> torn_;
    std::vector<std::pair<history::NameId, std::string>> untold_names_;
    bool overrun_ = false;
    std::uint64_t lost_in_overrun_ = 0;
    Time latest_{};
};

}  // namespace isotap::proxy
