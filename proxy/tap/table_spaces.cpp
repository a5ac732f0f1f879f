#include "proxy/tap/table_spaces.hpp"

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {

void TableSpaces::note(const history::Event& event) {
    if (const auto* session = std::get_if<history::SessionBegan>(&event)) {
        if (!any_) {
            any_ = true;
            first_ = session->database;
        }
        const bool plain = session->database == first_;
        plain_ = plain_ && plain;
        sessions_[static_cast<std::uint64_t>(session->session)] =
            plain ? "" : std::string(session->database) + ".";
    } else if (const auto* ended = std::get_if<history::SessionEnded>(&event)) {
        sessions_.erase(static_cast<std::uint64_t>(ended->session));
    } else if (const auto* began = std::get_if<history::TransactionBegan>(&event)) {
        std::string prefix = prefix_of(began->session);
        if (!prefix.empty()) {
            plain_ = false;
            transactions_[static_cast<std::uint64_t>(began->transaction)] = std::move(prefix);
        }
    } else if (const auto* over = std::get_if<history::TransactionEnded>(&event)) {
        transactions_.erase(static_cast<std::uint64_t>(over->transaction));
    }
}

std::string TableSpaces::prefix_of(history::SessionId id) const {
    const auto number = static_cast<std::uint64_t>(id);
    const auto known = sessions_.find(number);
    return known == sessions_.end() ? "session " + std::to_string(number) + "." : known->second;
}

std::string TableSpaces::prefix_of(const history::Event& event) const {
    if (const auto* held = std::get_if<history::HeldRead>(&event)) {
        return prefix_of(held->session);
    }
    const auto found = transactions_.find(static_cast<std::uint64_t>(transaction_of(event)));
    return found == transactions_.end() ? "" : found->second;
}

}  // namespace isotap::proxy
