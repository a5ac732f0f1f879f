#include "proxy/ops/supervisor.hpp"

#include <csignal>

#include <boost/asio/read.hpp>
#include <fmt/format.h>

#include "proxy/ops/systemd.hpp"
#include "proxy/relay/relay.hpp"

namespace isotap::proxy {
namespace {

/// How soon the end of the last session is noticed.
constexpr std::chrono::milliseconds idle_poll{10};

}  // namespace

Supervisor::Supervisor(Descriptor signals, std::chrono::milliseconds drain_timeout, Relay& relay,
                       Log& log)
    : signals_(io_, signals.release()), drain_timeout_(drain_timeout), relay_(relay), log_(log) {
    await_signal();
}

std::size_t Supervisor::run() {
    io_.run();
    const std::size_t cut = relay_.stop();
    log_.line(cut == 0 ? LogLevel::info : LogLevel::warning, "stopped",
              cut == 0 ? "no session was cut in its work"
                       : fmt::format("{} sessions were cut in their work", cut));
    return cut;
}

void Supervisor::await_signal() {
    boost::asio::async_read(signals_, boost::asio::buffer(&came_, sizeof came_),
                            [this](boost::system::error_code error, std::size_t /*size*/) {
                                if (error) {
                                    return;
                                }
                                const std::uint32_t signal = came_.ssi_signo;
                                await_signal();
                                on_signal(signal);
                            });
}

void Supervisor::on_signal(std::uint32_t signal) {
    if (signal == SIGHUP) {
        reload();
    } else if (draining_) {
        finish("a second signal came");
    } else {
        drain();
    }
}

void Supervisor::reload() {
    const std::string problem = relay_.reload_certificates();
    if (problem.empty()) {
        log_.line(LogLevel::info, "certificates reloaded");
    } else {
        log_.line(LogLevel::error, "certificates not reloaded, the old ones stay", problem);
    }
}

void Supervisor::drain() {
    draining_ = true;
    deadline_ = std::chrono::steady_clock::now() + drain_timeout_;
    notify_systemd("STOPPING=1");
    log_.line(LogLevel::info, "stopping",
              fmt::format("{} sessions are open; their transactions may go on for {} ms",
                          relay_.open_sessions(), drain_timeout_.count()));
    relay_.drain();
    await_idle();
}

void Supervisor::await_idle() {
    if (relay_.open_sessions() == 0) {
        return finish("");
    }
    if (std::chrono::steady_clock::now() >= deadline_) {
        return finish("the drain time-out is over");
    }
    poll_.expires_after(idle_poll);
    poll_.async_wait([this](boost::system::error_code error) {
        if (!error) {
            await_idle();
        }
    });
}

void Supervisor::finish(const std::string& why) {
    if (!why.empty()) {
        log_.line(LogLevel::warning, "ending the sessions that are left", why);
    }
    io_.stop();
}

}  // namespace isotap::proxy
