// How a session ends: in time, on request, when both sides have said everything.
#include "proxy/relay/relay_session.hpp"

namespace isotap::proxy {

using protocol::Phase;
using protocol::Side;

void RelaySession::on_tick(Clock::time_point now) {
    const Limits& limits = context_.limits;
    if (dialler_ && now - dial_began_ > limits.connect_timeout) {
        on_dial_failed(
            {protocol::DialFailure::Kind::unreachable, "no answer within the connect timeout"});
        return;
    }
    if (!blind_ && session_->phase() == Phase::handshake && now - began_ > limits.login_timeout) {
        context_.counters.login_timeouts.add();
        context_.log.session(LogLevel::info, id_, "closed: no login within the login timeout");
        close();
        return;
    }
    if (last_word_ == Clock::time_point{}) {
        return;
    }
    if (client_.queued() > 0 && !finishing_) {
        last_word_ = now;  // the server's last words are still on their way
    } else if (now - last_word_ > limits.linger_timeout) {
        close();
    }
}

void RelaySession::drain() {
    draining_ = true;
    if (session_->phase() == Phase::handshake && !dialler_) {
        close();
    } else {
        shut_down_if_idle();
    }
}

void RelaySession::shut_down_if_idle() {
    if (draining_ && !blind_ && !finishing_ && session_->phase() == Phase::idle) {
        shut_down();
    }
}

void RelaySession::shut_down() {
    session_->on_shutdown(system_now(), context_.actions);
    perform();
    close_if_done();
}

bool RelaySession::cut() {
    const bool harmed = !finishing_ && (blind_ || session_->phase() == Phase::busy);
    if (!finishing_ && !dialler_) {
        shut_down();
    }
    close();
    return harmed;
}

/// Over when neither side will say anything and all that was said has gone out.
void RelaySession::close_if_done() {
    if (closed_ || client_.queued() > 0) {
        return;
    }
    const bool client_gone = from(Side::client).ended;
    const bool server_gone = from(Side::server).ended || finishing_;
    if (client_gone && server_gone) {
        close();
    }
}

void RelaySession::close() {
    if (closed_) {
        return;
    }
    closed_ = true;
    context_.log.session(LogLevel::debug, id_, "closed");
    if (dialler_) {
        dialler_->cancel();
        dialler_.reset();
    }
    session_->on_closed(system_now());
    client_.close();
    server_.close();
    context_.counters.sessions_open.subtract();
    context_.sessions_open.fetch_sub(1, std::memory_order_relaxed);
    context_.poller.keep(shared_from_this());
    context_.sessions.erase(id_);
}

}  // namespace isotap::proxy
