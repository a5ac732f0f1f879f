#include "proxy/net/ring.hpp"

#include <cassert>
#include <cstdlib>
#include <liburing.h>
#include <poll.h>
#include <utility>

namespace isotap::proxy {

namespace {

constexpr unsigned submissions = 1024;
constexpr unsigned completions = 4096;
constexpr std::uint16_t buffers = 32;  // a power of two
constexpr std::uint16_t group = 0;
/// Buffers that begin at equal places of their pages would push each other out of the caches.
constexpr std::size_t colour = 4096 + 64;
/// Memory that an operation keeps for the next one.
constexpr std::size_t kept_capacity = 4096;

}  // namespace

/// The ring as the kernel knows it, and the buffers that it fills.
class Ring::Kernel {
  public:
    explicit Kernel(std::size_t buffer_size)
        : size_(buffer_size),
          memory_(
              std::make_unique_for_overwrite<std::uint8_t[]>((buffer_size + colour) * buffers)) {
        io_uring_params parameters{};
        parameters.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                           IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE;
        parameters.cq_entries = completions;
        if (io_uring_queue_init_params(submissions, &ring, &parameters) != 0) {
            return;
        }
        open_ = true;
        void* entries = nullptr;
        if (posix_memalign(&entries, 4096, buffers * sizeof(io_uring_buf)) != 0) {
            return;
        }
        offered_ = static_cast<io_uring_buf_ring*>(entries);
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(entries);
        registration.ring_entries = buffers;
        registration.bgid = group;
        if (io_uring_register_buf_ring(&ring, &registration, 0) != 0) {
            return;
        }
        io_uring_buf_ring_init(offered_);
        for (std::uint16_t buffer = 0; buffer < buffers; ++buffer) {
            offer(buffer);
        }
        usable_ = true;
    }
    ~Kernel() {
        if (open_) {
            io_uring_queue_exit(&ring);
        }
        std::free(offered_);
    }
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    [[nodiscard]] bool usable() const noexcept { return usable_; }

    void enable() noexcept {
        if (!enabled_) {
            enabled_ = true;
            // Debian 12 has a library that declares a function for it, and lacks it.
            io_uring_register(static_cast<unsigned>(ring.ring_fd), IORING_REGISTER_ENABLE_RINGS,
                              nullptr, 0);
        }
    }

    void offer(std::uint16_t buffer) noexcept {
        io_uring_buf_ring_add(offered_, start_of(buffer), static_cast<unsigned>(size_), buffer,
                              io_uring_buf_ring_mask(buffers), 0);
        io_uring_buf_ring_advance(offered_, 1);
    }

    [[nodiscard]] Bytes filled(std::uint16_t buffer, std::size_t size) noexcept {
        return {start_of(buffer), size};
    }

    /// Null when the kernel takes no more for now.
    [[nodiscard]] io_uring_sqe* next() noexcept {
        io_uring_sqe* free = io_uring_get_sqe(&ring);
        if (free == nullptr) {
            io_uring_submit(&ring);
            free = io_uring_get_sqe(&ring);
        }
        return free;
    }

    void prepare(io_uring_sqe& entry, Operation& operation) const noexcept {
        const int descriptor = operation.descriptor;
        switch (operation.kind) {
            case Operation::Kind::receive:
                io_uring_prep_recv(&entry, descriptor, nullptr, size_, 0);
                // Somebody who has just spoken does not speak again at once.
                entry.ioprio |= IORING_RECVSEND_POLL_FIRST;
                entry.flags |= IOSQE_BUFFER_SELECT;
                entry.buf_group = group;
                break;
            case Operation::Kind::send:
                io_uring_prep_send(&entry, descriptor, operation.bytes.data() + operation.sent,
                                   operation.bytes.size() - operation.sent, MSG_NOSIGNAL);
                break;
            case Operation::Kind::poll: io_uring_prep_poll_add(&entry, descriptor, POLLIN); break;
        }
        io_uring_sqe_set_data(&entry, &operation);
    }

    io_uring ring{};

  private:
    [[nodiscard]] std::uint8_t* start_of(std::uint16_t buffer) noexcept {
        return memory_.get() + buffer * (size_ + colour);
    }

