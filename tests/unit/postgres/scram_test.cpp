#include "protocol/postgres/scram.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/postgres/scram_peers.hpp"

namespace isotap::postgres::scram {
namespace {

using test::ScramClient;
using test::ScramServer;
using Stage = Exchange::Stage;

const std::vector<std::uint8_t> our_hash(32, 0xab);
const std::vector<std::uint8_t> other_hash(32, 0xac);
constexpr std::size_t iterations_max = 10'000;

const std::string vector_server_first =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
const std::string vector_client_final =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";
const std::string vector_server_final = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";

/// What a server gets whose client did not prove itself: no key is in it.
const std::string no_proof =
    "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
    "p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// An exchange that waits for the client's proof.
Exchange asked(const ScramClient& client) {
    Exchange exchange("pencil", our_hash, iterations_max);
    exchange.on_client_first(client.first());
    EXPECT_TRUE(exchange.on_server_first(vector_server_first));
    return exchange;
}

TEST(Scram, OurLegIsTheExchangeOfRfc7677) {
    ScramClient client("pencil", our_hash);
    Exchange exchange("pencil", our_hash, iterations_max);
    EXPECT_EQ(exchange.on_client_first(client.first()), "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
    const auto server_first = exchange.on_server_first(vector_server_first);
    ASSERT_TRUE(server_first);
    EXPECT_EQ(*server_first, vector_server_first);
    EXPECT_EQ(exchange.on_client_final(client.final_for(*server_first)), vector_client_final);
    EXPECT_EQ(exchange.verdict(), Verdict::holds);
    const auto server_final = exchange.on_server_final(vector_server_final);
    ASSERT_TRUE(server_final);
    EXPECT_TRUE(client.accepts(*server_final));
    EXPECT_NE(*server_final, vector_server_final) << "each leg has a signature of its own";
    EXPECT_EQ(exchange.stage(), Stage::done);
}

TEST(Scram, AnyPasswordAndIterationCountThatBothEndsAgreeOn) {
    for (const std::uint32_t iterations : {1U, 4096U, 10'000U}) {
        const std::string password = "pass,=\x01 word\x7f";
        ScramClient client(password, our_hash);
        ScramServer server(password, iterations);
        Exchange exchange(password, our_hash, iterations_max);
        const std::string first = server.first_for(exchange.on_client_first(client.first()));
        ASSERT_TRUE(exchange.on_server_first(first));
        const std::string signature =
            server.final_for(exchange.on_client_final(client.final_for(first)));
        ASSERT_NE(signature, "");
        EXPECT_TRUE(client.accepts(*exchange.on_server_final(signature)));
    }
}

TEST(Scram, AWrongPasswordGetsNoKeySent) {
    ScramClient client("pencils", our_hash);
    Exchange exchange = asked(client);
    EXPECT_EQ(exchange.on_client_final(client.final_for(vector_server_first)), no_proof);
    EXPECT_EQ(exchange.verdict(), Verdict::wrong_proof);
}

TEST(Scram, ABindingToAnotherCertificateGetsNoKeySent) {
    for (const auto& hash : {other_hash, {}, std::vector<std::uint8_t>(31, 0xab)}) {
        ScramClient client("pencil", hash);
        Exchange exchange = asked(client);
        EXPECT_EQ(exchange.on_client_final(client.final_for(vector_server_first)), no_proof);
        EXPECT_EQ(exchange.verdict(), Verdict::other_certificate);
    }
}

TEST(Scram, AClientThatLeavesItsBindingOutGetsNoKeySent) {
    Exchange exchange = asked({"pencil", our_hash});
    EXPECT_EQ(exchange.on_client_final(vector_client_final), no_proof)
        << "its proof is right for the server, but it promised a binding";
    EXPECT_EQ(exchange.verdict(), Verdict::other_certificate);
}

TEST(Scram, AForeignNonceGetsNoKeySent) {
    ScramClient client("pencil", our_hash);
    Exchange exchange = asked(client);
    EXPECT_EQ(exchange.on_client_final(client.final_for("r=rOpr,s=AAAA,i=1")), no_proof);
    EXPECT_EQ(exchange.verdict(), Verdict::foreign_nonce);
}

TEST(Scram, EveryDamageToTheProofIsFound) {
    ScramClient client("pencil", our_hash);
    const std::string right = client.final_for(vector_server_first);
    for (std::size_t at = 0; at < right.size(); ++at) {
        std::string damaged = right;
        damaged[at] = damaged[at] == 'A' ? 'B' : 'A';
        Exchange exchange = asked(client);
        EXPECT_EQ(exchange.on_client_final(damaged), no_proof) << damaged;
        Exchange cut = asked(client);
        EXPECT_EQ(cut.on_client_final(right.substr(0, at)), no_proof) << at;
    }
}

TEST(Scram, AClientFirstOfAnotherKindIsLeftToTheServer) {
    Exchange exchange("pencil", our_hash, iterations_max);
    EXPECT_EQ(exchange.on_client_first("p=tls-unique,,n=,r=abc"), "");
    EXPECT_EQ(exchange.stage(), Stage::client_first);
}

TEST(Scram, AServerFirstThatDoesNotFitIsRefused) {
    const std::pair<std::string, Failure> cases[] = {
        {"r=somebodyelse,s=AAAA,i=4096", Failure::foreign_nonce},
        {"r=rOprNGfwEbeRWgbNEkqO,s=AAAA,i=4096", Failure::foreign_nonce},
        {"r=rOprNGfwEbeRWgbNEkqO%,s=AAAA,i=10001", Failure::too_many_iterations},
        {"r=rOprNGfwEbeRWgbNEkqO%,s=AAAA,i=0", Failure::malformed},
        {"e=other-error", Failure::malformed},
        {"", Failure::malformed},
    };
    for (const auto& [text, failure] : cases) {
        Exchange exchange("pencil", our_hash, iterations_max);
        exchange.on_client_first(ScramClient("pencil", our_hash).first());
        const auto passed = exchange.on_server_first(text);
        ASSERT_FALSE(passed) << text;
        EXPECT_EQ(passed.error(), failure) << text;
    }
}

TEST(Scram, AServerThatDoesNotKnowThePasswordIsRefused) {
    ScramClient client("pencil", our_hash);
    for (std::size_t at = 0; at <= vector_server_final.size(); ++at) {
        Exchange exchange = asked(client);
        exchange.on_client_final(client.final_for(vector_server_first));
        std::string said = vector_server_final.substr(0, at);
        if (at == vector_server_final.size()) {
            said[5] = said[5] == 'A' ? 'B' : 'A';
        }
        const auto passed = exchange.on_server_final(said);
        ASSERT_FALSE(passed) << said;
        EXPECT_EQ(passed.error(),
                  at == vector_server_final.size() ? Failure::wrong_signature : Failure::malformed);
    }
}

TEST(Scram, AServerThatIsContentWithNoProofIsRefused) {
    ScramClient client("pencils", our_hash);
    for (const std::string& said :
         {vector_server_final, std::string("v=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")}) {
        Exchange exchange = asked(client);
        exchange.on_client_final(client.final_for(vector_server_first));
        EXPECT_FALSE(exchange.on_server_final(said));
    }
}

}  // namespace
}  // namespace isotap::postgres::scram
