#pragma once

#include <chrono>
#include <string>

namespace isotap::proxy {

/// Sends a body to an `http://` URL and waits for the answer, so long at most. Empty when a 2xx
/// came, else why not. Throws nothing; for threads that may wait.
std::string http_post(const std::string& url, const std::string& body,
                      std::chrono::milliseconds patience) noexcept;

}  // namespace isotap::proxy
