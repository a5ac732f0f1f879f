#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/session.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "proxy/net/tls_context.hpp"
#include "proxy/ops/log.hpp"

namespace isotap::proxy {

class RelaySession;

/// What the sessions of one listener share. Fixed while the relay runs.
struct ListenerContext {
    /// Reads the certificate; throws StartupError when it cannot be used.
    explicit ListenerContext(const Listener& listener)
        : options(listener),
          tls(listener),
          rules{listener.tls, tls.has_certificate(), listener.upstream.tls} {}

    Listener options;
    TlsContexts tls;
    protocol::TlsRules rules;
};

/// What the sessions of one relay thread share: nothing in it is locked, because nobody else comes
/// here. The thread outlives its sessions.
struct RelayContext {
    boost::asio::io_context& io;
    const Limits& limits;
    RelayCounters& counters;
    Log& log;
    history::EventSink* events;
    history::TransactionIds& transactions;

    /// Busy sockets are read into this; what is left of it when a handler returns is nobody's.
    std::vector<std::uint8_t> scratch;

    /// Decrypted bytes, one record at a time.
    std::vector<std::uint8_t> plaintext;

    /// Emptied and filled by each call to a protocol session.
    protocol::Actions actions;

    /// The sessions of this thread, which it owns.
    std::unordered_map<history::SessionId, std::shared_ptr<RelaySession>> sessions;

    /// All sessions of all threads, against `Limits::sessions`.
    std::atomic<std::size_t>& sessions_open;
};

}  // namespace isotap::proxy
