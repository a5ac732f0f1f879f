#include "protocol/postgres/scram_message.hpp"

#include <string>

#include <gtest/gtest.h>

namespace isotap::postgres::scram {
namespace {

using namespace std::literals;

const std::string digest_base64 = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

TEST(ScramCrypto, Base64IsTakenWholeOrNotAtAll) {
    for (const std::string& text : {""s, "AA=="s, "AAA="s, "AAAA"s, "+/+/"s, digest_base64}) {
        const auto bytes = from_base64(text);
        ASSERT_TRUE(bytes) << text;
        EXPECT_EQ(to_base64(*bytes), text);
    }
    EXPECT_EQ(from_base64("AAE=")->size(), 2U);
    for (const std::string& text :
         {"A"s, "AA"s, "AAA"s, "===="s, "A==="s, "AA=A"s, "=AAA"s, "AA\n="s, " AAA"s, "AAA "s,
          "AA-_"s, "AAAAA"s, "AAA\0"s, "AAAA\xc3\xa4=="s}) {
        EXPECT_FALSE(from_base64(text)) << text;
    }
}

TEST(ScramCrypto, EqualMeansEveryByteAndTheLength) {
    EXPECT_TRUE(equal(as_bytes("same"), as_bytes("same")));
    EXPECT_FALSE(equal(as_bytes("same"), as_bytes("samf")));
    EXPECT_FALSE(equal(as_bytes("same"), as_bytes("sam")));
    EXPECT_TRUE(equal({}, {}));
    EXPECT_FALSE(Digest::of(as_bytes("too short")));
}

TEST(ScramMessage, ClientFirstBindsToTheCertificate) {
    const auto said = ClientFirst::decode("p=tls-server-end-point,,n=,r=abc");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->bare, "n=,r=abc");
    EXPECT_EQ(said->nonce, "abc");
    EXPECT_EQ(ClientFirst::decode("p=tls-server-end-point,,n=a=2Cb,r=abc,x=ignored")->nonce, "abc");
}

TEST(ScramMessage, OtherClientFirstsAreNotOurs) {
    for (const std::string& text :
         {""s, "n,,n=,r=abc"s, "y,,n=,r=abc"s, "p=tls-unique,,n=,r=abc"s,
          "p=tls-server-end-point,a=other,n=,r=abc"s, "p=tls-server-end-point,,"s,
          "p=tls-server-end-point,,n="s, "p=tls-server-end-point,,n=,"s,
          "p=tls-server-end-point,,n=,r="s, "p=tls-server-end-point,,r=abc"s,
          "p=tls-server-end-point,,m=,n=,r=abc"s, "p=tls-server-end-point,,n=,r=a c"s,
          "p=tls-server-end-point,,n=,r=a\0c"s, "p=tls-server-end-point,,n=,r=\xc3\xa4"s,
          "p=tls-server-end-point,,n=,r=" + std::string(message_bytes_max, 'x')}) {
        EXPECT_FALSE(ClientFirst::decode(text)) << text;
    }
}

TEST(ScramMessage, ServerFirst) {
    const auto said = ServerFirst::decode("r=abcdef,s=AAAA,i=4096");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->nonce, "abcdef");
    EXPECT_EQ(said->salt.size(), 3U);
    EXPECT_EQ(said->iterations, 4096U);
    for (const std::string& text : {""s,
                                    "r=abc"s,
                                    "r=abc,s=AAAA"s,
                                    "r=abc,s=AAAA,i="s,
                                    "r=abc,s=,i=1"s,
                                    "r=,s=AAAA,i=1"s,
                                    "s=AAAA,r=abc,i=1"s,
                                    "r=abc,s=AAA,i=1"s,
                                    "r=abc,s=AAAA,i=0"s,
                                    "r=abc,s=AAAA,i=-1"s,
                                    "r=abc,s=AAAA,i=+1"s,
                                    "r=abc,s=AAAA,i= 1"s,
                                    "r=abc,s=AAAA,i=1x"s,
                                    "r=abc,s=AAAA,i=2147483648"s,
                                    "r=abc,s=AAAA,i=99999999999"s,
                                    "r=abc,s=AAAA,i=1,"s,
                                    "r=abc,s=AAAA,i=1,x=1"s,
                                    "m=x,r=abc,s=AAAA,i=1"s,
                                    "r=abc,s=AAAA,i=1\0"s,
                                    "r=" + std::string(message_bytes_max, 'x') + ",s=AAAA,i=1"}) {
        EXPECT_FALSE(ServerFirst::decode(text)) << text;
    }
}

TEST(ScramMessage, ClientFinal) {
    const std::string right = "c=AAAA,r=abc,p=" + digest_base64;
    const auto said = ClientFinal::decode(right);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->without_proof, "c=AAAA,r=abc");
    EXPECT_EQ(said->binding.size(), 3U);
    EXPECT_EQ(said->nonce, "abc");
    const std::string extended = "c=AAAA,r=abc,x=1,p=" + digest_base64;
    EXPECT_EQ(ClientFinal::decode(extended)->without_proof, "c=AAAA,r=abc,x=1");
    for (const std::string& text :
         {""s, "c=AAAA,r=abc"s, "c=AAAA,r=abc,p="s, "c=AAAA,r=abc,p=AAAA"s,
          "c=AAAA,p=" + digest_base64, "r=abc,c=AAAA,p=" + digest_base64,
          "c=AAA,r=abc,p=" + digest_base64, "c=,r=abc,p=" + digest_base64,
          "c=AAAA,r=,p=" + digest_base64, "c=AAAA,r=abc,p=" + digest_base64 + ",x=1",
          "c=AAAA,r=abc,p=" + digest_base64 + "AAAA", ",p=" + digest_base64,
          "c=AAAA,r=a\0c,p="s + digest_base64,
          "c=AAAA,r=" + std::string(message_bytes_max, 'x') + ",p=" + digest_base64}) {
        EXPECT_FALSE(ClientFinal::decode(text)) << text;
    }
}

TEST(ScramMessage, ServerFinal) {
    EXPECT_TRUE(ServerFinal::decode("v=" + digest_base64));
    for (const std::string& text : {""s, "v="s, "v=AAAA"s, "e=other-error"s, digest_base64,
                                    "v=" + digest_base64 + ",", "v=" + digest_base64 + ",x=1"}) {
        EXPECT_FALSE(ServerFinal::decode(text)) << text;
    }
}

}  // namespace
}  // namespace isotap::postgres::scram
