#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include "tests/support/certificates.hpp"

namespace isotap::proxy::testing {

/// An HTTPS server on a port of its own: shakes hands with one client after the other, takes what
/// each posts if there was an agreement, and answers with the given codes, the last one for ever.
class TlsReceiver {
  public:
    explicit TlsReceiver(const test::Certificate& shown, std::vector<int> codes = {204})
        : codes_(std::move(codes)) {
        context_.use_certificate_chain_file(shown.certificate.string());
        context_.use_private_key_file(shown.key.string(), boost::asio::ssl::context::pem);
        thread_ = std::thread([this] { serve(); });
    }
    ~TlsReceiver() {
        stopping_ = true;
        // Its accept comes back for one more connection.
        boost::asio::io_context io;
        Tcp::socket last(io);
        boost::system::error_code ignored;
        last.connect(acceptor_.local_endpoint(), ignored);
        last.close(ignored);
        thread_.join();
    }
    TlsReceiver(const TlsReceiver&) = delete;
    TlsReceiver& operator=(const TlsReceiver&) = delete;

    [[nodiscard]] std::string url(const std::string& host) const {
        return "https://" + host + ":" + std::to_string(acceptor_.local_endpoint().port()) +
               "/hook?a=1";
    }
    /// What came so far. A request is there before its answer is sent.
    [[nodiscard]] std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    /// How many clients came, whether or not they agreed, once there were so many.
    std::size_t wait_for_clients(std::size_t count) {
        std::unique_lock lock(mutex_);
        came_.wait_for(lock, std::chrono::seconds(20), [&] { return clients_ >= count; });
        return clients_;
    }

  private:
    using Tcp = boost::asio::ip::tcp;

    void serve() {
        while (true) {
            boost::asio::ssl::stream<Tcp::socket> client(io_, context_);
            boost::system::error_code error;
            acceptor_.accept(client.lowest_layer(), error);
            if (stopping_) {
                return;
            }
            client.handshake(boost::asio::ssl::stream_base::server, error);
            if (!error) {
                answer(client);
            }
            const std::lock_guard lock(mutex_);
            ++clients_;
            came_.notify_all();
        }
    }
    void answer(boost::asio::ssl::stream<Tcp::socket>& client) {
        boost::system::error_code error;
        boost::asio::streambuf buffer;
        const std::size_t head = boost::asio::read_until(client, buffer, "\r\n\r\n", error);
        if (error) {
            return;
        }
        std::string request(boost::asio::buffers_begin(buffer.data()),
                            boost::asio::buffers_end(buffer.data()));
        const std::string length = "Content-Length: ";
        const std::size_t all =
            head + std::stoul(request.substr(request.find(length) + length.size()));
        while (request.size() < all && !error) {
            std::string chunk(4'096, '\0');
            chunk.resize(client.read_some(boost::asio::buffer(chunk), error));
            request += chunk;
        }
        int code = codes_.front();
        if (codes_.size() > 1) {
            codes_.erase(codes_.begin());
        }
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
        }
        boost::asio::write(client,
                           boost::asio::buffer("HTTP/1.1 " + std::to_string(code) +
                                               " x\r\nContent-Length: 0\r\n\r\n"),
                           error);
    }

    boost::asio::io_context io_;
    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_server};
    Tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
    std::vector<int> codes_;  ///< on the thread
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::condition_variable came_;
    std::vector<std::string> requests_;
    std::size_t clients_ = 0;
    std::thread thread_;
};

}  // namespace isotap::proxy::testing
