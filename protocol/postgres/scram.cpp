#include "protocol/postgres/scram.hpp"

#include <cassert>

namespace isotap::postgres::scram {

namespace {

/// What both proofs of a leg are made over.
std::string auth_message(std::string_view client_first_bare, std::string_view server_first,
                         std::string_view client_final_without_proof) {
    std::string message(client_first_bare);
    message.append(",").append(server_first).append(",").append(client_final_without_proof);
    return message;
}

}  // namespace

std::string_view to_string(Failure failure) noexcept {
    switch (failure) {
        case Failure::malformed: return "the server's message cannot be read";
        case Failure::foreign_nonce: return "the server answered with a nonce of somebody else";
        case Failure::too_many_iterations:
            return "the server asks for more iterations than limits.scram-iterations allows";
        case Failure::wrong_signature: return "the server did not prove that it knows the password";
    }
    return "unknown failure";
}

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::holds: return "the proof holds";
        case Verdict::malformed: return "the client's message cannot be read";
        case Verdict::foreign_nonce: return "the client answered with a nonce of somebody else";
        case Verdict::other_certificate:
            return "the client bound itself to another certificate than the proxy's";
        case Verdict::wrong_proof:
            return "the client's password is not the one of the upstream URL";
    }
    return "unknown verdict";
}

Exchange::Exchange(std::string_view password, const std::vector<std::uint8_t>& certificate_hash,
                   std::size_t iterations_max)
    : password_(password), iterations_max_(iterations_max) {
    assert(!password.empty() && !certificate_hash.empty());
    binding_.assign(bound_header.begin(), bound_header.end());
    binding_.insert(binding_.end(), certificate_hash.begin(), certificate_hash.end());
}

std::string Exchange::on_client_first(std::string_view text) {
    assert(stage_ == Stage::client_first);
    const auto said = ClientFirst::decode(text);
    if (!said) {
        return {};
    }
    client_first_bare_ = said->bare;
    client_nonce_ = said->nonce;
    stage_ = Stage::server_first;
    return std::string(unbound_header) + client_first_bare_;
}

Exchange::Result Exchange::on_server_first(std::string_view text) {
    assert(stage_ == Stage::server_first);
    auto said = ServerFirst::decode(text);
    if (!said) {
        return Failure::malformed;
    }
    if (said->nonce.size() <= client_nonce_.size() || !said->nonce.starts_with(client_nonce_)) {
        return Failure::foreign_nonce;
    }
    if (said->iterations > iterations_max_) {
        return Failure::too_many_iterations;
    }
    server_first_ = text;
    nonce_ = said->nonce;
    salt_ = std::move(said->salt);
    iterations_ = said->iterations;
    stage_ = Stage::client_final;
    return server_first_;
}

std::string Exchange::on_client_final(std::string_view text) {
    assert(stage_ == Stage::client_final);
    stage_ = Stage::server_final;
    std::string ours = "c=";
    ours.append(unbound_header_base64).append(",r=").append(nonce_);
    const auto said = ClientFinal::decode(text);
    verdict_ = said ? examine(*said) : Verdict::malformed;
    // Whoever fails here costs no password hash.
    const Digest proof = verdict_ == Verdict::holds ? prove(*said, ours) : Digest();
    return ours + ",p=" + to_base64(proof.bytes());
}

/// All but the proof itself.
Verdict Exchange::examine(const ClientFinal& said) const noexcept {
    if (said.nonce != nonce_) {
        return Verdict::foreign_nonce;
    }
    return equal(said.binding, binding_) ? Verdict::holds : Verdict::other_certificate;
}

/// Our proof for the server, or zeros when the client's does not hold.
Digest Exchange::prove(const ClientFinal& said, std::string_view our_final) {
    const Digest salted = salted_password(password_, salt_, iterations_);
    const Digest client_key = hmac(salted, "Client Key");
    const Digest stored_key = sha256(client_key.bytes());
    const Digest server_key = hmac(salted, "Server Key");

    const std::string theirs = auth_message(client_first_bare_, server_first_, said.without_proof);
    const Digest expected = exclusive_or(client_key, hmac(stored_key, theirs));
    if (!equal(expected.bytes(), said.proof.bytes())) {
        verdict_ = Verdict::wrong_proof;
        return {};
    }
    const std::string ours = auth_message(client_first_bare_, server_first_, our_final);
    expected_signature_ = hmac(server_key, ours);
    signature_for_client_ = hmac(server_key, theirs);
    return exclusive_or(client_key, hmac(stored_key, ours));
}

Exchange::Result Exchange::on_server_final(std::string_view text) {
    assert(stage_ == Stage::server_final);
    const auto said = ServerFinal::decode(text);
    if (!said) {
        return Failure::malformed;
    }
    // A server that is content with a proof that did not hold knows nothing of the password.
    if (verdict_ != Verdict::holds ||
        !equal(said->signature.bytes(), expected_signature_.bytes())) {
        return Failure::wrong_signature;
    }
    stage_ = Stage::done;
    return "v=" + to_base64(signature_for_client_.bytes());
}

}  // namespace isotap::postgres::scram
