#pragma once

#include <chrono>
#include <string>

namespace isotap::proxy {

/// Sends a body to an `http://` or `https://` URL and waits for the answer, so long at most. Empty
/// when a 2xx came, else why not. A TLS peer is believed when its certificate has the name of the
/// URL and was signed by one of the authorities in that PEM file; where that is empty, by one whom
/// the system trusts (SSL_CERT_FILE, SSL_CERT_DIR name others). Throws nothing; for threads that
/// may wait.
std::string http_post(const std::string& url, const std::string& body,
                      std::chrono::milliseconds patience,
                      const std::string& authorities = {}) noexcept;

}  // namespace isotap::proxy
