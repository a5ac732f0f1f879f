#include "proxy/relay/relay_session.hpp"

#include <cassert>
#include <utility>

#include "proxy/relay/protocol_factory.hpp"

namespace isotap::proxy {

using protocol::Action;
using protocol::ActionKind;
using protocol::Note;
using protocol::Phase;
using protocol::Side;

namespace {

/// What nobody expected is a warning; what the policy or the client wants is not.
LogLevel level_of(Note note) noexcept {
    switch (note) {
        case Note::authenticated:
        case Note::cancel_request: return LogLevel::debug;
        case Note::proof_refused:
        case Note::refused_packet:
        case Note::opaque_tls:
        case Note::opaque_encryption:
        case Note::opaque_compression:
        case Note::replication: return LogLevel::info;
        default: return LogLevel::warning;
    }
}

}  // namespace

RelaySession::RelaySession(RelayContext& context, const ListenerContext& listener,
                           history::SessionId id, Descriptor client)
    : context_(context),
      listener_(listener),
      id_(id),
      session_(make_protocol_session(context, listener, id, *this)) {
    for (const Side side : {Side::client, Side::server}) {
        from(side).session = this;
        from(side).side = side;
    }
    client_.open(std::move(client));
}

void RelaySession::start() {
    context_.log.session(LogLevel::debug, id_, "opened");
    watch(Side::client);
    session_->start(system_now(), context_.actions);
    perform();
    resume();
}

// --- reading -------------------------------------------------------------------------------------

bool RelaySession::may_feed(Side side) const noexcept {
    const bool held = holding_ && side == Side::client;
    return !closed_ && !dialler_ && !tls_starting_ && !held;
}

bool RelaySession::may_read(Side side) const noexcept {
    const Direction& direction = from(side);
    if (closed_ || dialler_ || direction.ended || !leg(side).is_open()) {
        return false;
    }
    if (tls_starting_) {
        return *tls_starting_ == side;
    }
    if (holding_ && side == Side::client) {
        return false;
    }
    return leg(protocol::other(side)).queued() < context_.limits.bytes_in_flight;
}

void RelaySession::watch(Side side) {
    context_.poller.watch(leg(side).descriptor(), from(side));
}

void RelaySession::on_ready(Side side, Ready ready) {
    if (closed_) {
        return;
    }
    if (!ready.readable && !ready.writable) {
        turn_due_ = false;
    }
    Direction& direction = from(side);
    direction.readable |= ready.readable;
    direction.ending |= ready.ended;
    if (ready.writable && leg(side).queued() > 0) {
        leg(side).flush();
    }
    resume();
}

/// True when it made a difference.
bool RelaySession::read(Side side) {
    Direction& direction = from(side);
    if (!direction.readable || !may_read(side)) {
        return false;
    }
    const Received received = leg(side).receive(context_.scratch);
    switch (received.state) {
        case Received::State::some:
            // Less than there is room for was all there is; more will be told of, but for an end
            // that was told of already.
            direction.readable = received.size == context_.scratch.size() || direction.ending;
            on_bytes(side, Bytes(context_.scratch).first(received.size));
            return true;
        case Received::State::none: direction.readable = false; return false;
        case Received::State::ended: on_end(side, true); return true;
        case Received::State::failed: on_end(side, false); return true;
    }
    return false;
}

void RelaySession::on_bytes(Side side, Bytes bytes) {
    heard_ = true;
    (side == Side::client ? context_.counters.bytes_from_client
                          : context_.counters.bytes_from_server)
        .add(bytes.size());
    TlsEngine* const tls = leg(side).tls();
    if (tls == nullptr) {
        on_plaintext(side, bytes);
        return;
    }
    tls->feed(bytes);
    if (tls_starting_) {
        go_on_with_tls();
    } else {
        decrypt(side);
    }
}

void RelaySession::decrypt(Side side) {
    TlsEngine* const tls = leg(side).tls();
    while (tls != nullptr && tls->established() && may_feed(side)) {
        std::size_t size = 0;
        const TlsEngine::Status status = tls->read(context_.plaintext, size);
        leg(side).send_tls_output();
        if (status == TlsEngine::Status::wants_input) {
            return;
        }
        if (status != TlsEngine::Status::ok) {
            on_end(side, status == TlsEngine::Status::closed);
            return;
        }
        on_plaintext(side, Bytes(context_.plaintext).first(size));
    }
}

void RelaySession::on_plaintext(Side side, Bytes bytes) {
    if (finishing_) {
        return;
    }
    if (blind_) {
        leg(protocol::other(side)).send(bytes);
        return;
    }
    // The clock is only read for those who watch.
    const Time now = context_.events == nullptr ? Time{} : system_now();
    session_->feed(side, bytes, now, context_.actions);
    perform();
    shut_down_if_idle();
}

/// One side sends no more. A client that only stops asking still gets its answers; a server that
/// stops answering has ended the session, and its last words go out first.
void RelaySession::on_end(Side side, bool orderly) {
    if (closed_ || from(side).ended) {
        return;
    }
    from(side).ended = true;
    if (tls_starting_ == side) {
        on_tls_failed("the peer closed the connection");
    }
    if (!blind_) {
        session_->on_end(side, system_now(), context_.actions);
        perform();
    }
    if (side == Side::server) {
        client_.end();
        last_word_ = Clock::now();
    } else if (orderly && server_.is_open()) {
        server_.end();
    } else {
        if (!heard_) {
            context_.counters.probes.add();
        }
        close();
    }
    close_if_done();
}

// --- doing what the protocol asks for
// --------------------------------------------------------------

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
    shut_down_if_idle();
    resume();
}

