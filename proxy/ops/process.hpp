#pragma once

#include <csignal>
#include <cstdint>

namespace isotap::proxy {

/// Keeps the signals that this program answers away from the threads that are started while it
/// lives; the thread that made it takes them again with `take_here`. Ignores for good what an error
/// code tells as well, and what is not the end: SIGPIPE, a peer that is gone, and SIGXFSZ, a file
/// that may not grow.
class HeldSignals {
  public:
    HeldSignals();
    ~HeldSignals() { take_here(); }
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    void take_here() const noexcept;

  private:
    sigset_t before_{};
};

/// Raises the soft limit of open files to the hard one: a session takes two. Returns what holds
/// then.
std::uint64_t raise_descriptor_limit() noexcept;

/// What the kernel says about this process. Zeros where it says nothing.
struct ProcessUsage {
    std::uint64_t resident_bytes = 0;
    std::uint64_t open_descriptors = 0;
    double cpu_seconds = 0;
};
ProcessUsage process_usage();

}  // namespace isotap::proxy
