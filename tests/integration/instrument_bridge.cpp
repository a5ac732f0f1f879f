#include "tests/integration/instrument_bridge.hpp"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>

#include "protocol/mysql/session.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::test {

using protocol::Action;
using protocol::ActionKind;
using protocol::Side;

void PlannedTables::add(std::string name, std::vector<std::string> columns,
                        std::string auto_increment) {
    sql::Table table;
    table.identity = "shop." + name;
    table.kind = sql::TableKind::ordinary;
    table.source = sql::VersionSource::columns;
    table.columns = std::move(columns);
    table.auto_increment = std::move(auto_increment);
    tables_.tables.emplace_back(std::move(name), std::move(table));
}

const sql::Table* PlannedTables::Tables::find(std::string_view /*schema*/,
                                              std::string_view name) const {
    for (const auto& [known, table] : tables) {
        if (known == name) return &table;
    }
    return nullptr;
}

sql::ContextId PlannedTables::context(const sql::PlanContext& /*context*/) {
    return sql::ContextId{1};
}

std::shared_ptr<const sql::Plan> PlannedTables::find(const sql::PlanQuestion& question,
                                                     bool insist) {
    if (asked_.insert(std::string(question.text)).second && !insist) {
        return nullptr;
    }
    sql::Structure structure;
    sql::parse(question.tokens, question.lexing, structure);
    return std::make_shared<sql::Plan>(
        sql::make_plan(question.tokens, structure, question.lexing, tables_, {}));
}

void PlannedTables::on_schema_changed(sql::ContextId /*context*/) noexcept {
    ++schema_changes_;
}

namespace {

sockaddr_in local(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void send_all(const Descriptor& to, Bytes bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
}

}  // namespace

/// One client and its server.
class InstrumentBridge::Connection final : protocol::NoteTaker {
  public:
    Connection(InstrumentBridge& bridge, Descriptor client, history::SessionId id)
        : bridge_(bridge),
          client_(std::move(client)),
          server_(::socket(AF_INET, SOCK_STREAM, 0)),
          session_(
              id, {}, bridge.limits_,
              {*this, &bridge.events_, &bridge.transactions_, &bridge.plans_, &bridge.names_}) {}

    void run() {
        const sockaddr_in address = local(bridge_.server_);
        if (::connect(server_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0) {
            return;
        }
        const int on = 1;
        setsockopt(server_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(client_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        call([this] { session_.start({}, actions_); });
        call([this] { session_.on_dialled({}, actions_); });
        while (!over_ && !bridge_.ending_ && relay()) {
        }
        const std::lock_guard lock(bridge_.mutex_);
        session_.on_closed({});
    }

  private:
    void take(protocol::Note note, std::string_view /*detail*/) noexcept override {
        if (note == protocol::Note::fuse || note == protocol::Note::desynchronised) {
            ++bridge_.surprises_;
        }
    }

    void call(const std::function<void()>& ask) {
        bool held = false;
        {
            const std::lock_guard lock(bridge_.mutex_);
            actions_.clear();
            ask();
        }
        for (const Action& action : actions_) {
            if (action.kind == ActionKind::send) {
                send_all(action.to == Side::client ? client_ : server_, action.bytes);
            }
            held = held || action.kind == ActionKind::hold;
            wake_ = wake_ || action.kind == ActionKind::wake;
            over_ = over_ || action.kind == ActionKind::finish;
        }
        if (held) {
            call([this] { session_.on_released({}, actions_); });
        }
    }

    bool relay() {
        std::array<pollfd, 2> both{pollfd{client_.get(), POLLIN, 0},
                                   pollfd{server_.get(), POLLIN, 0}};
        constexpr int patience = 200;
        const int ready = ::poll(both.data(), both.size(), patience);
        if (ready < 0) {
            return false;
        }
        if (ready == 0 && std::exchange(wake_, false)) {
            call([this] { session_.on_woken({}, actions_); });
        }
        return take(Side::client, both[0]) && take(Side::server, both[1]);
    }

    bool take(Side from, const pollfd& descriptor) {
        if (descriptor.revents == 0) {
            return true;
        }
        const ssize_t size = ::recv(descriptor.fd, buffer_.data(), buffer_.size(), 0);
        if (size <= 0) {
            return false;
        }
        const Bytes all(buffer_.data(), static_cast<std::size_t>(size));
        const std::size_t step = bridge_.sliced_ ? 1 : all.size();
        for (std::size_t at = 0; at < all.size(); at += step) {
            // Bytes of their own, so that a view that is kept too long is caught.
            const std::vector<std::uint8_t> chunk(
                all.begin() + static_cast<std::ptrdiff_t>(at),
                all.begin() + static_cast<std::ptrdiff_t>(at + step));
            call([&] { session_.feed(from, chunk, {}, actions_); });
        }
        return true;
    }

    InstrumentBridge& bridge_;
    Descriptor client_;
    Descriptor server_;
    mysql::Session session_;
    protocol::Actions actions_;
    std::array<std::uint8_t, 65536> buffer_{};
    bool wake_ = false;
    bool over_ = false;
};

InstrumentBridge::InstrumentBridge(std::uint16_t server, sql::PlanSource& plans,
                                   history::EventSink& events)
    : server_(server),
      plans_(plans),
      events_(events),
      listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), SOMAXCONN) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        throw std::runtime_error("no port to listen on");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept(); });
}

InstrumentBridge::~InstrumentBridge() {
    ending_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void InstrumentBridge::accept() {
    while (!ending_) {
        Descriptor client(::accept(listener_.get(), nullptr, nullptr));
        if (!client) {
            return;
        }
        threads_.emplace_back(
            [this, id = history::SessionId{++sessions_}, client = std::move(client)]() mutable {
                Connection(*this, std::move(client), id).run();
            });
    }
}

}  // namespace isotap::test
