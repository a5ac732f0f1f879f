#include "tests/support/gate.hpp"

#include <array>
#include <string>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

/// A server that sends back what it gets, as a process: `socat` from the package list.
class Echo {
  public:
    Echo() {
        const std::string line = process_.wait_for_line("listening on");
        port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
    }
    [[nodiscard]] Endpoint endpoint() const { return {.port = port_}; }

  private:
    Process process_{
        {.arguments = {"socat", "-d", "-d", "TCP-LISTEN:0,bind=127.0.0.1,fork", "EXEC:cat"}}};
    std::uint16_t port_ = 0;
};

std::string read_all(Stream& stream) {
    std::string all;
    std::array<std::uint8_t, 1024> chunk{};
    while (const std::size_t n = stream.receive(chunk)) {
        all.append(as_text(Bytes(chunk).first(n)));
    }
    return all;
}

std::string echoed(const Gate& gate, const std::string& text) {
    Stream client({.port = gate.port()});
    client.send(text);
    client.end_sending();
    return read_all(client);
}

class GateTest : public testing::Test {
  protected:
    Echo echo;
    const std::string text = std::string(20'000, 'x') + "end";
};

TEST_F(GateTest, PassesEverythingAndTheEnd) {
    const Gate gate(echo.endpoint());
    EXPECT_EQ(echoed(gate, text), text);
    EXPECT_EQ(gate.bytes_to_server(), text.size());
    EXPECT_EQ(gate.accepted(), 1U);
}

TEST_F(GateTest, SlicesAndMergesWithoutChange) {
    const Gate slicing(echo.endpoint(), {.to_server = {.slice = 1}, .to_client = {.slice = 1}});
    EXPECT_EQ(echoed(slicing, text), text);
    const LanePlan late{.hold = std::chrono::milliseconds(2)};
    const Gate merging(echo.endpoint(), {.to_server = late, .to_client = late});
    EXPECT_EQ(echoed(merging, text), text);
}

TEST_F(GateTest, ResetsAfterTheGivenByte) {
    const Gate gate(echo.endpoint(), {.to_server = {.reset_after = 5}});
    Stream client({.port = gate.port()});
    client.send("123456789");
    read_all(client);
    EXPECT_TRUE(client.was_reset());
    EXPECT_EQ(gate.bytes_to_server(), 5U);
}

TEST_F(GateTest, StopsReadingUntilThePlanChanges) {
    Gate gate(echo.endpoint(), {.to_server = {.stop_reading_after = 3}});
    Stream client({.port = gate.port()});
    client.send("abcdef");
    client.end_sending();
    std::array<std::uint8_t, 16> chunk{};
    std::string got;
    while (got.size() < 3) {
        got.append(as_text(Bytes(chunk).first(client.receive(chunk))));
    }
    EXPECT_EQ(got, "abc");
    client.set_patience(std::chrono::milliseconds(50));
    EXPECT_THROW(client.receive(chunk), TimeRanOut);
    client.set_patience(std::chrono::seconds(10));
    gate.set_plan({});
    EXPECT_EQ(read_all(client), "def");
}

}  // namespace
}  // namespace isotap::test
