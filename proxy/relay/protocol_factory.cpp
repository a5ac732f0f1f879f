#include "proxy/relay/protocol_factory.hpp"

#include "protocol/mysql/session.hpp"
#include "protocol/postgres/session.hpp"

namespace isotap::proxy {

std::unique_ptr<protocol::Session> make_protocol_session(RelayContext& context,
                                                         const ListenerContext& listener,
                                                         history::SessionId id,
                                                         protocol::NoteTaker& notes) {
    const bool observes = listener.options.mode != Mode::relay;
    const Upstream& upstream = listener.options.upstream;
    protocol::Reporting reporting{notes, observes ? context.events : nullptr,
                                  &context.transactions};
    const auto plans = context.plans.find(&listener);
    if (plans != context.plans.end() && context.names) {
        reporting.plans = plans->second.get();
        reporting.names = context.names.get();
    }
    if (upstream.dialect == history::Dialect::mysql) {
        return std::make_unique<mysql::Session>(id, listener.rules, context.limits, reporting);
    }
    return std::make_unique<postgres::Session>(
        id, listener.rules, context.limits, reporting,
        postgres::KnownLogin{upstream.user, upstream.password});
}

}  // namespace isotap::proxy
