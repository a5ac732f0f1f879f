#pragma once

#include <csignal>
#include <cstdint>

#include "proxy/net/descriptor.hpp"

namespace isotap::proxy {

/// Holds SIGTERM, SIGINT and SIGHUP back from the thread that makes it, and from those that it
/// starts: they are read where that is convenient, and interrupt nothing. Ignores for good what an
/// error code tells as well, and what is not the end: SIGPIPE, a peer that is gone, and SIGXFSZ, a
/// file that may not grow.
class HeldSignals {
  public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    /// Gives a `signalfd_siginfo` for each that came. Throws StartupError.
    [[nodiscard]] Descriptor descriptor() const;

  private:
    sigset_t held_{};
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
