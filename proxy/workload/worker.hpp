#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "proxy/workload/client.hpp"

namespace isotap::proxy {

/// What several workers tell one executor.
struct Board {
    std::mutex mutex;
    std::condition_variable changed;
};

/// Runs one statement at a time on a thread of its own, since client libraries wait. All calls come
/// from one other thread; the board outlives it. While a statement runs the client belongs to the
/// worker, otherwise to the caller. The destructor waits for the statement: see that it ends.
class Worker {
  public:
    Worker(std::unique_ptr<Client> client, Board& board);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    [[nodiscard]] Client& client() noexcept { return *client_; }

    void submit(const std::string& sql);

    /// Whether the answer is there. The caller holds the board's mutex.
    [[nodiscard]] bool answered() const noexcept { return answer_.has_value() || failure_; }

    /// The answer, once. Throws what the connection threw.
    workload::Answer take();

  private:
    void work();

    std::unique_ptr<Client> client_;
    Board* board_;
    std::condition_variable asked_;
    std::optional<std::string> sql_;
    std::optional<workload::Answer> answer_;
    std::exception_ptr failure_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace isotap::proxy
