#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

/// All events of one relay thread, with what they point at: for runs that are short. Filled on that
/// thread; read by others once it has ended.
class KeptEvents {
  public:
    void add(const history::Event& event);

    [[nodiscard]] const std::deque<history::Event>& all() const noexcept { return events_; }

  private:
    std::deque<history::Event> events_;
    std::deque<std::string> texts_;                    // stay where they are
    std::deque<std::vector<history::Version>> lists_;  // likewise
};

/// A sink that fills it, and that it outlives.
std::unique_ptr<history::EventSink> sink_into(KeptEvents& kept);

}  // namespace isotap::proxy
