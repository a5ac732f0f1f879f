#include "proxy/tap/ring_sink.hpp"

#include <algorithm>

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {
namespace {

using history::Event;
using history::TransactionId;

/// What ends or undoes something that was told before.
bool is_essential(const Event& event) noexcept {
    if (const auto* ended = std::get_if<history::StatementEnded>(&event)) {
        return ended->outcome == history::StatementOutcome::failed;
    }
    return std::holds_alternative<history::TransactionEnded>(event) ||
           std::holds_alternative<history::Savepoint>(event) ||
           std::holds_alternative<history::SessionEnded>(event) ||
           std::holds_alternative<history::Gap>(event);
}

}  // namespace

void RingSink::accept(const Event& event) noexcept {
    if (const Time at = time_of(event); at != Time{}) {
        latest_ = at;
    }
    if (overrun_ && !recover()) {
        ++lost_in_overrun_;
        counters_.lost.add();
        if (const auto* name = std::get_if<history::NameDefined>(&event)) {
            untold_names_.emplace_back(name->id, name->text);
        }
        return;
    }
    if (!untold_names_.empty() && !tell_names()) {
        lose(event);
        return;
    }
    offer(event);
}

void RingSink::offer(const Event& event) noexcept {
    const TransactionId id = transaction_of(event);
    const bool essential = is_essential(event);
    if (const Torn* known = torn_.empty() ? nullptr : torn(id)) {
        const bool told = essential && !known->untold;
        if (std::holds_alternative<history::TransactionEnded>(event)) {
            mend(id);
        }
        if (!told) {
            counters_.lost.add();
            return;
        }
    }
    if (!push(event, essential ? Urgency::essential : Urgency::ordinary)) {
        lose(event);
    }
}

/// With `block`, waits instead of failing, as long as somebody drains.
bool RingSink::push(const Event& event, Urgency urgency) noexcept {
    while (!ring_.push(event, urgency)) {
        if (!ring_.fits(event)) {
            return push_cut(event, urgency);
        }
        if (on_overload_ == OnOverload::shed) {
            return false;
        }
        counters_.waits.add();
        if (!ring_.wait_for_room()) {
            return false;
        }
    }
    counters_.events.add();
    return true;
}

/// The text of a statement may be shortened; anything else that is too long is lost.
bool RingSink::push_cut(const Event& event, Urgency urgency) noexcept {
    const auto* began = std::get_if<history::StatementBegan>(&event);
    if (began == nullptr) {
        return false;
    }
    history::StatementBegan cut = *began;
    cut.text = cut.text.substr(0, ring_.payload_limit() / 2);
    cut.text_cut = true;
    return push(cut, urgency);
}

void RingSink::lose(const Event& event) noexcept {
    counters_.lost.add();
    if (const auto* name = std::get_if<history::NameDefined>(&event)) {
        untold_names_.emplace_back(name->id, name->text);
        return;
    }
    if (is_essential(event)) {
        overrun();
        return;
    }
    const TransactionId id = transaction_of(event);
    if (id == history::initial_transaction || torn(id) != nullptr) {
        return;
    }
    const bool untold = std::holds_alternative<history::TransactionBegan>(event);
    torn_.push_back({id, untold});
    counters_.gaps.add();
    if (!push(history::Gap{{}, id, latest_, 1, history::no_name}, Urgency::essential)) {
        overrun();
    }
}

void RingSink::overrun() noexcept {
    overrun_ = true;
    ++lost_in_overrun_;
    counters_.restarts.add();
}

/// Not before there is room for a while: else the next overrun would follow at once.
bool RingSink::recover() noexcept {
    if (!ring_.half_empty()) {
        return false;
    }
    const history::Gap gap{{}, {}, latest_, lost_in_overrun_, history::no_name};
    if (!ring_.push(gap, Urgency::essential, true)) {
        return false;
    }
    counters_.events.add();
    overrun_ = false;
    lost_in_overrun_ = 0;
    torn_.clear();
    return true;
}

bool RingSink::tell_names() noexcept {
    const auto told = [this](const auto& name) {
        return push(history::NameDefined{name.first, name.second}, Urgency::essential);
    };
    const auto first_left = std::find_if_not(untold_names_.begin(), untold_names_.end(), told);
    untold_names_.erase(untold_names_.begin(), first_left);
    return untold_names_.empty();
}

const RingSink::Torn* RingSink::torn(TransactionId id) const noexcept {
    const auto found = std::find_if(torn_.begin(), torn_.end(),
                                    [id](const Torn& t) { return t.transaction == id; });
    return found == torn_.end() ? nullptr : &*found;
}

void RingSink::mend(TransactionId id) noexcept {
    std::erase_if(torn_, [id](const Torn& t) { return t.transaction == id; });
}

}  // namespace isotap::proxy
