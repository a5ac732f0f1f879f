#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/ids.hpp"
#include "isotap/protocol/reporting.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/mysql/conversation.hpp"
#include "protocol/mysql/handshake.hpp"
#include "protocol/mysql/observation.hpp"

namespace isotap::mysql {

/// One client of the MySQL family and its server: the handshake, then the conversation. See
/// protocol::Session for the contract.
class Session final : public protocol::Session {
  public:
    Session(history::SessionId id, const protocol::TlsRules& rules, const Limits& limits,
            const protocol::Reporting& reporting);

    void start(Time now, protocol::Actions& actions) override;
    void feed(protocol::Side from, Bytes bytes, Time now, protocol::Actions& actions) override;
    void on_end(protocol::Side from, Time now, protocol::Actions& actions) override;
    [[nodiscard]] bool owes_server() const noexcept override;
    void on_dialled(Time now, protocol::Actions& actions) override;
    void on_dial_failed(const protocol::DialFailure& failure, Time now,
                        protocol::Actions& actions) override;
    void on_tls_started(protocol::Side leg, protocol::TlsFacts facts, Time now,
                        protocol::Actions& actions) override;
    void on_tls_failed(protocol::Side leg, std::string_view why, Time now,
                       protocol::Actions& actions) override;
    void on_released(Time now, protocol::Actions& actions) override;
    void on_woken(Time now, protocol::Actions& actions) override;
    void on_shutdown(Time now, protocol::Actions& actions) override;
    void on_closed(Time now) override;
    [[nodiscard]] protocol::Phase phase() const noexcept override;

  private:
    void converse_if_done(Time now, protocol::Actions& actions);

    history::SessionId id_;
    const Limits& limits_;
    protocol::Reporting reporting_;
    std::unique_ptr<Handshake> handshake_;  ///< until authentication is through
    std::unique_ptr<Observation> observation_;
    std::unique_ptr<Conversation> conversation_;
    // What came in the same breath as the last packet of the handshake.
    std::vector<std::uint8_t> early_of_server_;
    std::vector<std::uint8_t> early_of_client_;
};

}  // namespace isotap::mysql
