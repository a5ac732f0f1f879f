#include "proxy/workload/worker.hpp"

#include <utility>

namespace isotap::proxy {

Worker::Worker(std::unique_ptr<Client> client, Board& board)
    : client_(std::move(client)), board_(&board), thread_([this] { work(); }) {}

Worker::~Worker() {
    {
        const std::lock_guard lock(board_->mutex);
        ending_ = true;
    }
    asked_.notify_one();
    thread_.join();
}

void Worker::submit(const std::string& sql) {
    {
        const std::lock_guard lock(board_->mutex);
        sql_ = sql;
    }
    asked_.notify_one();
}

workload::Answer Worker::take() {
    const std::lock_guard lock(board_->mutex);
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    workload::Answer answer = std::move(answer_).value();
    answer_.reset();
    return answer;
}

void Worker::work() {
    std::unique_lock lock(board_->mutex);
    for (;;) {
        asked_.wait(lock, [&] { return ending_ || sql_; });
        if (!sql_) {
            return;
        }
        const std::string sql = *std::exchange(sql_, std::nullopt);
        lock.unlock();
        std::optional<workload::Answer> answer;
        std::exception_ptr failure;
        try {
            answer = client_->execute(sql);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        answer_ = std::move(answer);
        failure_ = failure;
        board_->changed.notify_all();
    }
}

}  // namespace isotap::proxy
