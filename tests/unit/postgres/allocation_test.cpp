// The forward path allocates nothing: counted, not believed. In a program of its own, because it
// replaces operator new.
#include <string>

#include <gtest/gtest.h>

#include "protocol/postgres/session.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

class Deaf : public protocol::NoteTaker {
    void take(protocol::Note /*note*/, std::string_view /*detail*/) noexcept override {}
};

TEST(Allocation, NoneForAMessageThatPasses) {
    const std::string simple = query("select abalance from accounts where aid = 7");
    const std::string extended =
        bind("", "P0_1") + message('D', "P\0"sv) + execute("") + message('S');
    const std::string row = message('D', std::string(1000, 'x'));
    const std::string rows =
        message('T', "columns") + row + row + row + complete("SELECT 3") + ready();
    const std::string bound = message('2') + rows;

    Deaf notes;
    const Limits limits;
    Session session(history::SessionId{1}, {}, limits, {notes});
    protocol::Actions actions;
    const auto feed = [&](Side from, const std::string& bytes, std::size_t slice) {
        for (std::size_t at = 0; at < bytes.size(); at += slice) {
            session.feed(from, as_bytes(bytes).subspan(at, std::min(slice, bytes.size() - at)),
                         Time{}, actions);
            actions.clear();
        }
    };
    session.feed(Side::client, as_bytes(startup()), Time{}, actions);
    session.on_dialled(Time{}, actions);
    feed(Side::server, welcome(), 1000);
    const auto round_trips = [&](std::size_t slice) {
        feed(Side::client, simple, slice);
        feed(Side::server, rows, slice);
        feed(Side::client, extended, slice);
        feed(Side::server, bound, slice);
    };
    round_trips(100'000);
    round_trips(7);  // everything has grown to its working size now

    const std::size_t before = counted_allocations();
    for (int i = 0; i < 1000; ++i) {
        round_trips(100'000);
        round_trips(7);
    }
    EXPECT_EQ(counted_allocations() - before, 0U);
    EXPECT_EQ(session.phase(), protocol::Phase::idle);
}

}  // namespace
}  // namespace isotap::postgres::test
