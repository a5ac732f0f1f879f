#include "tests/unit/postgres/scram_peers.hpp"

#include "protocol/postgres/scram_crypto.hpp"

namespace isotap::postgres::test {

namespace {

using scram::Digest;

const std::string client_nonce = "rOprNGfwEbeRWgbNEkqO";
const std::string server_nonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
const std::string salt_base64 = "W22ZaJ0SNY7soEsUEjb6gQ==";
const std::string bare_first = "n=user,r=" + client_nonce;
const std::string bound = "p=tls-server-end-point,,";

/// The value of `name=` up to the next comma.
std::string_view value(std::string_view text, std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) {
        return {};
    }
    text.remove_prefix(at + name.size());
    return text.substr(0, text.find(','));
}

struct Proofs {
    std::string proof;
    std::string signature;
};

Proofs prove(std::string_view password, std::string_view salt, std::uint32_t iterations,
             std::string_view auth_message) {
    const Digest salted = scram::salted_password(password, *scram::from_base64(salt), iterations);
    const Digest client_key = hmac(salted, "Client Key");
    const Digest signature = hmac(scram::sha256(client_key.bytes()), auth_message);
    return {scram::to_base64(exclusive_or(client_key, signature).bytes()),
            scram::to_base64(hmac(hmac(salted, "Server Key"), auth_message).bytes())};
}

}  // namespace

std::string ScramClient::first() const {
    return bound + bare_first;
}

std::string ScramClient::final_for(std::string_view server_first) {
    std::vector<std::uint8_t> binding(bound.begin(), bound.end());
    binding.insert(binding.end(), hash_.begin(), hash_.end());
    std::string text = "c=" + scram::to_base64(binding);
    text.append(",r=").append(value(server_first, "r="));
    const auto iterations =
        static_cast<std::uint32_t>(std::stoul(std::string(value(server_first, ",i="))));
    const std::string message = bare_first + "," + std::string(server_first) + "," + text;
    const Proofs proofs = prove(password_, value(server_first, ",s="), iterations, message);
    awaited_ = "v=" + proofs.signature;
    return text + ",p=" + proofs.proof;
}

std::string ScramServer::first_for(std::string_view client_first) {
    if (!client_first.starts_with("n,,n=")) {
        return {};
    }
    client_first_bare_ = client_first.substr(3);
    nonce_ = std::string(value(client_first, ",r=")) + server_nonce;
    first_ = "r=" + nonce_ + ",s=" + salt_base64 + ",i=" + std::to_string(iterations_);
    return first_;
}

std::string ScramServer::final_for(std::string_view client_final) const {
    const std::string without_proof = "c=biws,r=" + nonce_;
    const Proofs proofs = prove(password_, salt_base64, iterations_,
                                client_first_bare_ + "," + first_ + "," + without_proof);
    if (client_final != without_proof + ",p=" + proofs.proof) {
        return {};
    }
    return "v=" + proofs.signature;
}

}  // namespace isotap::postgres::test
