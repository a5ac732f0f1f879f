#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

#include "isotap/history/ids.hpp"
#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

struct LogLine;

/// The program's log: one line an event, as text or as JSON.
///
/// Thread-safe, and made for threads that may not wait: a line is put into a bounded queue that a
/// thread of the log empties. When whoever reads the log is too slow, the oldest lines are lost and
/// counted. Text from the network may be handed in as it is: what does not print is escaped, and
/// what is too long is cut, so that nobody writes lines in our name.
class Log {
  public:
    /// Lines go to `file`, which must outlive the log. Its thread inherits the signal mask.
    Log(LogFormat format, LogLevel least, std::FILE* file = stderr);
    ~Log();  ///< after the lines that are queued
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    /// Ask before a detail is put together that costs something.
    [[nodiscard]] bool wants(LogLevel level) const noexcept { return level >= least_; }

    /// About the proxy itself.
    void line(LogLevel level, std::string_view what, std::string_view detail = {}) noexcept;

    /// About one session, whose id is in the line. For rare events only: never once a message.
    void session(LogLevel level, history::SessionId session, std::string_view what,
                 std::string_view detail = {}) noexcept;

    /// Lines that the reader of the log was too slow for.
    [[nodiscard]] std::uint64_t lost() const noexcept;

  private:
    class Writer;

    void write(const LogLine& line) noexcept;

    LogFormat format_;
    LogLevel least_;
    std::unique_ptr<Writer> writer_;
};

}  // namespace isotap::proxy
