#include "proxy/relay/relay_session.hpp"

#include <algorithm>
#include <utility>

#include "proxy/relay/protocol_factory.hpp"

namespace isotap::proxy {

using protocol::Note;
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
    client_.watch(context_.poller, from(Side::client));
    session_->start(system_now(), context_.actions);
    perform();
    resume();
}

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

void RelaySession::on_ready(Side side, Ready ready) {
    if (closed_) {
        return;
    }
    if (!ready.readable && !ready.writable) {
        turn_due_ = false;
    }
    leg(side).on_ready(ready);
    resume();
}

/// True when it made a difference.
bool RelaySession::read(Side side) {
    if (!may_read(side)) {
        return false;
    }
    const Received received = leg(side).receive(context_.scratch);
    switch (received.state) {
        case Received::State::some: on_bytes(side, received.bytes); return true;
        case Received::State::none: return false;
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
    pass_end_of_client();
    if (context_.events != nullptr) {
        // The clock of the system may have been set meanwhile.
        context_.counters.handling.add(std::max(system_now() - now, Time::duration::zero()));
    }
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
        end_due_ = true;
        pass_end_of_client();
    } else {
        if (!heard_) {
            context_.counters.probes.add();
        }
        close();
    }
    close_if_done();
}

/// Behind all that the client has sent, some of which may wait in the session for its turn.
void RelaySession::pass_end_of_client() {
    if (end_due_ && (blind_ || !session_->owes_server())) {
        end_due_ = false;
        server_.end();
    }
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

void RelaySession::take(Note note, std::string_view detail) noexcept {
    context_.counters.notes[static_cast<std::size_t>(note)].add();
    context_.log.session(level_of(note), id_, protocol::to_string(note), detail);
}

}  // namespace isotap::proxy
