#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "isotap/base/limits.hpp"
#include "isotap/history/ids.hpp"
#include "isotap/protocol/reporting.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/conversation.hpp"
#include "protocol/postgres/handshake.hpp"
#include "protocol/postgres/observation.hpp"
#include "protocol/postgres/scram.hpp"

namespace isotap::postgres {

/// A login that the proxy can prove itself. Empty strings: none. Outlives the session.
struct KnownLogin {
    std::string_view user;
    std::string_view password;
};

/// One PostgreSQL client and its server: the handshake, then the conversation. See
/// protocol::Session for the contract.
class Session final : public protocol::Session {
  public:
    Session(history::SessionId id, const protocol::TlsRules& rules, const Limits& limits,
            const protocol::Reporting& reporting, const KnownLogin& known = {});

    void start(Time now, protocol::Actions& actions) override;
    void feed(protocol::Side from, Bytes bytes, Time now, protocol::Actions& actions) override;
    void on_end(protocol::Side from, Time now, protocol::Actions& actions) override;
    void on_dialled(Time now, protocol::Actions& actions) override;
    void on_dial_failed(const protocol::DialFailure& failure, Time now,
                        protocol::Actions& actions) override;
    void on_tls_started(protocol::Side leg, protocol::TlsFacts facts, Time now,
                        protocol::Actions& actions) override;
    void on_tls_failed(protocol::Side leg, std::string_view why, Time now,
                       protocol::Actions& actions) override;
    void on_released(Time now, protocol::Actions& actions) override;
    void on_shutdown(Time now, protocol::Actions& actions) override;
    void on_closed(Time now) override;
    [[nodiscard]] protocol::Phase phase() const noexcept override;

  private:
    void converse_if_started(Time now, protocol::Actions& actions);
    [[nodiscard]] std::unique_ptr<scram::Exchange> proof_on_both_legs() const;

    history::SessionId id_;
    const Limits& limits_;
    protocol::Reporting reporting_;
    KnownLogin known_;
    /// Gone once the conversation goes on without the client's packets, which it keeps.
    std::unique_ptr<Handshake> handshake_;
    std::unique_ptr<Observation> observation_;
    std::optional<Conversation> conversation_;
};

}  // namespace isotap::postgres
