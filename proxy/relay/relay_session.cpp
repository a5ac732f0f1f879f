#include "proxy/relay/relay_session.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

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
                           history::SessionId id, Socket client)
    : context_(context),
      listener_(listener),
      id_(id),
      client_(std::move(client)),
      server_(Socket(context.io)),
      session_(make_protocol_session(context, listener, id, *this)) {}

void RelaySession::start() {
    context_.log.session(LogLevel::debug, id_, "opened");
    client_.prepare();
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
    if (closed_ || dialler_ || direction.reading || direction.ended ||
        !leg(side).socket().is_open()) {
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

void RelaySession::read(Side side) {
    if (!may_read(side)) {
        return;
    }
    from(side).reading = true;
    leg(side).socket().async_read_some(
        boost::asio::buffer(from(side).waiting),
        [self = shared_from_this(), side](const boost::system::error_code& error,
                                          std::size_t size) { self->on_read(side, error, size); });
}

void RelaySession::on_read(Side side, const boost::system::error_code& error, std::size_t size) {
    from(side).reading = false;
    if (closed_) {
        return;
    }
    if (holding_ && side == Side::client) {
        held_read_ = HeldRead{error, size};
        return;
    }
    if (error) {
        on_end(side, error == boost::asio::error::eof);
    } else if (size == from(side).waiting.size()) {
        drain_socket(side, size);
    } else {
        on_bytes(side, Bytes(from(side).waiting).first(size));
    }
    resume();
}

/// A full buffer means that there is more: take it in large pieces, but not for ever.
void RelaySession::drain_socket(Side side, std::size_t size) {
    std::vector<std::uint8_t>& scratch = context_.scratch;
    std::copy_n(from(side).waiting.begin(), size, scratch.begin());
    for (std::size_t turn = 0; turn < context_.limits.reads_per_turn; ++turn) {
        boost::system::error_code error;
        const std::size_t more = leg(side).socket().read_some(
            boost::asio::buffer(scratch.data() + size, scratch.size() - size), error);
        size += more;
        if (size > 0) {
            on_bytes(side, Bytes(scratch).first(size));
        }
        if (error && error != boost::asio::error::would_block) {
            on_end(side, error == boost::asio::error::eof);
            return;
        }
        if (size < scratch.size() || !may_read(side)) {
            return;
        }
        size = 0;
    }
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
        flush_later(protocol::other(side));
        return;
    }
    session_->feed(side, bytes, system_now(), context_.actions);
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
    } else if (orderly && server_.socket().is_open()) {
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
        case ActionKind::send:
            leg(action.to).send(action.bytes);
            flush_later(action.to);
            break;
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
    if (!patience_) {
        patience_.emplace(context_.io);
    }
    patience_->expires_after(context_.limits.plan_wait);
    patience_->async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        // A timer that has fired cannot be cancelled any more: its hold may be over.
        if (!error && self->holding_ && self->patience_->expiry() <= Clock::now()) {
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
    patience_->cancel();
    const auto waited = Clock::now() - held_since_;
    context_.counters.held_microseconds.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(waited).count()));
    session_->on_released(system_now(), context_.actions);
    perform();
    if (held_read_ && !holding_) {
        const HeldRead held = *std::exchange(held_read_, std::nullopt);
        on_read(Side::client, held.error, held.size);
    } else {
        shut_down_if_idle();
        resume();
    }
}

void RelaySession::dial() {
    dial_began_ = Clock::now();
    dialler_ = std::make_shared<Dialler>(
        context_.io, server_.socket(),
        [self = shared_from_this()](const std::string& failure) { self->on_dialled(failure); });
    if (context_.sessions_open.load(std::memory_order_relaxed) > context_.limits.sessions) {
        boost::asio::post(context_.io, [self = shared_from_this()] {
            self->on_dialled("too many sessions: raise limits.sessions");
        });
        return;
    }
    dialler_->dial(listener_.options.upstream.address);
}

void RelaySession::on_dialled(const std::string& failure) {
    if (closed_ || !dialler_) {
        return;
    }
    dialler_->cancel();
    dialler_.reset();
    const Time now = system_now();
    if (failure.empty()) {
        server_.prepare();
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
    flush_later(side);
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

// --- writing what could not be written at once ---------------------------------------------------

void RelaySession::flush_later(Side side) {
    if (leg(side).queued() == 0 || from(side).flushing || closed_) {
        return;
    }
    from(side).flushing = true;
    leg(side).socket().async_wait(
        Socket::wait_write,
        [self = shared_from_this(), side](const boost::system::error_code& /*error*/) {
            self->from(side).flushing = false;
            if (self->closed_) {
                return;
            }
            self->leg(side).flush();
            self->flush_later(side);
            self->resume();
        });
}

/// After anything has changed: reads again where that is allowed, and ends what is over.
void RelaySession::resume() {
    decrypt(Side::client);
    decrypt(Side::server);
    close_if_done();
    read(Side::client);
    read(Side::server);
}

// --- ending --------------------------------------------------------------------------------------

void RelaySession::on_tick(Clock::time_point now) {
    const Limits& limits = context_.limits;
    if (dialler_ && now - dial_began_ > limits.connect_timeout) {
        on_dialled("no answer within the connect timeout");
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
    if (patience_) {
        patience_->cancel();
    }
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
    context_.sessions.erase(id_);
}

void RelaySession::take(Note note, std::string_view detail) noexcept {
    context_.counters.notes[static_cast<std::size_t>(note)].add();
    context_.log.session(level_of(note), id_, protocol::to_string(note), detail);
}

}  // namespace isotap::proxy
