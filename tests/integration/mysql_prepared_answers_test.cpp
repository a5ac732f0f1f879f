// Statements that are prepared, and what is asked behind them: what generated statements have found
// to differ. Packet by packet with the server and through an isotap that captures.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

constexpr std::uint8_t stmt_prepare = 0x16;
constexpr std::uint8_t stmt_execute = 0x17;
constexpr std::uint8_t stmt_close = 0x19;

/// A client, and all that it has been told. Statements that it prepares stay open.
class Client {
  public:
    explicit Client(const Endpoint& place) : wire_(place) {
        wire_.log_in();
        query("use shop");
    }

    void query(std::string_view text) { take(text, wire_.query(text)); }

    /// The number of the statement, as the protocol has it.
    std::string prepare(std::string_view text) {
        auto reply = wire_.command(stmt_prepare, text);
        std::string number = reply.front().payload.substr(1, 4);
        if (reply.front().head() == 0) {
            reply.front().payload.replace(1, 4, "####");  // MariaDB counts those of all sessions
        }
        take(text, reply);
        return number;
    }

    void execute(const std::string& number, bool with_cursor = false) {
        take("execute", wire_.command(stmt_execute,
                                      number + (with_cursor ? '\1' : '\0') + mysql_number(1, 4)));
    }

    void close(const std::string& number) { wire_.command(stmt_close, number); }

    [[nodiscard]] const std::vector<std::string>& told() const noexcept { return told_; }

  private:
    void take(std::string_view what, const std::vector<MysqlPacket>& reply) {
        for (const MysqlPacket& packet : reply) {
            told_.push_back(std::string(what) + ": " + packet.payload);
        }
    }

    MysqlWire wire_;
    std::vector<std::string> told_;
};

class MysqlPreparedAnswers : public MysqlTruth {
  protected:
    using Talk = void (*)(Client&);

    void expect_same(Talk talk) {
        client_.reset();
        make_tables(there());
        Client direct({.port = there().port()});
        talk(direct);
        make_tables(there());
        Client through(proxy_->place());
        talk(through);
        EXPECT_EQ(through.told(), direct.told());
        EXPECT_EQ(proxy_->surprises(), 0);
    }
};

/// A cursor over what a RETURNING of ours gives ended the server.
TEST_P(MysqlPreparedAnswers, WritesThatAskForACursor) {
    expect_same([](Client& client) {
        for (const char* text :
             {"delete from acc where id = 3", "insert into acc values (300, 1)",
              "update acc set bal = bal + 1 where id = 4", "delete from acc limit 1"}) {
            client.execute(client.prepare(text), true);
        }
        client.query("select * from acc order by id");
    });
}

TEST_P(MysqlPreparedAnswers, NumbersBelowZero) {
    expect_same([](Client& client) {
        client.query("insert into item (id, v, n) values (-2, 1, 'x')");
        client.query("insert into item (v, n) values (1, 'y')");
    });
}

/// To close a statement is not to ask for anything: what the write has left stays.
TEST_P(MysqlPreparedAnswers, WarningsBehindAStatementThatIsClosed) {
    expect_same([](Client& client) {
        const std::string number = client.prepare("insert ignore into acc values (1, 1)");
        client.execute(number);
        client.close(number);
        client.query("show warnings");
        const std::string update = client.prepare("update acc set bal = bal + 1 where id < 4");
        client.execute(update);
        client.close(update);
        client.query("select row_count()");
    });
}

TEST_P(MysqlPreparedAnswers, PreparedQuestionsBehindAWrite) {
    expect_same([](Client& client) {
        const std::string write = client.prepare("update ignore acc set id = 2 where id = 1");
        const std::string update = client.prepare("update acc set bal = bal + 1 where id < 4");
        const std::string warnings = client.prepare("show warnings");
        const std::string counts = client.prepare("select row_count(), found_rows()");
        client.execute(write);
        client.execute(warnings);
        client.query("select * from acc where id < 3");
        client.execute(update);
        client.execute(counts);
    });
}

/// An error says that no rows were counted.
TEST_P(MysqlPreparedAnswers, CountsBehindAnError) {
    expect_same([](Client& client) {
        client.query("insert into acc values (300, 1), (301, 1)");
        client.prepare("select * from nowhere");
        client.query("select row_count()");
    });
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlPreparedAnswers,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
