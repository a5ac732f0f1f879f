#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/names.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/protocol/note.hpp"

#include "protocol/postgres/session.hpp"
#include "protocol/sql/plan_source.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {

/// Where captured clients of one test report to, as the sessions of one relay thread would.
struct Capture {
    Capture(history::EventSink& sink, sql::PlanSource& source)
        : events(sink), names(sink), plans(source) {}

    history::EventSink& events;
    history::Names names;
    history::TransactionIds transactions{0, 0};
    sql::PlanSource& plans;
    Limits limits;
    std::uint64_t sessions = 0;
};

/// A raw client of a real server behind a session that captures its statements, without sockets
/// between the two: what the client sends and is sent is exactly what the session makes of it.
class CapturedClient : private protocol::NoteTaker {
  public:
    /// `slice`: bytes of the server that the session is fed at once; 0: as they come.
    CapturedClient(const Endpoint& server, Capture& capture, std::size_t slice = 0);
    ~CapturedClient() override;
    CapturedClient(const CapturedClient&) = delete;
    CapturedClient& operator=(const CapturedClient&) = delete;

    void start(const Parameters& parameters);
    void send(std::string_view bytes);

    /// Messages up to and with the n-th ReadyForQuery.
    std::vector<Frame> read_ready(int count = 1);
    std::vector<Frame> query(std::string_view sql) {
        send(query_message(sql));
        return read_ready();
    }

    /// What the session wanted its operator to know, but that the client logged in.
    std::vector<std::string> notes;

  private:
    void take(protocol::Note note, std::string_view detail) noexcept override;
    void feed(protocol::Side from, std::string_view bytes);
    void perform();
    [[nodiscard]] bool take_frame(Frame& frame);

    Stream server_;
    std::size_t slice_;
    protocol::Actions actions_;
    postgres::Session session_;
    std::string to_client_;
};

}  // namespace isotap::test
