#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "isotap/base/bytes.hpp"

struct io_uring_sqe;

namespace isotap::proxy {

/// What one thread has asked of the kernel by io_uring: bytes that arrive, bytes to send. All that
/// was asked in a turn goes to the kernel with the one call that also waits for answers, which is
/// what makes a message cost half a system call instead of three (ADR 0008).
///
/// Created on any thread; everything else is for the thread that first waits.
class Ring {
  public:
    class Asker;

    /// One thing that was asked. Belongs to the ring; the asker's pointer is good until `on_done`
    /// was called without `again`, or until it abandons.
    struct Operation {
        enum class Kind : std::uint8_t { receive, send, poll };

        Kind kind = Kind::poll;
        bool submitted = false;  ///< the kernel has it: `bytes` must not move
        int descriptor = -1;
        Asker* asker = nullptr;           ///< null: nobody wants to know any more
        std::vector<std::uint8_t> bytes;  ///< to send
        std::size_t sent = 0;
        std::optional<std::uint16_t> buffer;  ///< what a receive has filled
    };

    /// Is told what came of it: a count as the system call would give, or -errno.
    class Asker {
      public:
        Asker() = default;
        Asker(const Asker&) = delete;
        Asker& operator=(const Asker&) = delete;
        virtual ~Asker() = default;

        virtual void on_done(Operation& operation, int result) = 0;
    };

    /// Null where the kernel has no io_uring of the kind, or does not let us.
    static std::unique_ptr<Ring> open(std::size_t buffer_size);
    ~Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    /// Bytes from a socket that blocks, as soon as there are any. -ENOBUFS when all buffers are
    /// full: then the asker may read by itself.
    Operation& receive(int socket, Asker& asker);
    /// Bytes to a socket that blocks; as many as it takes.
    Operation& send(int socket, Asker& asker, Bytes bytes);
    /// Until there is something to read.
    Operation& poll(int descriptor, Asker& asker);

    /// From within `on_done`: asks for the same once more.
    void again(Operation& operation);
    /// The asker hears no more of it, and may be gone; the descriptor may be closed.
    void abandon(Operation& operation);

    /// What was received into a buffer, which is given back by that. Good until the next `wait`.
    Bytes take(std::uint16_t buffer, std::size_t size) noexcept;

    /// Tells the kernel what was asked and waits for answers, for ever when there is no patience.
    void wait(std::optional<std::chrono::milliseconds> patience);

  private:
    class Kernel;

    explicit Ring(std::unique_ptr<Kernel> kernel);
    Operation& ask(Operation::Kind kind, int descriptor, Asker& asker);
    bool submit_asked();
    void finish(Operation& operation, int result, std::optional<std::uint16_t> buffer);
    void recycle(Operation& operation);

    std::unique_ptr<Kernel> kernel_;
    std::deque<Operation> operations_;
    std::vector<Operation*> free_;
    std::vector<Operation*> asked_;
    std::vector<Operation*> cancelled_;
};

}  // namespace isotap::proxy
