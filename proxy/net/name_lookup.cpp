#include "proxy/net/name_lookup.hpp"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

namespace isotap::proxy {

void NameLookup::ask(const Address& address, Poller& poller, Answer answer) {
    boost::asio::post(pool_, [address, &poller, answer = std::move(answer)] {
        boost::asio::io_context io;
        boost::asio::ip::tcp::resolver resolver(io);
        boost::system::error_code error;
        const auto results = resolver.resolve(address.host, std::to_string(address.port), error);
        std::vector<Endpoint> found;
        for (const auto& result : results) {
            found.emplace_back(result.endpoint());
        }
        const std::string failure = error ? error.message() : std::string();
        poller.post([answer, failure, found] { answer(failure, found); });
    });
}

}  // namespace isotap::proxy