void RelaySession::dial() {
    dial_began_ = Clock::now();
    dialler_ = std::make_shared<Dialler>(
        context_.poller, context_.lookup,
        [self = shared_from_this()](Descriptor socket, const std::string& failure) {
            self->on_dialled(std::move(socket), failure);
        });
    if (context_.sessions_open.load(std::memory_order_relaxed) > context_.limits.sessions) {
        context_.poller.post([self = shared_from_this()] {
            self->on_dialled({}, "too many sessions: raise limits.sessions");
        });
        return;
    }
    dialler_->dial(listener_.options.upstream.address);
}

void RelaySession::on_dialled(Descriptor socket, const std::string& failure) {
    if (closed_ || !dialler_) {
        return;
    }
    dialler_->cancel();
    dialler_.reset();
    const Time now = system_now();
    if (failure.empty()) {
        server_.open(std::move(socket));
        watch(Side::server);
        session_->on_dialled(now, context_.actions);
    } else {
        context_.counters.dial_failures.add();
        const bool full =
            context_.sessions_open.load(std::memory_order_relaxed) > context_.limits.sessions;
        server_.close();
        context_.log.session(LogLevel::warning, id_, "the server cannot be reached", failure);
        session_->on_dial_failed({full ? protocol::DialFailure::Kind::too_many_sessions
                                       : protocol::DialFailure::Kind::unreachable,
                                  failure},
                                 now, context_.actions);
    }
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

/// After anything has changed: goes on where that is allowed now, and ends what is over. What one
/// side said may be what the other one waited for, hence until nothing moves; but others of the
/// thread want their turn.
void RelaySession::resume() {
    for (std::size_t turn = 0; turn < context_.limits.reads_per_turn; ++turn) {
        decrypt(Side::client);
        decrypt(Side::server);
        close_if_done();
        const bool client_moved = read(Side::client);
        const bool server_moved = read(Side::server);
        if (!client_moved && !server_moved) {
            return;
        }
    }
    if (!closed_ && !turn_due_) {
        turn_due_ = true;
        context_.poller.again({shared_from_this(), &from(Side::client)});
    }
}

// --- ending --------------------------------------------------------------------------------------

void RelaySession::on_tick(Clock::time_point now) {
    const Limits& limits = context_.limits;
    if (dialler_ && now - dial_began_ > limits.connect_timeout) {
        on_dialled({}, "no answer within the connect timeout");
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

void RelaySession::take(Note note, std::string_view detail) noexcept {
    context_.counters.notes[static_cast<std::size_t>(note)].add();
    context_.log.session(level_of(note), id_, protocol::to_string(note), detail);
}

}  // namespace isotap::proxy