    std::size_t size_;
    std::unique_ptr<std::uint8_t[]> memory_;  ///< not even zeroed: untouched pages cost nothing
    io_uring_buf_ring* offered_ = nullptr;
    bool open_ = false;
    bool usable_ = false;
    bool enabled_ = false;
};

std::unique_ptr<Ring> Ring::open(std::size_t buffer_size) {
    auto kernel = std::make_unique<Kernel>(buffer_size);
    if (!kernel->usable()) {
        return nullptr;
    }
    return std::unique_ptr<Ring>(new Ring(std::move(kernel)));
}

Ring::Ring(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

Ring::~Ring() = default;

Ring::Operation& Ring::ask(Operation::Kind kind, int descriptor, Asker& asker) {
    if (free_.empty()) {
        free_.push_back(&operations_.emplace_back());
    }
    Operation& operation = *free_.back();
    free_.pop_back();
    operation.kind = kind;
    operation.descriptor = descriptor;
    operation.asker = &asker;
    asked_.push_back(&operation);
    return operation;
}

Ring::Operation& Ring::receive(int socket, Asker& asker) {
    return ask(Operation::Kind::receive, socket, asker);
}

Ring::Operation& Ring::send(int socket, Asker& asker, Bytes bytes) {
    Operation& operation = ask(Operation::Kind::send, socket, asker);
    operation.bytes.assign(bytes.begin(), bytes.end());
    return operation;
}

Ring::Operation& Ring::poll(int descriptor, Asker& asker) {
    return ask(Operation::Kind::poll, descriptor, asker);
}

void Ring::again(Operation& operation) {
    assert(!operation.submitted && operation.asker != nullptr);
    asked_.push_back(&operation);
}

void Ring::abandon(Operation& operation) {
    operation.asker = nullptr;
    if (operation.submitted) {
        cancelled_.push_back(&operation);
    }
}

Bytes Ring::take(std::uint16_t buffer, std::size_t size) noexcept {
    // The kernel fills buffers while we wait, and at no other time.
    kernel_->offer(buffer);
    return kernel_->filled(buffer, size);
}

/// False when something is left for the next turn. Cancellations go first: an operation that is
/// over may have been taken for something new, which they must not meet.
bool Ring::submit_asked() {
    while (!cancelled_.empty()) {
        io_uring_sqe* const entry = kernel_->next();
        if (entry == nullptr) {
            return false;
        }
        io_uring_prep_cancel(entry, cancelled_.back(), 0);
        io_uring_sqe_set_data(entry, nullptr);
        cancelled_.pop_back();
    }
    std::size_t submitted = 0;
    for (; submitted < asked_.size(); ++submitted) {
        Operation& operation = *asked_[submitted];
        if (operation.asker == nullptr) {
            recycle(operation);
            continue;
        }
        io_uring_sqe* const entry = kernel_->next();
        if (entry == nullptr) {
            break;
        }
        kernel_->prepare(*entry, operation);
        operation.submitted = true;
    }
    asked_.erase(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(submitted));
    return asked_.empty();
}

void Ring::wait(std::optional<std::chrono::milliseconds> patience) {
    using std::chrono::milliseconds;
    kernel_->enable();
    if (!submit_asked()) {
        patience = milliseconds(0);
    }
    io_uring* const ring = &kernel_->ring;
    if (patience) {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*patience);
        const std::chrono::nanoseconds rest = *patience - seconds;
        __kernel_timespec limit{seconds.count(), rest.count()};
        io_uring_cqe* first = nullptr;
        io_uring_submit_and_wait_timeout(ring, &first, 1, &limit, nullptr);
    } else {
        io_uring_submit_and_wait(ring, 1);
    }
    // Those that are there now: what answering them leads to is for the next turn.
    for (unsigned left = io_uring_cq_ready(ring); left > 0; --left) {
        io_uring_cqe* entry = nullptr;
        if (io_uring_peek_cqe(ring, &entry) != 0) {
            return;
        }
        auto* const operation = static_cast<Operation*>(io_uring_cqe_get_data(entry));
        const int result = entry->res;
        std::optional<std::uint16_t> buffer;
        if ((entry->flags & IORING_CQE_F_BUFFER) != 0) {
            buffer = static_cast<std::uint16_t>(entry->flags >> IORING_CQE_BUFFER_SHIFT);
        }
        io_uring_cqe_seen(ring, entry);
        if (operation != nullptr) {
            finish(*operation, result, buffer);
        }
    }
}

void Ring::finish(Operation& operation, int result, std::optional<std::uint16_t> buffer) {
    operation.submitted = false;
    const bool wanted_bytes = operation.asker != nullptr && result > 0;
    if (buffer && !wanted_bytes) {
        kernel_->offer(*std::exchange(buffer, std::nullopt));
    }
    operation.buffer = buffer;
    if (operation.asker == nullptr) {
        std::erase(cancelled_, &operation);
        recycle(operation);
        return;
    }
    const std::size_t asked = asked_.size();
    operation.asker->on_done(operation, result);
    bool wanted = false;
    for (std::size_t i = asked; i < asked_.size(); ++i) {
        wanted |= asked_[i] == &operation;
    }
    if (!wanted) {
        recycle(operation);
    }
}

void Ring::recycle(Operation& operation) {
    if (operation.bytes.capacity() > kept_capacity) {
        operation.bytes = {};
    }
    operation.bytes.clear();
    operation.sent = 0;
    operation.asker = nullptr;
    operation.buffer.reset();
    free_.push_back(&operation);
}

}  // namespace isotap::proxy
