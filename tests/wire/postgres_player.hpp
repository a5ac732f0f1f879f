#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/postgres_wire.hpp"
#include "tests/wire/wire_script.hpp"

namespace isotap::test {

/// What a conversation gave: one line per message and per end of a connection, in the order in
/// which the script read them.
using Transcript = std::vector<std::string>;

/// Plays scripts: as many connections as a script names, all to one place, and one more straight to
/// the server for what the script calls `control`. One script at a time, one thread.
class PostgresPlayer {
  public:
    /// `front` is where the script's clients connect; `server` is the server itself.
    /// `over_tls`: every connection of a client begins with a TLS handshake.
    PostgresPlayer(Endpoint front, Endpoint server, bool over_tls = false)
        : front_(std::move(front)), server_(std::move(server)), over_tls_(over_tls) {}

    /// Throws std::runtime_error, with the line of the script and the transcript so far, when the
    /// conversation goes another way than the script says.
    Transcript play(const WireScript& script);

  private:
    struct Connection {
        explicit Connection(const Endpoint& peer) : wire(peer) {}
        PostgresWire wire;
        std::string pending;  ///< messages that leave in the next segment
    };

    void perform(Step step);
    bool perform_reading(const Step& step);
    bool perform_ending(const Step& step);
    void start(const Step& step);
    void cancel(const Step& step);
    void control(const std::string& sql);
    void demand(const Step& step, bool wanted) const;

    Connection& current();
    void flush(Connection& connection);
    void read_until(char type, long count);
    void read_to_end();
    void read_rest();
    Frame read_one();
    void note(const Frame& frame);
    void note(const std::string& line);
    [[nodiscard]] std::string with_process_numbers(std::string text) const;

    Endpoint front_;
    Endpoint server_;
    bool over_tls_;
    std::map<std::string, std::unique_ptr<Connection>> connections_;
    std::unique_ptr<PostgresWire> control_;
    std::string name_;
    std::string ignored_;  ///< types of messages whose number nobody can foresee
    Transcript transcript_;
};

}  // namespace isotap::test
