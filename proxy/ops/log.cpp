#include "proxy/ops/log.hpp"

#include <mutex>

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/base_sink.h>

#include "proxy/ops/log_line.hpp"

namespace isotap::proxy {
namespace {

constexpr std::size_t queued_lines_max = 8192;

/// Writes finished lines to a file, on the thread of the log.
class LineSink : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit LineSink(std::FILE* file) : file_(file) {}

  protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        // Nobody is left to tell when the log itself cannot be written.
        std::fwrite(message.payload.data(), 1, message.payload.size(), file_);
        std::fflush(file_);
    }
    void flush_() override {}

  private:
    std::FILE* file_;
};

}  // namespace

/// One queue and one thread.
class Log::Writer {
  public:
    explicit Writer(std::FILE* file)
        : pool_(std::make_shared<spdlog::details::thread_pool>(queued_lines_max, 1)),
          logger_(std::make_shared<spdlog::async_logger>(
              "isotap", std::make_shared<LineSink>(file), pool_,
              spdlog::async_overflow_policy::overrun_oldest)) {
        logger_->set_level(spdlog::level::trace);
        logger_->flush_on(spdlog::level::off);
    }

    /// The thread writes out what is still queued and ends; only then nobody uses the logger.
    ~Writer() { pool_.reset(); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void write(std::string line) {
        line.push_back('\n');
        logger_->log(spdlog::level::info, spdlog::string_view_t(line));
    }

    [[nodiscard]] std::uint64_t lost() const { return pool_->overrun_counter(); }

  private:
    std::shared_ptr<spdlog::details::thread_pool> pool_;
    std::shared_ptr<spdlog::async_logger> logger_;
};

Log::Log(LogFormat format, LogLevel least, std::FILE* file)
    : format_(format), least_(least), writer_(std::make_unique<Writer>(file)) {}

Log::~Log() = default;

void Log::line(LogLevel level, std::string_view what, std::string_view detail) noexcept {
    if (wants(level)) {
        write({system_now(), level, std::nullopt, what, detail});
    }
}

void Log::session(LogLevel level, history::SessionId session, std::string_view what,
                  std::string_view detail) noexcept {
    if (wants(level)) {
        write({system_now(), level, session, what, detail});
    }
}

void Log::write(const LogLine& line) noexcept try {
    writer_->write(format_ == LogFormat::json ? as_json(line) : as_text(line));
} catch (...) {  // out of memory: a line is not worth a session
}

std::uint64_t Log::lost() const noexcept {
    return writer_->lost();
}

}  // namespace isotap::proxy
