#include "proxy/relay/protocol_factory.hpp"

#include "protocol/postgres/session.hpp"

namespace isotap::proxy {

std::unique_ptr<protocol::Session> make_protocol_session(RelayContext& context,
                                                         const ListenerContext& listener,
                                                         history::SessionId id,
                                                         protocol::NoteTaker& notes) {
    const bool observes = listener.options.mode == Mode::observe;
    const postgres::Reporting reporting{notes, observes ? context.events : nullptr,
                                        &context.transactions};
    return std::make_unique<postgres::Session>(id, listener.rules, context.limits, reporting);
}

}  // namespace isotap::proxy
