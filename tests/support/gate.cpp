#include "tests/support/gate.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <list>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>
#include <vector>

namespace isotap::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t buffer_max = 65'536;
constexpr std::size_t later_slice = 4'093;  // a prime: boundaries wander through the messages

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void prepare(int socket) {
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fcntl(socket, F_SETFL, O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "gate");
    }
}

void close_with_reset(Descriptor& socket) {
    const linger at_once{1, 0};
    setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket.reset();
}

enum class Fate { goes_on, done, broken };

/// One direction of one connection.
class Lane {
  public:
    Lane(int from, int to, LanePlan plan, std::atomic<std::size_t>& total)
        : from_(from), to_(to), plan_(plan), total_(&total) {}

    void release(const LanePlan& plan) { plan_.stop_reading_after = plan.stop_reading_after; }

    [[nodiscard]] bool wants_to_read() const {
        const bool stopped = plan_.stop_reading_after && read_ >= *plan_.stop_reading_after;
        return !from_ended_ && !finished_ && !stopped && held_.size() < buffer_max;
    }
    [[nodiscard]] bool wants_to_write() const {
        return !finished_ && (from_ended_ || !held_.empty());
    }
    [[nodiscard]] Clock::time_point may_write_at() const { return may_write_at_; }
    [[nodiscard]] bool finished() const { return finished_; }

    /// The receiver takes nothing any more: what still comes is read and dropped.
    void discard() {
        discards_ = true;
        finished_ = finished_ || from_ended_;
        held_.clear();
    }
    [[nodiscard]] bool over() const { return finished_ || discards_; }

    Fate read() {
        std::array<char, 16'384> chunk{};
        std::size_t most = chunk.size();
        if (plan_.stop_reading_after) most = std::min(most, *plan_.stop_reading_after - read_);
        const ssize_t n = recv(from_, chunk.data(), most, 0);
        if (n < 0 && errno == EAGAIN) return Fate::goes_on;
        if (n < 0) {
            // Passed on as an end: a reset would overtake the slices that are still under way.
            from_ended_ = true;
            finished_ = discards_;
            may_write_at_ = Clock::now();
            return Fate::goes_on;
        }
        if (held_.empty()) hold_back();
        from_ended_ = n == 0;
        if (discards_) {
            finished_ = from_ended_;
            return Fate::goes_on;
        }
        held_.append(chunk.data(), static_cast<std::size_t>(n));
        read_ += static_cast<std::size_t>(n);
        return Fate::goes_on;
    }

    Fate write() {
        std::size_t most = held_.size();
        if (plan_.slice) {
            most = std::min(most, written_ < plan_.sliced_bytes ? *plan_.slice : later_slice);
        }
        if (plan_.reset_after) most = std::min(most, *plan_.reset_after - written_);
        if (most > 0) {
            const ssize_t n = send(to_, held_.data(), most, MSG_NOSIGNAL);
            if (n < 0 && errno == EAGAIN) return Fate::goes_on;
            if (n < 0) {
                // The receiver is gone, but its last words may still be under way to the sender,
                // and closing with unread bytes would cut them off.
                discard();
                return Fate::goes_on;
            }
            held_.erase(0, static_cast<std::size_t>(n));
            written_ += static_cast<std::size_t>(n);
            *total_ += static_cast<std::size_t>(n);
            if (plan_.slice) hold_back();
        }
        if (plan_.reset_after && written_ >= *plan_.reset_after) return Fate::broken;
        if (held_.empty() && from_ended_) {
            shutdown(to_, SHUT_WR);
            finished_ = true;
        }
        return Fate::goes_on;
    }

  private:
    void hold_back() {
        const bool over = plan_.slice && written_ >= plan_.sliced_bytes;
        may_write_at_ = Clock::now() + (over ? std::chrono::microseconds{0} : plan_.hold);
    }

    int from_;
    int to_;
    LanePlan plan_;
    std::atomic<std::size_t>* total_;
    std::string held_;
    std::size_t read_ = 0;
    std::size_t written_ = 0;
    Clock::time_point may_write_at_;
    bool from_ended_ = false;
    bool finished_ = false;
    bool discards_ = false;
};

}  // namespace

/// The gate's thread: one poll over everything.
class Gate::Loop {
  public:
    explicit Loop(Gate& gate) : gate_(gate) {}

    void run() {
        while (!gate_.ending_) {
            collect_events();
            const timespec left = time_left();
            ppoll(events_.data(), events_.size(), sleepless() ? nullptr : &left, nullptr);
            handle_plan();
            serve_links();
            if ((events_[1].revents & POLLIN) != 0) accept_one();
        }
    }

  private:
    struct Link {
        Descriptor client;
        Descriptor server;
        Lane to_server;
        Lane to_client;
    };

