#pragma once

#include <chrono>
#include <string>

namespace isotap::proxy {

/// Sends a body to an `http://` or `https://` URL and waits for the answer, so long at most. Empty
/// when a 2xx came, else why not. A TLS peer is believed when its certificate has the name of the
/// URL and the system trusts who signed it (SSL_CERT_FILE, SSL_CERT_DIR name others). Throws
/// nothing; for threads that may wait.
std::string http_post(const std::string& url, const std::string& body,
                      std::chrono::milliseconds patience) noexcept;

}  // namespace isotap::proxy
