#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Where a server is not installed, podman or docker may have it as an image. Pure: what is run,
/// and what is then where.
namespace isotap::proxy {

enum class SandboxKind : std::uint8_t { postgres, mariadb, mysql };

/// How a container is run, under a name of its own, so that it can be taken away by that name.
struct SandboxImage {
    std::vector<std::string> run;     ///< stays in the foreground
    std::vector<std::string> remove;  ///< ends it
    std::string url;                  ///< that answers once the server has started
};

/// `engine` is the program: podman or docker. The port is one of 127.0.0.1.
SandboxImage sandbox_image(SandboxKind kind, const std::string& engine, const std::string& name,
                           const std::string& port);

}  // namespace isotap::proxy
