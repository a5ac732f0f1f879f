#include "proxy/relay/relay.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>

#include "proxy/relay/acceptor.hpp"
#include "proxy/relay/relay_thread.hpp"

namespace isotap::proxy {

/// Listeners accept on the first relay thread: a thread of its own would cost a hand-over for every
/// connection and have nothing else to do.
class Relay::Body {
  public:
    Body(const RelayOptions& options, const SinkOfThread& sink_of_thread, Log& log)
        : limits_(options.limits), log_(log) {
        const std::uint32_t run_tag = std::random_device{}();
        for (std::size_t i = 0; i < std::max<std::size_t>(options.threads, 1); ++i) {
            threads_.push_back(std::make_unique<RelayThread>(i, run_tag, options.io, limits_, log,
                                                             names_, sessions_open_));
            if (sink_of_thread) {
                threads_.back()->set_sink(sink_of_thread(threads_.back()->counters()));
            }
        }
        for (const Listener& listener : options.listeners) {
            add_listener(listener);
        }
    }

    ~Body() { stop(); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    [[nodiscard]] std::vector<Address> addresses() const {
        std::vector<Address> found;
        for (const auto& acceptor : acceptors_) {
            found.push_back(acceptor->address());
        }
        return found;
    }

    void start() {
        for (const auto& acceptor : acceptors_) {
            acceptor->start();
        }
        for (const auto& thread : threads_) {
            const bool accepts = thread == threads_.front();
            thread->start([this, accepts] {
                for (const auto& acceptor : acceptors_) {
                    if (accepts) {
                        acceptor->on_tick();
                    }
                }
            });
        }
    }

    void drain() {
        stop_accepting();
        for (const auto& thread : threads_) {
            thread->drain();
        }
    }

    std::size_t stop() {
        stop_accepting();
        std::size_t cut = 0;
        for (const auto& thread : threads_) {
            cut += thread->stop();
        }
        // Its answers go to the relay threads, which are still there although they do not run.
        for (const auto& listener : listeners_) {
            if (listener->catalog) {
                listener->catalog->stop();
            }
        }
        return cut;
    }

    [[nodiscard]] std::size_t open_sessions() const noexcept {
        return sessions_open_.load(std::memory_order_relaxed);
    }

    std::string reload_certificates() {
        std::string failures;
        for (const auto& listener : listeners_) {
            const std::string failure = listener->tls.reload();
            if (!failure.empty()) {
                failures += failures.empty() ? failure : "; " + failure;
            }
        }
        return failures;
    }

    [[nodiscard]] std::vector<const RelayCounters*> counters() const {
        std::vector<const RelayCounters*> found;
        for (const auto& thread : threads_) {
            found.push_back(&thread->counters());
        }
        return found;
    }

  private:
    void add_listener(const Listener& options) {
        listeners_.push_back(std::make_unique<ListenerContext>(options, limits_, log_));
        const ListenerContext& listener = *listeners_.back();
        for (const auto& thread : threads_) {
            thread->serve(listener);
        }
        acceptors_.push_back(std::make_unique<Acceptor>(
            threads_.front()->poller(), options.listen, [this, &listener](Descriptor client) {
                least_loaded().adopt(std::move(client), listener);
            }));
    }

    [[nodiscard]] RelayThread& least_loaded() const {
        return **std::min_element(threads_.begin(), threads_.end(),
                                  [](const auto& one, const auto& another) {
                                      return one->counters().sessions_open.value() <
                                             another->counters().sessions_open.value();
                                  });
    }

    void stop_accepting() {
        threads_.front()->poller().post([this] {
            for (const auto& acceptor : acceptors_) {
                acceptor->stop();
            }
        });
    }

    Limits limits_;
    Log& log_;
    std::atomic<std::size_t> sessions_open_{0};
    std::vector<std::unique_ptr<ListenerContext>> listeners_;
    std::vector<std::unique_ptr<RelayThread>> threads_;
    NameLookup names_;
    std::vector<std::unique_ptr<Acceptor>> acceptors_;
};

Relay::Relay(const RelayOptions& options, const SinkOfThread& sink_of_thread, Log& log)
    : body_(std::make_unique<Body>(options, sink_of_thread, log)) {}
Relay::~Relay() = default;

std::vector<Address> Relay::addresses() const {
    return body_->addresses();
}
void Relay::start() {
    body_->start();
}
void Relay::drain() {
    body_->drain();
}
std::size_t Relay::open_sessions() const noexcept {
    return body_->open_sessions();
}
std::size_t Relay::finish(std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds idle_poll{5};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    drain();
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (open_sessions() > 0 && std::chrono::steady_clock::now() < deadline) {
        never.wait_for(lock, idle_poll);
    }
    return stop();
}
std::size_t Relay::stop() {
    return body_->stop();
}
std::string Relay::reload_certificates() {
    return body_->reload_certificates();
}
std::vector<const RelayCounters*> Relay::counters() const {
    return body_->counters();
}

}  // namespace isotap::proxy
