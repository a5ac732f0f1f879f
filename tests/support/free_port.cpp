#include "tests/support/free_port.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>
#include <system_error>

#include "tests/support/descriptor.hpp"

namespace isotap::test {

std::uint16_t free_port() {
    const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    if (bind(probe.get(), name, size) != 0 || getsockname(probe.get(), name, &size) != 0) {
        throw std::system_error(errno, std::generic_category(), "a free port");
    }
    return ntohs(address.sin_port);
}

}  // namespace isotap::test
