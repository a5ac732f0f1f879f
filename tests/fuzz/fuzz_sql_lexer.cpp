// Any bytes, under any setting: tokens stay within the text, in order, and end; statements are
// parts of the text; transaction control views into it.
#include <cstdint>
#include <cstdlib>

#include "isotap/base/bytes.hpp"

#include "protocol/sql/statement_splitter.hpp"
#include "protocol/sql/transaction_control.hpp"
#include "tests/fuzz/sql_input.hpp"

namespace {

namespace sql = isotap::sql;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

bool within(std::string_view part, std::string_view whole) {
    return part.empty() || (part.data() >= whole.data() &&
                            part.data() + part.size() <= whole.data() + whole.size());
}

void cut(std::string_view text, const sql::LexerState& state) {
    sql::Lexer lexer(text, state);
    std::uint32_t at = 0;
    bool sure = true;
    for (sql::Token token = lexer.next(); !token.is(sql::TokenKind::end); token = lexer.next()) {
        require(at <= token.begin && token.begin <= token.end && token.end <= text.size());
        require(token.begin < token.end || token.is(sql::TokenKind::broken));
        require(sure || !lexer.sure());
        sure = lexer.sure();
        at = token.end;
        if (token.is(sql::TokenKind::broken)) {
            require(!lexer.sure() && token.end == text.size());
            break;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = sql::fuzz_input({data, size});
    cut(input.text, input.state);
    sql::StatementSplitter splitter(input.text, input.state);
    sql::StatementSpan statement;
    const char* at = input.text.data();
    while (splitter.next(statement)) {
        require(within(statement.text, input.text) && statement.text.data() >= at);
        at = statement.text.data() + statement.text.size();
        const auto control = sql::read_transaction_control(statement.text, input.state);
        require(within(control.name, statement.text));
    }
    return 0;
}
