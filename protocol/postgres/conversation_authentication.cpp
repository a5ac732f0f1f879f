// What the conversation does with requests for authentication and their answers.
#include <string>
#include <utility>

#include "protocol/postgres/backend/authentication.hpp"
#include "protocol/postgres/backend/error_response.hpp"
#include "protocol/postgres/conversation.hpp"
#include "protocol/postgres/frontend/sasl_initial_response.hpp"
#include "protocol/postgres/message_writer.hpp"

namespace isotap::postgres {

using backend::Authentication;
using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Side;

namespace {

std::vector<std::uint8_t> authentication(std::uint32_t code, std::string_view data) {
    MessageWriter writer(BackendType::authentication);
    writer.be32(code);
    writer.text(data);
    return std::move(writer).finish();
}

std::vector<std::uint8_t> sasl_initial_response(std::string_view mechanism, std::string_view data) {
    MessageWriter writer(FrontendType::password);
    writer.c_string(mechanism);
    writer.be32(static_cast<std::uint32_t>(data.size()));
    writer.text(data);
    return std::move(writer).finish();
}

template <typename Type>
void pass_whole(Type type, const Piece& message, Side to, Actions& actions) {
    MessageWriter writer(type);
    writer.text(as_text(message.body));
    actions.send_own(to, std::move(writer).finish());
}

}  // namespace

/// SCRAM bound to our certificate would fail at the server, with words that explain nothing.
bool Conversation::withholds_answer(std::uint8_t type) const noexcept {
    if (static_cast<FrontendType>(type) != FrontendType::password) {
        return false;
    }
    return proves_itself() || (sasl_offered_ && channel_.client_tls && channel_.server_tls &&
                               !channel_.certificates_agree);
}

/// A client without TLS must not be offered to bind to the TLS of the other leg. And while the
/// login is proved on both legs, nothing but an error gets past the proof.
bool Conversation::withholds_request(std::uint8_t type) const noexcept {
    switch (static_cast<BackendType>(type)) {
        case BackendType::authentication:
            return proves_itself() || (channel_.server_tls && !channel_.client_tls);
        case BackendType::error_response:
        case BackendType::notice_response: return false;
        default: return proves_itself();
    }
}

/// False when the session is over.
bool Conversation::pass_authentication_answer(const Piece& message, Actions& actions) {
    if (proves_itself()) {
        return pass_proof(message, actions);
    }
    sasl_offered_ = false;
    const auto response = frontend::SaslInitialResponse::decode(message.body);
    if (response && response->mechanism == backend::scram_with_channel_binding) {
        return bind_login(message, response->data, actions);
    }
    scram_.reset();
    pass_whole(FrontendType::password, message, Side::server, actions);
    return true;
}

bool Conversation::pass_authentication_request(const Piece& message, Actions& actions) {
    if (proves_itself()) {
        return pass_scram_request(message, actions);
    }
    on_authentication(message);
    const auto request = Authentication::decode(message.body);
    if (request && request->code == Authentication::code_sasl && !message.cut) {
        actions.send_own(Side::client, backend::sasl_without_channel_binding(*request));
    } else {
        pass_whole(BackendType::authentication, message, Side::client, actions);
    }
    return true;
}

void Conversation::on_authentication(const Piece& message) noexcept {
    const auto request = Authentication::decode(message.body);
    sasl_offered_ = request && request->code == Authentication::code_sasl;
    if (request && request->code == Authentication::code_ok) {
        scram_.reset();
    }
}

// --- SCRAM on both legs --------------------------------------------------------------------------

/// From the client's first message to AuthenticationOk.
bool Conversation::proves_itself() const noexcept {
    return scram_ != nullptr && scram_->stage() != scram::Exchange::Stage::client_first;
}

bool Conversation::bind_login(const Piece& message, std::string_view client_first,
                              Actions& actions) {
    if (scram_ == nullptr) {
        return refuse_login(
            Note::channel_binding_lost,
            "isotap: SCRAM channel binding does not pass between the proxy's certificate and the "
            "server's: give the proxy the server's certificate and key, or user and password of "
            "this login in its upstream URL, or connect with channel_binding=disable",
            actions);
    }
    const std::string ours = scram_->on_client_first(client_first);
    if (ours.empty()) {
        scram_.reset();
        pass_whole(FrontendType::password, message, Side::server, actions);
    } else {
        actions.send_own(Side::server,
                         sasl_initial_response(backend::scram_without_channel_binding, ours));
    }
    return true;
}

bool Conversation::pass_proof(const Piece& message, Actions& actions) {
    if (scram_->stage() != scram::Exchange::Stage::client_final) {
        return refuse_login(Note::refused_connection,
                            "isotap: SCRAM: the client answers what nobody asked", actions);
    }
    MessageWriter writer(FrontendType::password);
    writer.text(scram_->on_client_final(as_text(message.body)));
    actions.send_own(Side::server, std::move(writer).finish());
    if (scram_->verdict() != scram::Verdict::holds) {
        notes_.take(Note::proof_refused, to_string(scram_->verdict()));
    }
    return true;
}

/// Every request in its turn: a server that skips its own proof must not get away with it.
bool Conversation::pass_scram_request(const Piece& message, Actions& actions) {
    using Step = scram::Exchange::Stage;
    const bool typed = message.type == static_cast<std::uint8_t>(BackendType::authentication);
    const auto request = typed ? Authentication::decode(message.body) : std::nullopt;
    const std::uint32_t code = request ? request->code : ~std::uint32_t{0};
    const Step step = scram_->stage();
    if (step == Step::done && code == Authentication::code_ok) {
        scram_.reset();
        pass_whole(BackendType::authentication, message, Side::client, actions);
        return true;
    }
    scram::Exchange::Result passed = scram::Failure::malformed;
    if (step == Step::server_first && code == Authentication::code_sasl_continue) {
        passed = scram_->on_server_first(as_text(request->data));
    } else if (step == Step::server_final && code == Authentication::code_sasl_final) {
        passed = scram_->on_server_final(as_text(request->data));
    }
    if (!passed) {
        return refuse_login(Note::refused_connection,
                            "isotap: SCRAM: " + std::string(to_string(passed.error())), actions);
    }
    actions.send_own(Side::client, authentication(code, *passed));
    return true;
}

/// Always false, for whoever returns it: the session is over.
bool Conversation::refuse_login(Note note, std::string_view why, Actions& actions) {
    notes_.take(note, why);
    actions.send_own(Side::client, backend::ErrorResponse::encode_fatal("28000", why));
    actions.add(ActionKind::finish);
    stage_ = Stage::refused;
    return false;
}

}  // namespace isotap::postgres
