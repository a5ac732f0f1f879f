#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/session.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "proxy/catalog/plan_book.hpp"
#include "proxy/net/name_lookup.hpp"
#include "proxy/net/poller.hpp"
#include "proxy/net/tls_context.hpp"
#include "proxy/ops/log.hpp"

namespace isotap::proxy {

class RelaySession;

/// What the sessions of one listener share. Fixed while the relay runs.
struct ListenerContext {
    /// Reads the certificate; throws StartupError when it cannot be used.
    ListenerContext(const Listener& listener, const Limits& limits, Log& log)
        : options(listener),
          tls(listener),
          rules{listener.tls, tls.has_certificate(), listener.upstream.tls} {
        if (listener.mode == Mode::instrument) {
            catalog = std::make_unique<CatalogThread>(listener.upstream, listener.versions,
                                                      limits.queued_plans, log, connect_side,
                                                      listener.schema_calls);
        }
    }

    Listener options;
    TlsContexts tls;
    protocol::TlsRules rules;
    std::unique_ptr<CatalogThread> catalog;  ///< in `Mode::instrument`
};

/// What the sessions of one relay thread share: nothing in it is locked, because nobody else comes
/// here. The thread outlives its sessions.
struct RelayContext {
    Poller& poller;
    NameLookup& lookup;
    const Limits& limits;
    RelayCounters& counters;
    Log& log;
    history::EventSink* events;
    history::TransactionIds& transactions;
    std::unique_ptr<history::Names> names;  ///< set where `events` is

    /// The plans of each listener in `Mode::instrument`.
    std::unordered_map<const ListenerContext*, std::unique_ptr<PlanBook>> plans;

    /// Sockets are read into this; what is left of it when a handler returns is nobody's.
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
