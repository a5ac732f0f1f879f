#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotap::postgres::test {

/// A client that binds its login to the certificate with that hash.
class ScramClient {
  public:
    ScramClient(std::string password, std::vector<std::uint8_t> certificate_hash)
        : password_(std::move(password)), hash_(std::move(certificate_hash)) {}

    [[nodiscard]] std::string first() const;
    /// Answers a server-first that is in order.
    std::string final_for(std::string_view server_first);
    /// True when that is the server-final that it waits for.
    [[nodiscard]] bool accepts(std::string_view server_final) const {
        return !awaited_.empty() && server_final == awaited_;
    }

  private:
    std::string password_;
    std::vector<std::uint8_t> hash_;
    std::string awaited_;
};

/// A server that takes logins without binding, as one does that is told `n,,`.
class ScramServer {
  public:
    explicit ScramServer(std::string password, std::uint32_t iterations = 4096)
        : password_(std::move(password)), iterations_(iterations) {}

    /// The server-first for a client-first; empty when that is none.
    std::string first_for(std::string_view client_first);
    /// The server-final for a client-final; empty when its proof does not hold.
    [[nodiscard]] std::string final_for(std::string_view client_final) const;

  private:
    std::string password_;
    std::uint32_t iterations_;
    std::string client_first_bare_;
    std::string nonce_;
    std::string first_;
};

}  // namespace isotap::postgres::test
