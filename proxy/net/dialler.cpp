#include "proxy/net/dialler.hpp"

#include <utility>

#include <boost/asio/local/stream_protocol.hpp>

namespace isotap::proxy {

using boost::asio::ip::tcp;

void Dialler::dial(const Address& address) {
    boost::system::error_code not_numeric;
    const auto numeric = boost::asio::ip::make_address(address.host, not_numeric);
    if (address.is_unix()) {
        endpoints_.emplace_back(boost::asio::local::stream_protocol::endpoint(address.host));
    } else if (!not_numeric) {
        endpoints_.emplace_back(tcp::endpoint(numeric, address.port));
    } else {
        resolve(address);
        return;
    }
    connect_next({});
}

void Dialler::resolve(const Address& address) {
    resolver_.async_resolve(
        address.host, std::to_string(address.port),
        [self = shared_from_this()](const boost::system::error_code& error,
                                    const tcp::resolver::results_type& results) {
            if (error) {
                self->finish(error.message());
                return;
            }
            for (const auto& result : results) {
                self->endpoints_.emplace_back(result.endpoint());
            }
            self->connect_next("the name stands for no address");
        });
}

void Dialler::connect_next(const std::string& last_failure) {
    if (!done_) {
        return;
    }
    if (next_ == endpoints_.size()) {
        finish(last_failure);
        return;
    }
    boost::system::error_code ignored;
    socket_.close(ignored);
    socket_.async_connect(endpoints_[next_++],
                          [self = shared_from_this()](const boost::system::error_code& error) {
                              if (error) {
                                  self->connect_next(error.message());
                              } else {
                                  self->finish({});
                              }
                          });
}

void Dialler::cancel() {
    done_ = nullptr;
    resolver_.cancel();
}

void Dialler::finish(const std::string& failure) {
    if (const Done done = std::exchange(done_, nullptr)) {
        done(failure);
    }
}

}  // namespace isotap::proxy