    void collect_events() {
        events_ = {{gate_.wake_.get(), POLLIN, 0}, {gate_.listener_.get(), POLLIN, 0}};
        next_write_ = Clock::time_point::max();
        const Clock::time_point now = Clock::now();
        for (const Link& link : links_) {
            // A socket that nothing is expected of is left alone: its error would be told for ever.
            const bool client_over = link.to_server.finished() && link.to_client.over();
            const bool server_over = link.to_client.finished() && link.to_server.over();
            pollfd client{client_over ? -1 : link.client.get(), 0, 0};
            pollfd server{server_over ? -1 : link.server.get(), 0, 0};
            add(link.to_server, client, server, now);
            add(link.to_client, server, client, now);
            events_.push_back(client);
            events_.push_back(server);
        }
    }

    void add(const Lane& lane, pollfd& from, pollfd& to, Clock::time_point now) {
        if (lane.wants_to_read()) from.events |= POLLIN;
        if (!lane.wants_to_write()) return;
        if (lane.may_write_at() <= now) {
            to.events |= POLLOUT;
        } else {
            next_write_ = std::min(next_write_, lane.may_write_at());
        }
    }

    [[nodiscard]] bool sleepless() const { return next_write_ == Clock::time_point::max(); }

    [[nodiscard]] timespec time_left() const {
        const auto left = std::max(Clock::duration{0}, next_write_ - Clock::now());
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        return {sleepless() ? 0 : seconds.count(), sleepless() ? 0 : (left - seconds).count()};
    }

    void handle_plan() {
        if ((events_[0].revents & POLLIN) == 0) return;
        eventfd_t count = 0;
        eventfd_read(gate_.wake_.get(), &count);
        const std::lock_guard lock(gate_.mutex_);
        for (Link& link : links_) {
            link.to_server.release(gate_.plan_.to_server);
            link.to_client.release(gate_.plan_.to_client);
        }
    }

    void serve_links() {
        std::size_t at = 2;
        for (auto link = links_.begin(); link != links_.end(); at += 2) {
            const Fate fate = serve(*link, events_[at].revents, events_[at + 1].revents);
            if (fate == Fate::broken) {
                close_with_reset(link->client);
                close_with_reset(link->server);
            }
            link = fate == Fate::goes_on ? std::next(link) : links_.erase(link);
        }
        gate_.open_ = links_.size();
    }

    /// A reset shows as an error even when nobody asked for events. Behind an orderly end it only
    /// says that nothing more is taken there: the last words may still be under way to the other
    /// side, and a reset would overtake them.
    static bool lost(short events, const Lane& from_here, Lane& to_there) {
        if ((events & POLLERR) == 0) return false;
        if (from_here.finished()) to_there.discard();
        return !from_here.finished() && !from_here.wants_to_read() && !from_here.wants_to_write();
    }

    static Fate serve(Link& link, short client, short server) {
        if (lost(client, link.to_server, link.to_client) ||
            lost(server, link.to_client, link.to_server)) {
            return Fate::broken;
        }
        Fate fate = Fate::goes_on;
        const auto step = [&](bool ready, Lane& lane, Fate (Lane::*action)()) {
            if (ready && fate == Fate::goes_on) fate = (lane.*action)();
        };
        step((client & POLLIN) != 0, link.to_server, &Lane::read);
        step((server & POLLIN) != 0, link.to_client, &Lane::read);
        step((server & POLLOUT) != 0 && link.to_server.wants_to_write(), link.to_server,
             &Lane::write);
        step((client & POLLOUT) != 0 && link.to_client.wants_to_write(), link.to_client,
             &Lane::write);
        const bool done = link.to_server.finished() && link.to_client.finished();
        return fate == Fate::goes_on && done ? Fate::done : fate;
    }

    void accept_one() {
        Descriptor client(accept4(gate_.listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!client) return;
        ++gate_.accepted_;
        Descriptor server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_in target = loopback(gate_.target_.port);
        const auto* name = reinterpret_cast<const sockaddr*>(&target);
        if (connect(server.get(), name, sizeof target) != 0) {
            close_with_reset(client);
            return;
        }
        prepare(client.get());
        prepare(server.get());
        const std::lock_guard lock(gate_.mutex_);
        const GatePlan& plan = gate_.plan_;
        if (plan.to_server.reset_after == 0U || plan.to_client.reset_after == 0U) {
            close_with_reset(client);
            close_with_reset(server);
            return;
        }
        Lane to_server(client.get(), server.get(), plan.to_server, gate_.to_server_);
        Lane to_client(server.get(), client.get(), plan.to_client, gate_.to_client_);
        links_.push_back({std::move(client), std::move(server), to_server, to_client});
        gate_.open_ = links_.size();
    }

    Gate& gate_;
    std::list<Link> links_;
    std::vector<pollfd> events_;
    Clock::time_point next_write_;
};

Gate::Gate(Endpoint target, GatePlan plan)
    : target_(std::move(target)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      plan_(plan) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener_.get(), name, size) != 0 || listen(listener_.get(), 64) != 0 ||
        getsockname(listener_.get(), name, &size) != 0) {
        throw std::system_error(errno, std::generic_category(), "gate");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Loop(*this).run(); });
}

Gate::~Gate() {
    ending_ = true;
    eventfd_write(wake_.get(), 1);
    thread_.join();
}

void Gate::set_plan(GatePlan plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
    eventfd_write(wake_.get(), 1);
}

}  // namespace isotap::test
