#include "proxy/ops/systemd.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

/// A datagram socket in the abstract namespace, as systemd offers one.
class Systemd {
  public:
    explicit Systemd(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path + 1, name.data(), name.size());
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        bound_ = bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0;
        setenv("NOTIFY_SOCKET", ("@" + name).c_str(), 1);
    }
    ~Systemd() {
        unsetenv("NOTIFY_SOCKET");
        close(socket_);
    }
    Systemd(const Systemd&) = delete;
    Systemd& operator=(const Systemd&) = delete;

    [[nodiscard]] bool bound() const { return bound_; }

    [[nodiscard]] std::string heard() const {
        std::array<char, 256> text{};
        const ssize_t size = recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
        return size < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(size));
    }

  private:
    int socket_;
    bool bound_ = false;
};

TEST(NotifySystemd, TellsTheState) {
    const Systemd systemd(fmt::format("isotap-test-{}", getpid()));
    ASSERT_TRUE(systemd.bound());
    notify_systemd("READY=1");
    EXPECT_EQ(systemd.heard(), "READY=1");
}

TEST(NotifySystemd, DoesNothingWithoutASocketThatListens) {
    const Systemd systemd(fmt::format("isotap-test-{}", getpid()));
    for (const char* name : {"", "@", "relative", "/nowhere/at/all"}) {
        setenv("NOTIFY_SOCKET", name, 1);
        notify_systemd("READY=1");
    }
    setenv("NOTIFY_SOCKET", ("/" + std::string(200, 'x')).c_str(), 1);
    notify_systemd("READY=1");
    unsetenv("NOTIFY_SOCKET");
    notify_systemd("READY=1");
    EXPECT_EQ(systemd.heard(), "nothing");
}

}  // namespace
}  // namespace isotap::proxy
