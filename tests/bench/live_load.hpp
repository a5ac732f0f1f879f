#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::bench {

/// What one relay thread tells when sixteen sessions take turns: transactions of eight statements,
/// each of which touches four rows, seven reading and the last one writing. Two-phase locking makes
/// it serializable, but for what is planted. Rows and versions are named as on PostgreSQL.
class LiveLoad {
  public:
    static constexpr std::uint32_t statements_each = 8;
    static constexpr std::uint32_t rows_each = 4;
    static constexpr std::size_t sessions_count = 16;

    /// `number` tells the relay threads apart. After every `plant_every` transactions comes a write
    /// skew; 0: never.
    LiveLoad(history::EventSink& sink, std::uint64_t number, std::uint64_t plant_every);

    /// The next statement of the next session.
    void step();

    /// From any thread.
    [[nodiscard]] std::uint64_t statements() const noexcept { return statements_.load(); }
    [[nodiscard]] std::uint64_t planted() const noexcept { return planted_.load(); }

  private:
    static constexpr std::uint32_t rows_count = 100'000;

    struct Row {
        std::uint64_t writer = 1;  ///< the server's number; of 1 nobody knows whose it is
        std::uint32_t readers = 0;
        bool locked = false;
    };
    struct Session {
        history::TransactionId transaction{};
        std::uint64_t number = 0;
        std::uint32_t done = 0;
        std::vector<std::uint32_t> rows;  ///< those of all statements, the written ones last
    };

    void begin(std::uint64_t session, history::TransactionId transaction);
    void commit(history::TransactionId transaction);
    void open(std::size_t place);
    void close(Session& session);
    void statement(history::StatementRef ref, std::uint64_t number, const std::uint32_t* rows,
                   std::size_t count, bool writes);
    void plant();
    [[nodiscard]] std::uint32_t free_row(bool to_write);
    history::TransactionId next_transaction() noexcept;

    history::EventSink& sink_;
    std::uint64_t number_;
    std::uint64_t plant_every_;
    std::mt19937_64 random_;
    std::vector<Row> rows_;
    std::array<Session, sessions_count> sessions_;
    std::size_t turn_ = 0;
    std::uint64_t transactions_ = 0;
    std::uint64_t numbers_ = 1;
    std::string text_;
    std::string label_;
    std::atomic<std::uint64_t> statements_{0};
    std::atomic<std::uint64_t> planted_{0};
};

}  // namespace isotap::bench
