// SCRAM on both legs, seen as a whole session: which message goes where, and what stops it.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/postgres/scram_peers.hpp"
#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

using protocol::Phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::uint8_t> our_hash(32, 0xab);

const std::string offer =
    message('R', std::string_view("\0\0\0\12SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0", 38));

std::string authentication(char code, std::string_view data = {}) {
    return message('R', std::string(3, '\0') + code + std::string(data));
}

std::string initial_response(std::string_view mechanism, std::string_view data) {
    return message('p', std::string(mechanism) + std::string(4, '\0') +
                            static_cast<char>(data.size()) + std::string(data));
}

std::string plus(std::string_view data) {
    return initial_response("SCRAM-SHA-256-PLUS", data);
}

Talk::Setting mirrored(std::size_t slice = 0) {
    Talk::Setting setting;
    setting.tls = {protocol::TlsPolicy::mirror, true, protocol::ServerTls::prefer};
    setting.known = {"app", "pencil"};
    setting.slice = slice;
    return setting;
}

/// A session in which the server waits for the client's first message.
class Login : public Talk {
  public:
    explicit Login(const Setting& setting = mirrored(), std::vector<std::uint8_t> hash = our_hash)
        : Talk(setting) {
        client(packet(ssl_request_code)).server("S");
        tls_started(Side::server).tls_started(Side::client, {false, false, std::move(hash)});
        client(startup()).server(offer);
        forget();
    }

    void forget() {
        to_client.clear();
        to_server.clear();
    }

    /// What the server was sent as message of SCRAM, without its frame.
    [[nodiscard]] std::string scram_to_server() const { return to_server.substr(5); }

    /// Goes on to where the client's proof is asked for.
    Login& challenged() {
        client(plus(bound.first()));
        server(authentication('\13', first()));
        forget();
        return *this;
    }

    /// And on to where the server's own proof is due.
    Login& proved() {
        challenged();
        client(message('p', bound.final_for(first())));
        return *this;
    }

    std::string first() { return peer.first_for("n,," + bound.first().substr(24)); }

    ScramClient bound{"pencil", our_hash};
    ScramServer peer{"pencil"};
};

TEST(ScramSession, PG06EProvesALoginOnBothLegs) {
    for (const std::size_t slice : {0U, 1U, 7U}) {
        Login login(mirrored(slice));
        login.client(plus(login.bound.first()));
        EXPECT_EQ(login.to_server,
                  initial_response("SCRAM-SHA-256", "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"));
        const std::string server_first = authentication('\13', login.first());
        login.server(server_first);
        EXPECT_EQ(login.to_client, server_first);
        login.forget();

        login.client(message('p', login.bound.final_for(login.first())));
        const std::string signature = login.peer.final_for(login.scram_to_server());
        ASSERT_NE(signature, "");
        login.server(authentication('\14', signature) + welcome());
        EXPECT_TRUE(login.bound.accepts(login.to_client.substr(9, 46)));
        EXPECT_THAT(login.to_client, HasSubstr(welcome()));
        EXPECT_THAT(login.notes, Contains("authenticated"));
        EXPECT_EQ(login.phase(), Phase::idle);

        login.forget();
        login.client(query("select 1")).server(complete("SELECT 1") + ready());
        EXPECT_EQ(login.to_server, query("select 1"));
        EXPECT_EQ(login.to_client, complete("SELECT 1") + ready());
    }
}

TEST(ScramSession, PG06EAWrongPasswordIsRefusedByTheServer) {
    Login login;
    login.challenged();
    ScramClient wrong("pencils", our_hash);
    login.client(message('p', wrong.final_for(login.first())));
    EXPECT_EQ(login.peer.final_for(login.scram_to_server()), "");
    EXPECT_THAT(login.notes, Contains("proof_refused"));
    login.server(error("28P01", "FATAL"));
    EXPECT_EQ(login.to_client, error("28P01", "FATAL"));
    EXPECT_THAT(login.asked, Not(Contains("finish")));
}

TEST(ScramSession, PG06EABindingToAnotherCertificateIsRefusedByTheServer) {
    Login login;
    login.challenged();
    ScramClient intercepted("pencil", std::vector<std::uint8_t>(32, 0xcd));
    login.client(message('p', intercepted.final_for(login.first())));
    EXPECT_EQ(login.peer.final_for(login.scram_to_server()), "");
    EXPECT_THAT(login.notes, Contains("proof_refused"));
}

TEST(ScramSession, PG06EWithoutTheSecretOfThatUserTheClientIsToldWhy) {
    Talk::Setting other = mirrored();
    other.known = {"somebody", "pencil"};
    Talk::Setting none = mirrored();
    none.known = {};
    Talk::Setting no_password = mirrored();
    no_password.known = {"app", ""};
    for (const auto& setting : {other, none, no_password}) {
        Login login(setting);
        login.client(plus(login.bound.first()));
        EXPECT_EQ(login.to_server, "");
        EXPECT_THAT(login.to_client, HasSubstr("SCRAM channel binding does not pass"));
        EXPECT_EQ(login.asked.back(), "finish");
    }
    Login unhashed(mirrored(), {});
    unhashed.client(plus(unhashed.bound.first()));
    EXPECT_EQ(unhashed.to_server, "") << "a certificate that nobody can bind to";
    EXPECT_EQ(unhashed.asked.back(), "finish");
}

