#pragma once

#include <filesystem>
#include <optional>

#include "tests/support/process.hpp"

namespace isotap::test {

/// A certificate and its private key, as PEM files.
struct Certificate {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// An authority for one test program: made by the openssl program in a folder that the caller
/// owns. Everything it signs is valid for a day, for localhost and 127.0.0.1.
class CertificateAuthority {
  public:
    explicit CertificateAuthority(std::filesystem::path folder);

    /// What a peer needs to trust the rest.
    [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_.certificate; }

    /// Its own certificate, which nobody else has signed, with its key.
    [[nodiscard]] const Certificate& self_signed() const noexcept { return root_; }

    /// A new key and its certificate, with that common name. The key is readable for its owner
    /// only: servers insist.
    [[nodiscard]] Certificate issue(const std::string& common_name,
                                    std::optional<User> owner = std::nullopt) const;

  private:
    std::filesystem::path folder_;
    Certificate root_;
};

}  // namespace isotap::test
