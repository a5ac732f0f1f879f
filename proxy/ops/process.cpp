#include "proxy/ops/process.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

double seconds(const timeval& time) noexcept {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

HeldSignals::HeldSignals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&held_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        sigaddset(&held_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Descriptor HeldSignals::descriptor() const {
    Descriptor made(signalfd(-1, &held_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!made) {
        throw StartupError(
            StartupError::Kind::failure,
            fmt::format("cannot wait for signals ({}): raise the limit of open files",
                        std::generic_category().message(errno)));
    }
    return made;
}

std::uint64_t raise_descriptor_limit() noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

ProcessUsage process_usage() {
    ProcessUsage usage;
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    if (std::ifstream("/proc/self/statm") >> total_pages >> resident_pages) {
        usage.resident_bytes = resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    }
    std::error_code error;
    const std::filesystem::directory_iterator descriptors("/proc/self/fd", error);
    if (!error) {
        usage.open_descriptors =
            static_cast<std::uint64_t>(std::distance(begin(descriptors), end(descriptors)));
    }
    rusage used{};
    if (getrusage(RUSAGE_SELF, &used) == 0) {
        usage.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    }
    return usage;
}

}  // namespace isotap::proxy
