// What the protocol session asks for: bytes out, a server, TLS, patience.
#include <cassert>
#include <utility>

#include "proxy/relay/relay_session.hpp"

namespace isotap::proxy {

using protocol::Action;
using protocol::ActionKind;
using protocol::DialFailure;
using protocol::Side;

void RelaySession::perform() {
    for (const Action& action : context_.actions) {
        perform_one(action);
    }
    context_.actions.clear();
    if (tls_starting_) {
        go_on_with_tls();
    }
}

void RelaySession::perform_one(const Action& action) {
    switch (action.kind) {
        case ActionKind::send: leg(action.to).send(action.bytes); break;
        case ActionKind::dial: dial(); break;
        case ActionKind::start_tls: start_tls(action.to, action.bytes); break;
        case ActionKind::go_blind: blind_ = true; break;
        case ActionKind::finish:
            finishing_ = true;
            client_.end();
            server_.end();
            last_word_ = Clock::now();
            break;
        case ActionKind::hold: hold(); break;
        case ActionKind::wake: wake(); break;
    }
}

void RelaySession::hold() {
    assert(!holding_);
    holding_ = true;
    held_since_ = Clock::now();
    context_.counters.holds.add();
    context_.poller.at(held_since_ + context_.limits.plan_wait,
                       [self = shared_from_this(), since = held_since_] {
                           // That hold may be over, and another one may have begun.
                           if (!self->closed_ && self->holding_ && self->held_since_ == since) {
                               self->context_.counters.holds_timed_out.add();
                               self->release();
                           }
                       });
}

void RelaySession::release() {
    if (closed_ || !holding_) {
        return;
    }
    holding_ = false;
    const auto waited = Clock::now() - held_since_;
    context_.counters.held_microseconds.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(waited).count()));
    session_->on_released(system_now(), context_.actions);
    perform();
    pass_end_of_client();
    shut_down_if_idle();
    resume();
}

void RelaySession::wake() {
    context_.poller.at(Clock::now() + context_.limits.silence, [held = weak_from_this()] {
        const auto self = held.lock();
        if (!self || self->closed_ || self->blind_ || self->finishing_ ||
            self->from(Side::server).ended) {
            return;
        }
        self->session_->on_woken(system_now(), self->context_.actions);
        self->perform();
        self->pass_end_of_client();
        self->shut_down_if_idle();
        self->resume();
    });
}

void RelaySession::dial() {
    using Kind = DialFailure::Kind;
    dial_began_ = Clock::now();
    dialler_ = std::make_shared<Dialler>(
        context_.poller, context_.lookup,
        [self = shared_from_this()](Descriptor socket, const std::string& failure) {
            if (failure.empty()) {
                self->on_dialled(std::move(socket));
            } else {
                self->on_dial_failed({Kind::unreachable, failure});
            }
        });
    if (context_.sessions_open.load(std::memory_order_relaxed) > context_.limits.sessions) {
        context_.poller.post([self = shared_from_this()] {
            self->on_dial_failed(
                {Kind::too_many_sessions, "too many sessions: raise limits.sessions"});
        });
        return;
    }
    dialler_->dial(listener_.options.upstream.address);
}

void RelaySession::on_dialled(Descriptor socket) {
    if (closed_ || !dialler_) {
        return;
    }
    dialler_->cancel();
    dialler_.reset();
    server_.open(std::move(socket));
    server_.watch(context_.poller, from(Side::server));
    session_->on_dialled(system_now(), context_.actions);
    perform();
    resume();
}

void RelaySession::on_dial_failed(const DialFailure& failure) {
    if (closed_ || !dialler_) {
        return;
    }
    dialler_->cancel();
    dialler_.reset();
    const bool unreachable = failure.kind == DialFailure::Kind::unreachable;
    if (unreachable) {
        context_.counters.dial_failures.add();
    }
    context_.log.session(LogLevel::warning, id_,
                         unreachable ? "the server cannot be reached" : "turned away", failure.why);
    server_.close();
    session_->on_dial_failed(failure, system_now(), context_.actions);
    perform();
    resume();
}

void RelaySession::start_tls(Side side, Bytes arrived) {
    const Upstream& upstream = listener_.options.upstream;
    leg(side).start_tls(side == Side::client
                            ? std::make_unique<TlsEngine>(listener_.tls.for_clients())
                            : std::make_unique<TlsEngine>(listener_.tls.for_server(),
                                                          upstream.address.host,
                                                          upstream.verify_name));
    tls_starting_ = side;
    if (!arrived.empty()) {
        leg(side).tls()->feed(arrived);
    }
}

void RelaySession::go_on_with_tls() {
    const Side side = *tls_starting_;
    TlsEngine& tls = *leg(side).tls();
    const TlsEngine::Status status = tls.handshake();
    leg(side).send_tls_output();
    if (status == TlsEngine::Status::wants_input) {
        return;
    }
    if (status != TlsEngine::Status::ok) {
        on_tls_failed(tls.failure());
        return;
    }
    tls_starting_.reset();
    protocol::TlsFacts facts;
    facts.alpn = tls.alpn_agreed();
    if (side == Side::server) {
        facts.same_certificate = tls.peer_shows_certificate_of(listener_.tls.for_clients());
    } else {
        facts.certificate_hash = tls.certificate_hash();
    }
    session_->on_tls_started(side, std::move(facts), system_now(), context_.actions);
    perform();
}

void RelaySession::on_tls_failed(const std::string& why) {
    const Side side = *tls_starting_;
    tls_starting_.reset();
    context_.counters.tls_failures.add();
    context_.log.session(LogLevel::info, id_, "a TLS handshake failed", why);
    session_->on_tls_failed(side, why, system_now(), context_.actions);
    perform();
}

}  // namespace isotap::proxy
