#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/system/result.hpp>

#include "isotap/base/bytes.hpp"

#include "protocol/postgres/scram_crypto.hpp"
#include "protocol/postgres/scram_message.hpp"

namespace isotap::postgres::scram {

/// Why the exchange cannot go on. The client's mistakes are not among them: the server judges
/// those.
enum class Failure : std::uint8_t {
    malformed,            ///< the server's message cannot be read
    foreign_nonce,        ///< the server's nonce does not begin with the client's
    too_many_iterations,  ///< the server's password hash costs more than is allowed
    wrong_signature,      ///< the server did not prove that it knows the password
};

/// For a person, as the end of a sentence that begins with "SCRAM: ".
std::string_view to_string(Failure failure) noexcept;

/// What became of the client's proof.
enum class Verdict : std::uint8_t {
    holds,
    malformed,
    foreign_nonce,
    other_certificate,  ///< the client saw another certificate than ours: who sits in between?
    wrong_proof,        ///< its password is not the one that we hold
};

std::string_view to_string(Verdict verdict) noexcept;

/// One login, proved twice: the client proves to us, bound to our certificate, that it knows the
/// password; we prove the same to the server, unbound. Nonces, salt and iterations are the ends'
/// own, only headers, proofs and signatures are ours.
///
/// A client whose proof does not hold gets a proof without any key in it sent to the server, so
/// that the server refuses it in its own words and counts it as it always does.
///
/// Sans-I/O; one thread. Each call belongs to one stage, and the caller asks for the stage first.
/// Keys never outlive a call; what is kept until the end are two signatures, wiped with the object.
class Exchange {
  public:
    enum class Stage : std::uint8_t {
        client_first,
        server_first,
        client_final,
        server_final,
        done
    };

    using Result = boost::system::result<std::string, Failure>;

    /// `password` is not empty and outlives this object. `certificate_hash` is that of our
    /// certificate, as tls-server-end-point has it.
    Exchange(std::string_view password, const std::vector<std::uint8_t>& certificate_hash,
             std::size_t iterations_max);

    [[nodiscard]] Stage stage() const noexcept { return stage_; }

    /// What the server gets as client-first. Empty when this is none that binds to a certificate;
    /// then the stage stays, and the message is the server's to refuse.
    std::string on_client_first(std::string_view text);

    /// What the client gets as server-first: the server's own.
    Result on_server_first(std::string_view text);

    /// What the server gets as client-final. Never fails; see `verdict`.
    std::string on_client_final(std::string_view text);

    /// What the client gets as server-final.
    Result on_server_final(std::string_view text);

    /// Meaningful after `on_client_final`.
    [[nodiscard]] Verdict verdict() const noexcept { return verdict_; }

  private:
    [[nodiscard]] Verdict examine(const ClientFinal& said) const noexcept;
    Digest prove(const ClientFinal& said, std::string_view our_final);

    std::string_view password_;
    std::vector<std::uint8_t> binding_;  ///< what `c=` of the client must say
    std::size_t iterations_max_;
    Stage stage_ = Stage::client_first;
    Verdict verdict_ = Verdict::malformed;
    std::string client_first_bare_;
    std::string client_nonce_;
    std::string server_first_;
    std::string nonce_;  ///< of both
    std::vector<std::uint8_t> salt_;
    std::uint32_t iterations_ = 0;
    Digest expected_signature_;    ///< of the server
    Digest signature_for_client_;  ///< in its stead
};

}  // namespace isotap::postgres::scram
