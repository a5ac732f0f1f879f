#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {
namespace {

using history::TransactionId;

struct TransactionVisitor {
    TransactionId operator()(const history::NameDefined&) const noexcept { return {}; }
    TransactionId operator()(const history::SessionBegan&) const noexcept { return {}; }
    TransactionId operator()(const history::SessionEnded&) const noexcept { return {}; }
    TransactionId operator()(const history::RowLabelled&) const noexcept { return {}; }
    TransactionId operator()(const auto& event) const noexcept {
        if constexpr (requires { event.statement.transaction; }) {
            return event.statement.transaction;
        } else if constexpr (requires { event.writer.transaction; }) {
            return event.writer.transaction;
        } else {
            return event.transaction;
        }
    }
};

struct TimeVisitor {
    Time operator()(const auto& event) const noexcept {
        if constexpr (requires { event.at; }) {
            return event.at;
        } else {
            return {};
        }
    }
};

}  // namespace

TransactionId transaction_of(const history::Event& event) noexcept {
    return std::visit(TransactionVisitor{}, event);
}

Time time_of(const history::Event& event) noexcept {
    return std::visit(TimeVisitor{}, event);
}

}  // namespace isotap::proxy
