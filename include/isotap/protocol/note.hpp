#pragma once

#include <cstdint>
#include <string_view>

namespace isotap::protocol {

/// What a session wants its operator to know. Each is a counter; none is the client's business.
enum class Note : std::uint8_t {
    authenticated,
    cancel_request,
    refused_packet,        ///< the first bytes were no packet of the dialect
    refused_connection,    ///< the proxy itself sent the client away, with a reason
    opaque_tls,            ///< blind, because the policy leaves TLS alone
    opaque_encryption,     ///< blind, because GSS encryption ends at the server
    opaque_compression,    ///< blind, because the compression is not followed
    replication,           ///< blind, because replication is not ours to read
    unknown_message,       ///< blind, because of a message that nobody has told us of
    desynchronised,        ///< blind, because a reply came that nothing asked for
    pipeline_too_deep,     ///< blind, because of `Limits::pipelined_replies`
    channel_binding_lost,  ///< SCRAM bound to a certificate that is not the server's
    proof_refused,         ///< SCRAM on both legs: the client's proof did not hold
    fuse,                  ///< not instrumented any more, because a result was not what was planned
};

inline constexpr std::size_t note_count = static_cast<std::size_t>(Note::fuse) + 1;

/// The word for it in metrics and logs.
constexpr std::string_view to_string(Note note) noexcept {
    switch (note) {
        case Note::authenticated: return "authenticated";
        case Note::cancel_request: return "cancel_request";
        case Note::refused_packet: return "refused_packet";
        case Note::refused_connection: return "refused_connection";
        case Note::opaque_tls: return "opaque_tls";
        case Note::opaque_encryption: return "opaque_encryption";
        case Note::opaque_compression: return "opaque_compression";
        case Note::replication: return "replication";
        case Note::unknown_message: return "unknown_message";
        case Note::desynchronised: return "desynchronised";
        case Note::pipeline_too_deep: return "pipeline_too_deep";
        case Note::channel_binding_lost: return "channel_binding_lost";
        case Note::proof_refused: return "proof_refused";
        case Note::fuse: return "fuse";
    }
    return "unknown";
}

/// Takes notes, on the thread of the session. Must not block, throw or re-enter.
class NoteTaker {
  public:
    NoteTaker() = default;
    NoteTaker(const NoteTaker&) = delete;
    NoteTaker& operator=(const NoteTaker&) = delete;
    virtual ~NoteTaker() = default;

    /// `detail` is for a person to read; it lives for the call only.
    virtual void take(Note note, std::string_view detail) noexcept = 0;
};

}  // namespace isotap::protocol
