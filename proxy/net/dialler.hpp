#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/name_lookup.hpp"
#include "proxy/net/poller.hpp"

namespace isotap::proxy {

/// Connects one socket to one address, trying every endpoint that its name stands for. Used once,
/// on the poller's thread.
///
/// The callback comes once, later, with the connected socket, or with none and the reason. After
/// `cancel` it does not come at all.
class Dialler final : public std::enable_shared_from_this<Dialler>, private Watcher {
  public:
    using Done = std::function<void(Descriptor socket, const std::string& failure)>;

    Dialler(Poller& poller, NameLookup& names, Done done)
        : poller_(poller), names_(names), done_(std::move(done)) {}

    void dial(const Address& address);
    void cancel();

  private:
    void on_ready(Ready ready) override;
    void resolve(const Address& address);
    void connect_next(std::string last_failure);
    /// Empty: connected, or about to be.
    std::string connect(const Endpoint& endpoint);
    void finish(const std::string& failure);

    Poller& poller_;
    NameLookup& names_;
    Done done_;  // empty once called or cancelled
    Descriptor socket_;
    std::vector<Endpoint> endpoints_;
    std::size_t next_ = 0;
};

}  // namespace isotap::proxy
