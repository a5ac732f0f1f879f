#include "proxy/tap/http_post.hpp"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proxy/tap/tls_receiver.hpp"

namespace isotap::proxy {
namespace {

using testing::TlsReceiver;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class HttpsPost : public ::testing::Test {
  protected:
    ~HttpsPost() override { unsetenv("SSL_CERT_FILE"); }
    void trust(const test::CertificateAuthority& authority) {
        setenv("SSL_CERT_FILE", authority.root().c_str(), 1);
    }

    test::TemporaryFolder folder_;
    test::CertificateAuthority authority_{folder_.path() / "ours"};
};

TEST_F(HttpsPost, GoesToWhomTheSystemTrusts) {
    trust(authority_);
    for (const char* host : {"localhost", "127.0.0.1"}) {
        TlsReceiver receiver(authority_.issue("localhost"));
        EXPECT_EQ(http_post(receiver.url(host), "{}", 10s), "");
        EXPECT_THAT(receiver.requests(), ElementsAre(StartsWith("POST /hook?a=1 HTTP/1.1")));
    }
}

TEST_F(HttpsPost, GoesToWhomTheNamedAuthoritySignedFor) {
    const test::CertificateAuthority other(folder_.path() / "others");
    trust(other);
    TlsReceiver receiver(authority_.issue("localhost"));
    EXPECT_EQ(http_post(receiver.url("localhost"), "{}", 10s, authority_.root()), "");
    EXPECT_EQ(receiver.requests().size(), 1U);
    EXPECT_NE(http_post(receiver.url("localhost"), "{}", 10s, "/no/such/file.pem"), "");
}

TEST_F(HttpsPost, DoesNotGoToWhomNobodySignedFor) {
    const test::CertificateAuthority other(folder_.path() / "others");
    trust(other);
    TlsReceiver receiver(authority_.issue("localhost"));
    EXPECT_THAT(http_post(receiver.url("localhost"), "{}", 10s), HasSubstr("certificate"));
    EXPECT_THAT(receiver.requests(), IsEmpty());
}

TEST_F(HttpsPost, DoesNotGoToSomebodyElse) {
    trust(authority_);
    TlsReceiver receiver(authority_.self_signed());  // trusted, and of another name
    EXPECT_THAT(http_post(receiver.url("localhost"), "{}", 10s), HasSubstr("certificate"));
    EXPECT_THAT(receiver.requests(), IsEmpty());
}

TEST(HttpPost, SaysWhyItFailed) {
    EXPECT_NE(http_post("http://127.0.0.1:1/", "{}", 5s), "");
    EXPECT_NE(http_post("https://127.0.0.1:1/", "{}", 5s), "");
    EXPECT_NE(http_post("http://", "{}", 5s), "");
    EXPECT_NE(http_post("http://[::1]:99999/x", "{}", 5s), "");
}

}  // namespace
}  // namespace isotap::proxy
