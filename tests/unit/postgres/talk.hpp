#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/session.hpp"
#include "protocol/sql/plan_source.hpp"

namespace isotap::postgres::test {

using namespace std::string_view_literals;  // texts with NULs, whose length nobody counts by hand
using protocol::Side;

/// A typed message: its byte, its length, its body. NULs of the body are written as they are
/// needed.
std::string message(char type, std::string_view body = {});
/// A start-up packet with a protocol version or request code, and `name\0value\0…` parameters.
std::string packet(std::uint32_t code, std::string_view parameters = {});
std::string startup(std::string_view parameters = "user\0app\0"sv);
/// What a server sends a client that needs no password.
std::string welcome();
std::string ready(char status = 'I');
std::string complete(std::string_view tag);
std::string error(std::string_view sql_state, std::string_view severity = "ERROR");
std::string query(std::string_view text);
std::string parse(std::string_view statement, std::string_view text);
std::string bind(std::string_view portal, std::string_view statement);
std::string execute(std::string_view portal);

inline constexpr std::uint32_t protocol_3_0 = 3U << 16U;
inline constexpr std::uint32_t ssl_request_code = 80877103;
inline constexpr std::uint32_t gss_request_code = 80877104;
inline constexpr std::uint32_t cancel_request_code = 80877102;

/// A session between a client and a server that are nothing but bytes: what each side was sent,
/// which events and notes there were, what the driver was asked to do.
class Talk : private history::EventSink, private protocol::NoteTaker {
  public:
    struct Setting {
        protocol::TlsRules tls;
        Limits limits;
        KnownLogin known{};
        bool observe = true;
        sql::PlanSource* plans = nullptr;  ///< set: statements are captured
        bool dial_fails = false;
        std::size_t slice = 0;  ///< feed at most so many bytes at once; 0: all
    };

    Talk() : Talk(Setting{}) {}
    explicit Talk(const Setting& setting);
    Talk(const Talk&) = delete;
    Talk& operator=(const Talk&) = delete;
    ~Talk() override;

    Talk& client(std::string_view bytes) { return feed(Side::client, bytes); }
    Talk& server(std::string_view bytes) { return feed(Side::server, bytes); }
    /// Start-up without a password, so that a test begins where it begins.
    Talk& begun();
    Talk& tls_started(Side leg, protocol::TlsFacts facts = {});
    Talk& tls_failed(Side leg);
    Talk& shut_down();
    /// What held the client is there; what it said meanwhile goes on.
    Talk& release();
    void close();

    std::string to_client;
    std::string to_server;
    std::vector<std::string> asked;   ///< dial, start_tls client, go_blind, finish …
    std::vector<std::string> events;  ///< one line each
    std::vector<std::string> notes;

    [[nodiscard]] protocol::Phase phase() const { return session_->phase(); }
    [[nodiscard]] bool blind() const { return blind_; }

  private:
    void accept(const history::Event& event) noexcept override;
    void take(protocol::Note note, std::string_view detail) noexcept override;
    Talk& feed(Side from, std::string_view bytes);
    void perform();

    Setting setting_;
    history::TransactionIds ids_{0, 0};
    history::Names names_{*this};
    std::string waiting_;  ///< said by the client while it was held
    bool held_ = false;
    protocol::Actions actions_;
    std::unique_ptr<Session> session_;
    bool blind_ = false;
    bool closed_ = false;
};

}  // namespace isotap::postgres::test