TEST(ScramSession, OtherMechanismsPassUntouched) {
    Login login;
    const std::string unbound = initial_response("SCRAM-SHA-256", "n,,n=,r=abc");
    login.client(unbound).server(authentication('\13', "r=x")).client(message('p', "anything"));
    EXPECT_EQ(login.to_server, unbound + message('p', "anything"));
    EXPECT_EQ(login.to_client, authentication('\13', "r=x"));
    login.server(authentication('\14', "v=x") + welcome());
    EXPECT_EQ(login.phase(), Phase::idle);
}

TEST(ScramSession, AFirstMessageThatIsNoneIsLeftToTheServer) {
    const std::string first = Login().bound.first();
    for (std::size_t size = 0; size < first.size(); ++size) {
        const std::string_view part = std::string_view(first).substr(0, size);
        if (part.size() > 24 + 9) {
            break;  // a shorter nonce is one
        }
        Login login;
        login.client(plus(part));
        EXPECT_EQ(login.to_server, plus(part));
        login.server(error("08P01", "FATAL"));
        EXPECT_EQ(login.to_client, error("08P01", "FATAL"));
    }
    Login login;
    const std::string long_one =
        std::string(std::string_view("SCRAM-SHA-256-PLUS\0\0\0\0\xff", 23)) + "x";
    login.client(message('p', long_one));
    EXPECT_EQ(login.to_server, message('p', long_one)) << "a length beyond the message";
}

TEST(ScramSession, ATruncatedProofIsNone) {
    const std::string right = Login().challenged().bound.final_for(Login().first());
    for (std::size_t size = 0; size < right.size(); ++size) {
        Login login;
        login.challenged().client(message('p', right.substr(0, size)));
        EXPECT_EQ(login.peer.final_for(login.scram_to_server()), "");
        EXPECT_NE(login.to_server, "") << "the server must be made to refuse";
    }
}

TEST(ScramSession, AProofBeyondEveryBoundIsNone) {
    Talk::Setting setting = mirrored(1000);
    Login login(setting);
    const std::string right = login.challenged().bound.final_for(login.first());
    login.client(message('p', right + std::string(setting.limits.observed_message, 'x')));
    EXPECT_LT(login.to_server.size(), 200U);
    EXPECT_EQ(login.peer.final_for(login.scram_to_server()), "");
}

TEST(ScramSession, AServerThatMakesNoSenseIsRefused) {
    const std::string first = Login().first();
    for (std::size_t size = 0; size < first.size(); ++size) {
        if (first.substr(0, size).find(",i=4") != std::string::npos) {
            break;  // fewer digits are a number as well
        }
        Login login;
        login.client(plus(login.bound.first()))
            .server(authentication('\13', first.substr(0, size)));
        EXPECT_THAT(login.to_client, HasSubstr("isotap: SCRAM: ")) << size;
        EXPECT_EQ(login.asked.back(), "finish") << size;
    }
}

TEST(ScramSession, TooManyIterationsAreRefusedByTheirName) {
    Talk::Setting setting = mirrored();
    setting.limits.scram_iterations = 5'000;
    Login login(setting);
    login.peer = ScramServer("pencil", 5'001);
    login.client(plus(login.bound.first())).server(authentication('\13', login.first()));
    EXPECT_THAT(login.to_client, HasSubstr("limits.scram-iterations"));
    EXPECT_EQ(login.asked.back(), "finish");
}

TEST(ScramSession, AServerMayNotSkipItsOwnProof) {
    for (const std::string& skipping :
         {authentication('\0'), authentication('\3'), offer, ready(), query("?"), welcome(),
          authentication('\14'), authentication('\14', "v=AAAA"), message('R', "ab"),
          message('K', std::string(8, '\0')), message('S', std::string("a\0b\0", 4)),
          // Of another type, with the body of the message that is due:
          message('Z', std::string("\0\0\0\14v=AAAA", 10))}) {
        Login login;
        login.proved().server(skipping);
        EXPECT_THAT(login.to_client, HasSubstr("isotap: SCRAM: "));
        EXPECT_THAT(login.to_client, Not(HasSubstr(welcome())));
        EXPECT_EQ(login.asked.back(), "finish");
        EXPECT_THAT(login.notes, Not(Contains("authenticated")));
    }
}

TEST(ScramSession, AServerThatWelcomesAClientWithoutProofIsRefused) {
    Login login;
    login.challenged();
    ScramClient wrong("pencils", our_hash);
    login.client(message('p', wrong.final_for(login.first())));
    login.server(welcome());
    EXPECT_THAT(login.to_client, HasSubstr("isotap: SCRAM: "));
    EXPECT_THAT(login.notes, Not(Contains("authenticated")));
}

TEST(ScramSession, AClientThatAnswersOutOfTurnIsRefused) {
    Login hasty;
    hasty.client(plus(hasty.bound.first()) + message('p', "c=x"));
    EXPECT_THAT(hasty.to_client, HasSubstr("answers what nobody asked"));
    EXPECT_EQ(hasty.asked.back(), "finish");

    Login twice;
    twice.proved();
    const std::string sent = twice.to_server;
    twice.client(message('p', twice.bound.final_for(twice.first())));
    EXPECT_EQ(twice.to_server, sent);
    EXPECT_EQ(twice.asked.back(), "finish");
}

TEST(ScramSession, WordsOfTheServerInBetweenPass) {
    Login login;
    login.client(plus(login.bound.first()));
    const std::string notice = message('N', std::string("SNOTICE\0\0", 9));
    login.server(notice + authentication('\13', login.first()));
    EXPECT_EQ(login.to_client, notice + authentication('\13', login.first()));
}

}  // namespace
}  // namespace isotap::postgres::test
