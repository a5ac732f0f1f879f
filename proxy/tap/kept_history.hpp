#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::proxy {

struct KeptStatement {
    std::uint32_t ordinal = 0;
    Time began{};
    Time ended{};
    history::StatementOutcome outcome = history::StatementOutcome::completed;
    history::Coverage coverage = history::Coverage::none;
    std::uint64_t rows = 0;
    std::string text;
};

struct KeptTransaction {
    history::TransactionId id{};
    history::SessionId session{};
    Time began{};
    Time ended{};
    history::IsolationLevel level = history::IsolationLevel::unknown;
    history::Outcome outcome = history::Outcome::committed;
    bool open = true;
    bool incomplete = false;
    std::uint32_t left_out = 0;  ///< statements beyond those that are kept
    std::vector<KeptStatement> statements;
};

/// The latest transactions with their statements, for the case that an anomaly mentions them.
/// Bounded by bytes: the oldest leave, whatever they are doing. One thread.
class KeptHistory {
  public:
    explicit KeptHistory(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    void accept(const history::Event& event);

    /// Null for one that has left or never was. Valid until the next event.
    [[nodiscard]] const KeptTransaction* find(history::TransactionId id) const noexcept;

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  private:
    void on(const history::TransactionBegan& event);
    void on(const history::TransactionLevel& event);
    void on(const history::TransactionEnded& event);
    void on(const history::StatementBegan& event);
    void on(const history::StatementEnded& event);
    void on(const history::Gap& event);
    void on(const auto& /*no part of what is kept*/) {}

    KeptTransaction* at(history::TransactionId id);
    void make_room();

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::unordered_map<std::uint64_t, KeptTransaction> transactions_;
    std::deque<std::uint64_t> oldest_first_;
};

/// About what it takes in memory.
std::size_t size_of(const KeptTransaction& transaction) noexcept;

}  // namespace isotap::proxy
