// SCRAM on both legs between a client and a server whose messages are damaged on the way, and the
// reading of the messages alone. What must hold: the server never gets a proof that it takes unless
// the client gave one that holds, and the client never gets a signature unless the server gave one.
#include <cstdlib>
#include <string>

#include "protocol/postgres/scram.hpp"
#include "tests/unit/postgres/scram_peers.hpp"

namespace {

using isotap::postgres::scram::Exchange;
using isotap::postgres::scram::Verdict;
using isotap::postgres::test::ScramClient;
using isotap::postgres::test::ScramServer;

constexpr std::uint32_t iterations = 2;
constexpr std::size_t iterations_max = 4;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void read_as_everything(std::string_view text) {
    namespace scram = isotap::postgres::scram;
    scram::ClientFirst::decode(text);
    scram::ServerFirst::decode(text);
    scram::ClientFinal::decode(text);
    scram::ServerFinal::decode(text);
    if (const auto bytes = scram::from_base64(text)) {
        require(scram::to_base64(*bytes).size() == text.size());
    }
}

/// Four bytes of the input: what to do to a message. Without input nothing is done.
class Damage {
  public:
    explicit Damage(std::string_view input) : rest_(input) {}

    std::string operator()(std::string text) {
        if (rest_.size() < 4) {
            return text;
        }
        const auto kind = static_cast<unsigned char>(rest_[0]) % 5U;
        const std::size_t at = static_cast<unsigned char>(rest_[1]) % (text.size() + 1);
        const char letter = rest_[2];
        const std::size_t size = static_cast<unsigned char>(rest_[3]);
        rest_.remove_prefix(4);
        switch (kind) {
            case 1:
                if (at < text.size()) {
                    text[at] = letter;
                }
                return text;
            case 2: return text.insert(at, size % 8, letter);
            case 3: return text.erase(at, size);
            case 4: {
                const std::size_t taken = std::min(size, rest_.size());
                std::string other(rest_.substr(0, taken));
                rest_.remove_prefix(taken);
                return other;
            }
            default: return text;
        }
    }

  private:
    std::string_view rest_;
};

void exchange_with(Damage damage, bool right_password) {
    const std::vector<std::uint8_t> hash(32, 7);
    ScramClient client(right_password ? "pencil" : "pen", hash);
    ScramServer server("pencil", iterations);
    Exchange exchange("pencil", hash, iterations_max);

    const std::string opened = exchange.on_client_first(damage(client.first()));
    if (opened.empty()) {
        require(exchange.stage() == Exchange::Stage::client_first);
        return;
    }
    const std::string server_first = server.first_for(opened);
    const auto passed = exchange.on_server_first(damage(server_first));
    if (!passed) {
        return;
    }
    const std::string proof = exchange.on_client_final(damage(client.final_for(server_first)));
    const std::string signature = server.final_for(proof);
    const bool holds = exchange.verdict() == Verdict::holds;
    require(signature.empty() || (holds && right_password));
    const std::string said =
        damage(signature.empty() ? "v=" + std::string(43, 'A') + "=" : signature);
    const auto welcome = exchange.on_server_final(said);
    require(!welcome || (!signature.empty() && holds));
    require(!welcome || exchange.stage() == Exchange::Stage::done);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) {
        return 0;
    }
    const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
    if ((data[0] & 2U) != 0) {
        read_as_everything(input);
    } else {
        exchange_with(Damage(input), (data[0] & 1U) != 0);
    }
    return 0;
}
