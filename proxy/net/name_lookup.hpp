#pragma once

#include <functional>
#include <string>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/thread_pool.hpp>

#include "isotap/proxy/options.hpp"

#include "proxy/net/poller.hpp"

namespace isotap::proxy {

using Endpoint = boost::asio::generic::stream_protocol::endpoint;

/// Asks the system what addresses a host name stands for, on a thread of its own, since the system
/// may take its time. Any thread may ask; every poller that it answers to must outlive it.
class NameLookup {
  public:
    /// Empty text: found. Else why not.
    using Answer = std::function<void(const std::string& failure, std::vector<Endpoint> found)>;

    /// `answer` is called on the poller's thread.
    void ask(const Address& address, Poller& poller, Answer answer);

  private:
    boost::asio::thread_pool pool_{1};
};

}  // namespace isotap::proxy
