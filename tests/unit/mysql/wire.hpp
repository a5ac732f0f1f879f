#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/events.hpp"
#include "isotap/protocol/note.hpp"

#include "protocol/mysql/session.hpp"

namespace isotap::mysql::test {

/// Writes every event down as a line of text. Transactions are numbered as they come.
class EventLog final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override;
    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

  private:
    std::vector<std::string> lines_;
};

class NoteLog final : public protocol::NoteTaker {
  public:
    void take(protocol::Note note, std::string_view /*detail*/) noexcept override {
        notes.push_back(note);
    }
    std::vector<protocol::Note> notes;
};

/// A session between two ends that are texts: what the driver of the proxy does, in memory.
class Wire {
  public:
    explicit Wire(const protocol::TlsRules& rules = {}, const Limits& limits = {});

    void from_client(std::string_view bytes) { feed(protocol::Side::client, bytes); }
    void from_server(std::string_view bytes) { feed(protocol::Side::server, bytes); }
    void feed(protocol::Side from, std::string_view bytes);
    void dialled();
    void dial_failed(std::string_view why,
                     protocol::DialFailure::Kind kind = protocol::DialFailure::Kind::unreachable);
    void tls_failed(protocol::Side leg);
    void shut_down();
    void close();

    /// Greeting, response and OK with the same capabilities on both ends; then forgets what passed.
    void log_in(Capabilities capabilities, std::string_view version = "8.0.36");

    /// One command and its reply.
    void exchange(std::string_view command, std::string_view reply);

    [[nodiscard]] const std::vector<std::string>& events() const noexcept { return log_.lines(); }
    [[nodiscard]] const std::vector<protocol::Note>& notes() const noexcept { return notes_.notes; }
    [[nodiscard]] protocol::Phase phase() const noexcept { return session_.phase(); }

    std::string to_client;
    std::string to_server;
    std::vector<std::string> other_actions;  ///< dial, start_tls …, as words
    bool blind = false;
    protocol::TlsFacts tls_facts;  ///< of every TLS handshake

  private:
    void perform();

    Limits limits_;
    EventLog log_;
    NoteLog notes_;
    history::TransactionIds ids_{0, 0};
    Session session_;
    protocol::Actions actions_;
};

}  // namespace isotap::mysql::test
