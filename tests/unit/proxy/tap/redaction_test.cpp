#include "proxy/tap/redaction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using history::Dialect;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redaction, PutsAQuestionMarkInPlaceOfLiterals) {
    EXPECT_EQ(
        redacted("select a from t where b = 'secret' and c=42 and d < 1.5", Dialect::postgres),
        "select a from t where b = ? and c=? and d < ?");
    EXPECT_EQ(redacted("insert into t values ($$secret$$, E'x', $1)", Dialect::postgres),
              "insert into t values (?, ?, $1)");
    EXPECT_EQ(redacted("select \"a\", 0xFF, 'b' from `t`", Dialect::mysql),
              "select ?, ?, ? from `t`");
}

TEST(Redaction, DropsComments) {
    EXPECT_EQ(redacted("select /* card 4111 */ 1 -- secret\n from t", Dialect::postgres),
              "select ? from t");
}

TEST(Redaction, SaysNothingFromWhereItIsNotSure) {
    for (const Dialect dialect : {Dialect::postgres, Dialect::mysql}) {
        for (const char* text :
             {R"(select 'a\', secret, 'b')", "select 'open secret", R"(select E'a\'secret' from t)",
              "select /*!99999 secret */ 'x\\' secret '"}) {
            EXPECT_THAT(redacted(text, dialect), Not(HasSubstr("secret"))) << text;
        }
    }
}

}  // namespace
}  // namespace isotap::proxy
