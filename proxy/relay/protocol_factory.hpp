#pragma once

#include <memory>

#include "isotap/history/ids.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "proxy/relay/relay_context.hpp"

namespace isotap::proxy {

/// The session of the dialect that the listener's upstream speaks. `notes` must outlive it.
std::unique_ptr<protocol::Session> make_protocol_session(RelayContext& context,
                                                         const ListenerContext& listener,
                                                         history::SessionId id,
                                                         protocol::NoteTaker& notes);

}  // namespace isotap::proxy
