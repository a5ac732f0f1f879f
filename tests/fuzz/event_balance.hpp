#pragma once

#include <cstdlib>
#include <string>
#include <variant>

#include "isotap/history/events.hpp"

namespace isotap::fuzz {

/// Takes what a session tells and holds it to this: one statement at a time, and what ends has
/// begun.
class EventBalance final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override {
        transactions_ += std::holds_alternative<history::TransactionBegan>(event) ? 1 : 0;
        transactions_ -= std::holds_alternative<history::TransactionEnded>(event) ? 1 : 0;
        if (const auto* began = std::get_if<history::StatementBegan>(&event)) {
            ++statements_;
            text_.assign(began->text);  // touches every byte of the view
        }
        statements_ -= std::holds_alternative<history::StatementEnded>(event) ? 1 : 0;
        if (statements_ < 0 || statements_ > 1 || transactions_ < 0) std::abort();
    }

    /// The session is over: all that began has ended.
    void expect_even() const {
        if (transactions_ != 0 || statements_ != 0) std::abort();
    }

  private:
    int transactions_ = 0;
    int statements_ = 0;
    std::string text_;
};

}  // namespace isotap::fuzz
