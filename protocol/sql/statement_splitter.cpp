#include "protocol/sql/statement_splitter.hpp"

#include <cstddef>

namespace isotap::sql {
namespace {

/// Watches the tokens of one statement for a body that holds semicolons of its own.
class BodyWatch {
  public:
    explicit BodyWatch(Dialect dialect) noexcept : dialect_(dialect) {}

    void see(const Token& token, std::size_t ordinal) noexcept {
        if (ordinal == 0) {
            first_ = token.keyword;
        }
        if (dialect_ == Dialect::mysql) {
            see_mysql(token, ordinal);
        } else {
            see_postgres(token);
        }
        previous_ = token.keyword;
    }

    /// A semicolon here ends the statement.
    [[nodiscard]] bool outside() const noexcept { return parens_ == 0 && depth_ == 0; }
    /// Only the server knows where the statement ends.
    [[nodiscard]] bool lost() const noexcept { return lost_; }

  private:
    /// CREATE RULE puts its actions into parentheses, a body of SQL stands in BEGIN ATOMIC … END.
    void see_postgres(const Token& token) noexcept {
        if (token.is(TokenKind::open_paren)) {
            ++parens_;
        } else if (token.is(TokenKind::close_paren)) {
            parens_ -= parens_ > 0 ? 1 : 0;
        } else if (first_ == Keyword::create && previous_ == Keyword::begin &&
                   token.is(Keyword::atomic)) {
            ++depth_;
        } else if (depth_ > 0 && token.is(Keyword::case_)) {
            ++depth_;
        } else if (depth_ > 0 && token.is(Keyword::end)) {
            --depth_;
        }
    }

    void see_mysql(const Token& token, std::size_t ordinal) noexcept {
        switch (token.keyword) {
            case Keyword::procedure:
            case Keyword::function:
            case Keyword::trigger:
            case Keyword::event:
            case Keyword::package:
                // Behind CREATE stand OR REPLACE, DEFINER = …, AGGREGATE; never the name.
                lost_ = lost_ || ((first_ == Keyword::create || first_ == Keyword::alter) &&
                                  ordinal < definer_words);
                break;
            case Keyword::not_: lost_ = lost_ || (ordinal == 1 && first_ == Keyword::begin); break;
            case Keyword::if_:
            case Keyword::case_:
            case Keyword::loop:
            case Keyword::repeat:
            case Keyword::while_:
            case Keyword::for_:
            case Keyword::declare: lost_ = lost_ || ordinal == 0; break;
            default: break;
        }
    }

    static constexpr std::size_t definer_words = 12;

    Dialect dialect_;
    Keyword first_ = Keyword::none;
    Keyword previous_ = Keyword::none;
    std::size_t parens_ = 0;
    std::size_t depth_ = 0;
    bool lost_ = false;
};

}  // namespace

bool StatementSplitter::next(StatementSpan& statement) noexcept {
    Token token = lexer_.next();
    while (token.is(TokenKind::semicolon)) {
        region_ = token.end;
        token = lexer_.next();
    }
    if (token.is(TokenKind::end)) {
        return false;
    }
    std::size_t begin = token.begin;
    std::size_t end = token.end;
    bool in_comment = lexer_.in_executable_comment();
    BodyWatch watch(dialect_);
    for (std::size_t ordinal = 0; !token.is(TokenKind::end); ++ordinal) {
        if (token.is(TokenKind::semicolon) && watch.outside() && !watch.lost()) {
            break;
        }
        watch.see(token, ordinal);
        end = token.end;
        token = lexer_.next();
        in_comment = in_comment || lexer_.in_executable_comment();
    }
    if (in_comment) {
        begin = region_;
        end = token.begin;
    }
    region_ = token.end;
    statement.text = text_.substr(begin, end - begin);
    const bool body = watch.lost() && statement.text.find(';') != std::string_view::npos;
    statement.sure = lexer_.sure() && !body && !lexer_.in_executable_comment();
    return true;
}

}  // namespace isotap::sql
