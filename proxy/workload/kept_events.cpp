#include "proxy/workload/kept_events.hpp"

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {
namespace {

class Sink final : public history::EventSink {
  public:
    explicit Sink(KeptEvents& kept) : kept_(kept) {}

    void accept(const history::Event& event) noexcept override { kept_.add(event); }

  private:
    KeptEvents& kept_;
};

/// Puts what an event points at into places that last.
struct Keep {
    std::deque<std::string>& texts;
    std::deque<std::vector<history::Version>>& lists;

    void operator()(std::string_view& text) const { text = texts.emplace_back(text); }
    void operator()(std::span<const history::Version>& list) const {
        list = lists.emplace_back(list.begin(), list.end());
    }
};

}  // namespace

void KeptEvents::add(const history::Event& event) {
    for_each_payload(events_.emplace_back(event), Keep{texts_, lists_});
}

std::unique_ptr<history::EventSink> sink_into(KeptEvents& kept) {
    return std::make_unique<Sink>(kept);
}

}  // namespace isotap::proxy
