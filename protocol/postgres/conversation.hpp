#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/ledger/reply_ledger.hpp"
#include "protocol/postgres/backend/ready_for_query.hpp"
#include "protocol/postgres/frame_reader.hpp"
#include "protocol/postgres/instrument/instrument.hpp"
#include "protocol/postgres/message_type.hpp"
#include "protocol/postgres/observation.hpp"
#include "protocol/postgres/reply.hpp"
#include "protocol/postgres/scram.hpp"

namespace isotap::postgres {

/// What the handshake found out and the conversation needs.
struct ChannelFacts {
    bool client_tls = false;
    bool server_tls = false;
    bool certificates_agree = false;
};

/// All typed messages of a connection, from the first request to authenticate to its end. Every
/// message goes on as it came; the ledger follows along, so that it is known at any moment which
/// request the server is answering.
///
/// Gives up for good (`Phase::blind`) at the first message that does not fit: from then on the
/// bytes are the driver's alone.
class Conversation {
  public:
    /// `observation` may be null: then nothing is kept of any message.
    /// `scram`: proves the login on both legs, should the client bind itself to our certificate;
    /// null: we cannot.
    /// `instrument`: what captures statements; null: every message goes as it came.
    Conversation(const ChannelFacts& channel, const Limits& limits, protocol::NoteTaker& notes,
                 Observation* observation, std::unique_ptr<scram::Exchange> scram = nullptr,
                 std::unique_ptr<instrument::Instrument> instrument = nullptr);

    void feed(protocol::Side from, Bytes bytes, Time now, protocol::Actions& actions);

    /// What a `hold` waited for is there.
    void on_released(Time now, protocol::Actions& actions);

    void on_closed(Time now);

    [[nodiscard]] protocol::Phase phase() const noexcept;
    /// Between two messages of the server: a message of ours would be understood there.
    [[nodiscard]] bool may_speak_to_client() const noexcept {
        return stage_ != Stage::blind && server_.at_boundary();
    }

  private:
    enum class Stage : std::uint8_t { authentication, ready, refused, blind };
    using Ledger = protocol::ReplyLedger<Reply>;

    void from_client(Bytes bytes, Time now, protocol::Actions& actions);
    void from_server(Bytes bytes, Time now, protocol::Actions& actions);

    [[nodiscard]] bool keep_of_client(std::uint8_t type) const noexcept;
    [[nodiscard]] bool keep_of_server(std::uint8_t type) const noexcept;

    void bound_request(std::uint8_t type) noexcept;
    bool pass_captured(const Piece& message, Time now, protocol::Actions& actions);
    bool pass_long(const Piece& message, Time now, protocol::Actions& actions);
    bool pass_planned(Piece message, bool insist, Time now, protocol::Actions& actions);
    void hold(const Piece& message, protocol::Actions& actions);
    void let_go(protocol::Actions& actions);
    [[nodiscard]] bool withhold_reply(std::uint8_t type);
    bool pass_changed(const Piece& message, Time now, protocol::Actions& actions);

    [[nodiscard]] bool withholds_answer(std::uint8_t type) const noexcept;
    [[nodiscard]] bool withholds_request(std::uint8_t type) const noexcept;
    bool pass_authentication_answer(const Piece& message, protocol::Actions& actions);
    bool pass_authentication_request(const Piece& message, protocol::Actions& actions);
    [[nodiscard]] bool proves_itself() const noexcept;
    bool bind_login(const Piece& message, std::string_view client_first,
                    protocol::Actions& actions);
    bool pass_proof(const Piece& message, protocol::Actions& actions);
    bool pass_scram_request(const Piece& message, protocol::Actions& actions);
    bool refuse_login(protocol::Note note, std::string_view why, protocol::Actions& actions);
    void on_authentication(const Piece& message) noexcept;

    bool on_request(const Piece& message, Time now);
    bool owe(Reply reply, const Piece& message, Time now);

    bool on_reply(const Piece& message, Time now);
    bool on_start_up_reply(BackendType type, const Piece& message);
    bool on_ledger_reply(BackendType type, const Piece& message, Time now);
    bool on_command_complete(const Piece& message, Time now);
    bool on_empty_query(Time now);
    bool on_portal_suspended(Time now);
    bool on_copy_in() noexcept;
    void on_error(const Piece& message, Time now);
    bool on_ready(const Piece& message, Time now);

    void prune() noexcept;
    [[nodiscard]] bool owes(Reply reply) noexcept;
    bool settle(Reply reply);
    void pop();
    void announce();
    void give_up(protocol::Side side, Bytes rest, Time now, protocol::Actions& actions);

    ChannelFacts channel_;
    std::unique_ptr<scram::Exchange> scram_;  ///< gone once it cannot be needed any more
    protocol::NoteTaker& notes_;
    Observation* observation_;
    std::unique_ptr<instrument::Instrument> instrument_;
    std::size_t kept_max_;
    FrameReader client_;
    FrameReader server_;
    Ledger ledger_;
    Stage stage_ = Stage::authentication;
    backend::TransactionStatus status_ = backend::TransactionStatus::idle;
    bool sasl_offered_ = false;
    bool skipping_ = false;    ///< the server reads and ignores requests up to the next Sync
    bool copying_in_ = false;  ///< the server ignores Sync up to the client's CopyDone or CopyFail
    bool announced_ = false;   ///< the statement at the front has been told to `observation_`
    protocol::Note trouble_ = protocol::Note::desynchronised;

    // the message that is passing, where statements are captured
    std::size_t withheld_ = 0;           ///< bytes of the client's that wait for the others
    bool streams_ = false;               ///< the client's is too long to be withheld
    std::size_t withheld_of_reply_ = 0;  ///< bytes of the server's that wait for the others
    bool withholds_reply_ = false;       ///< the server's waits until it is whole

    // while the client is held
    struct Held {
        bool any = false;
        std::uint8_t type = 0;
        std::vector<std::uint8_t> body;
        std::vector<std::uint8_t> rest;  ///< what came behind that message
    };
    Held held_;
    std::vector<std::uint8_t> resumed_;  ///< `rest`, while it is being passed
};

}  // namespace isotap::postgres
