// Who waits for whom, as the server says, and what that means for the play.
#include <algorithm>
#include <utility>

#include "proxy/workload/play.hpp"

namespace isotap::proxy {

using workload::Event;
using workload::Happening;
using workload::Marker;

bool Play::awaits_notices(const Flight& flight) const {
    const auto& markers = order_[flight.turn].markers;
    for (std::size_t i = 0; i < markers.size() && flight.ended; ++i) {
        if (markers[i].kind == Marker::Kind::notices &&
            heard_[scenario_.steps[markers[i].step].session] < flight.notices[i]) {
            return true;
        }
    }
    return false;
}

/// Asks the server. True when all that is under way waits for sessions that are idle, and nobody
/// was answered while it was asked.
bool Play::look_for_waits() {
    std::vector<std::uint64_t> connections;
    for (Flight& flight : flights_) {
        flight.blockers.clear();
        if (!flight.ended) {
            connections.push_back(workers_[schedule_.session_of(flight.turn)]->client().id());
        }
    }
    std::vector<bool> unknown(workers_.size(), false);
    for (const LockWait& wait : server_.waits(connections)) {
        const auto session_at = [&](std::uint64_t id) {
            const auto found =
                std::find_if(workers_.begin(), workers_.end(),
                             [&](const auto& worker) { return worker->client().id() == id; });
            return static_cast<std::size_t>(found - workers_.begin());
        };
        const std::size_t waiter = session_at(wait.waiter);
        const std::size_t blocker = session_at(wait.blocker);
        Flight* flight = waiter < workers_.size() ? flight_of(waiter) : nullptr;
        if (flight == nullptr || flight->ended) continue;
        if (blocker < workers_.size()) {
            flight->blockers.push_back(blocker);
        } else if (wait.blocker == 0) {
            unknown[waiter] = true;
        }
    }
    for (Flight& flight : flights_) {
        std::sort(flight.blockers.begin(), flight.blockers.end());
        flight.blockers.erase(std::unique(flight.blockers.begin(), flight.blockers.end()),
                              flight.blockers.end());
    }
    const bool still = std::all_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
        return flight.ended || unknown[schedule_.session_of(flight.turn)] || leads_to_idle(flight);
    });
    const std::lock_guard lock(board_.mutex);
    return still && std::none_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
               return !flight.ended && workers_[schedule_.session_of(flight.turn)]->answered();
           });
}

/// Follows who waits for whom: a circle is a deadlock, which the server is about to end, unless a
/// specification says how long that takes.
bool Play::leads_to_idle(const Flight& flight) const {
    if (scenario_.specification) return !flight.blockers.empty();
    std::vector<std::size_t> ahead = flight.blockers;
    std::vector<bool> been(workers_.size(), false);
    while (!ahead.empty()) {
        const std::size_t session = ahead.back();
        ahead.pop_back();
        if (been[session]) continue;
        been[session] = true;
        const auto next = std::find_if(flights_.begin(), flights_.end(), [&](const Flight& other) {
            return schedule_.session_of(other.turn) == session && !other.ended;
        });
        if (next == flights_.end()) return true;
        ahead.insert(ahead.end(), next->blockers.begin(), next->blockers.end());
    }
    return false;
}

Play::Flight* Play::flight_of(std::size_t session) {
    const auto found = std::find_if(flights_.begin(), flights_.end(), [&](const Flight& flight) {
        return schedule_.session_of(flight.turn) == session;
    });
    return found == flights_.end() ? nullptr : &*found;
}

bool Play::held_back(const Flight& flight) const {
    if (awaits_notices(flight)) return true;
    return std::any_of(order_[flight.turn].markers.begin(), order_[flight.turn].markers.end(),
                       [&](const Marker& marker) {
                           return marker.kind == Marker::Kind::behind &&
                                  std::any_of(flights_.begin(), flights_.end(),
                                              [&](const Flight& other) {
                                                  return order_[other.turn].step == marker.step;
                                              });
                       });
}

void Play::report_wait(Flight& flight) {
    if (flight.reported) return;
    flight.reported = true;
    Event event;
    event.happening = Happening::waits;
    event.session = schedule_.session_of(flight.turn);
    event.turn = flight.turn;
    event.blockers = flight.blockers;
    run_.events.push_back(std::move(event));
}

}  // namespace isotap::proxy
