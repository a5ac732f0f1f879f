#pragma once

#include <map>
#include <string>
#include <vector>

#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

/// The upstream's URL with the proxy's address in it.
std::string url_through(const Upstream& upstream, const Address& proxy);

/// The words of a command with `{host}`, `{port}` and `{url}` replaced.
std::vector<std::string> filled_in(std::vector<std::string> words, const Upstream& upstream,
                                   const Address& proxy);

/// Variables that lead the usual clients of the dialect to the proxy. An empty value: the variable
/// would lead past it and must not be there.
std::map<std::string, std::string> variables_for(const Upstream& upstream, const Address& proxy);

/// Runs a program to its end, with those variables on top of our own environment. The signals that
/// ask us to end are handed on to it. The caller has blocked them, and SIGCHLD, for all threads.
/// Returns its exit code as a shell says it: 128 + signal. Throws StartupError when it cannot be
/// started.
int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& variables);

}  // namespace isotap::proxy
