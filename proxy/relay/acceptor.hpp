#pragma once

#include <functional>
#include <string>

#include "isotap/proxy/options.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/name_lookup.hpp"
#include "proxy/net/poller.hpp"

namespace isotap::proxy {

/// Listens on one address and hands over who connects. Lives on its poller's thread once started.
class Acceptor final : private Watcher {
  public:
    /// Takes a client's socket, which does not block.
    using Taker = std::function<void(Descriptor client)>;

    /// Binds and listens; throws StartupError when the address cannot be had.
    Acceptor(Poller& poller, const Address& address, Taker taker);
    Acceptor(const Acceptor&) = delete;
    Acceptor& operator=(const Acceptor&) = delete;
    Acceptor(Acceptor&&) = delete;
    Acceptor& operator=(Acceptor&&) = delete;
    ~Acceptor() override;

    /// The address that was bound: port 0 has become a number.
    [[nodiscard]] const Address& address() const noexcept { return address_; }

    void start();
    void stop();

    /// Called now and then: accepts who was left waiting while there were no descriptors to be had.
    void on_tick();

  private:
    void on_ready(Ready ready) override;
    void bind_tcp();
    void bind_unix();
    Endpoint listen_on(const Endpoint& endpoint);

    Poller& poller_;
    Descriptor socket_;
    Address address_;
    Taker taker_;
    std::string socket_file_;  ///< ours to remove; empty when none
};

}  // namespace isotap::proxy
