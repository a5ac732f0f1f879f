// Statements that are prepared, and what is asked behind them: what generated statements have found
// to differ. Packet by packet with the server and through an isotap that captures.
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

constexpr std::uint8_t stmt_prepare = 0x16;
constexpr std::uint8_t stmt_execute = 0x17;
constexpr std::uint8_t stmt_send_long_data = 0x18;
constexpr std::uint8_t stmt_close = 0x19;
constexpr std::uint8_t stmt_reset = 0x1a;
constexpr std::uint8_t stmt_fetch = 0x1c;

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

    enum class Types : bool { left_out, told };

    /// With parameters that are all integers.
    void execute(const std::string& number, const std::vector<int>& values, Types types,
                 bool with_cursor = false) {
        std::string packet =
            number + (with_cursor ? '\1' : '\0') + mysql_number(1, 4) + std::string(1, '\0');
        packet += types == Types::told ? '\1' : '\0';
        for (std::size_t i = 0; types == Types::told && i < values.size(); ++i) {
            packet += mysql_number(3, 2);  // INT
        }
        for (const int value : values) {
            packet += mysql_number(static_cast<std::uint64_t>(value), 4);
        }
        take("execute", wire_.command(stmt_execute, packet));
    }
    /// With a bitmap, types and values of one's own making; what comes first.
    std::string execute_raw(const std::string& number, std::string_view parameters) {
        std::string packet = number + std::string(1, '\0') + mysql_number(1, 4);
        packet += parameters;
        return wire_.command(stmt_execute, packet).front().payload;
    }
    void fetch(const std::string& number) {
        take("fetch", wire_.command(stmt_fetch, number + mysql_number(2, 4)));
    }
    void send_long(const std::string& number, std::string_view value) {
        wire_.send(
            mysql_command(stmt_send_long_data, number + mysql_number(0, 2) + std::string(value)));
    }
    void reset(const std::string& number) { take("reset", wire_.command(stmt_reset, number)); }
    void close(const std::string& number) { wire_.command(stmt_close, number); }

    [[nodiscard]] const std::vector<std::string>& told() const noexcept { return told_; }

  private:
    void take(std::string_view what, const std::vector<MysqlPacket>& reply) {
        for (const MysqlPacket& packet : reply) {
            // MariaDB counts the statements of all sessions.
            static const std::regex number("handler \\([0-9]+\\)");
            told_.push_back(std::string(what) + ": " +
                            std::regex_replace(packet.payload, number, "handler (#)"));
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
        EXPECT_THAT(through.told(), testing::ElementsAreArray(direct.told()));
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

/// What DO may have set nobody knows, nor what is quoted from then on.
TEST_P(MysqlPreparedAnswers, WarningsWhereSettingsAreUnknown) {
    expect_same([](Client& client) {
        const std::string number = client.prepare("insert ignore into acc values (1, 1)");
        const std::string update = client.prepare("update acc set bal = bal + 1 where id < 4");
        client.query("do length(@@sql_mode)");
        client.execute(number);
        client.query("Show Warnings");
        client.execute(update);
        client.query("select Row_Count()");
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

const std::vector<std::string>& with_parameters() {
    static const std::vector<std::string> all{"select id, bal, ? from acc where id < ? order by id",
                                              "update acc set bal = bal + ? where id = ?",
                                              "insert into acc values (? + 400, ?)",
                                              "delete from acc where id > ? and bal = ?"};
    return all;
}

/// What was prepared while a table had the columns is executed when it has them no more.
TEST_P(MysqlPreparedAnswers, TablesThatLoseTheirColumns) {
    expect_same([](Client& client) {
        std::vector<std::string> prepared;
        for (const std::string& text : with_parameters()) {
            prepared.push_back(client.prepare(text));
            client.execute(prepared.back(), {7, 8}, Client::Types::told);
        }
        run_or_throw({.arguments = {isotap_program(), "schema", "drop", there().url()}});
        for (int round = 1; round < 3; ++round) {
            for (const std::string& number : prepared) {
                client.execute(number, {round + 20, 3}, Client::Types::left_out);
            }
        }
        const std::string between = client.prepare("select 'between'");
        client.execute(prepared.front(), {5, 4}, Client::Types::told, true);
        client.fetch(prepared.front());
        client.fetch(prepared.front());
        client.reset(prepared.front());
        const bool can_say_last = GetParam() != MysqlFlavour::mysql;
        client.execute(can_say_last ? "\xff\xff\xff\xff" : between);
        client.execute(prepared.front(), {5, 2}, Client::Types::left_out);
        for (const std::string& number : prepared) {
            client.close(number);
        }
        client.execute(prepared.front(), {5, 2}, Client::Types::told);
        client.query("select * from acc order by id");
    });
}

TEST_P(MysqlPreparedAnswers, TemporaryTablesThatComeBefore) {
    expect_same([](Client& client) {
        const std::string read = client.prepare(with_parameters().front());
        const std::string write = client.prepare(with_parameters().at(1));
        client.execute(read, {1, 3}, Client::Types::told);
        client.execute(write, {1, 3}, Client::Types::told);
        client.query("create temporary table acc (id int primary key, bal int)");
        client.query("insert into acc values (1, 5), (3, 6)");
        client.execute(write, {1, 3}, Client::Types::left_out);
        client.execute(read, {1, 4}, Client::Types::left_out);
        client.query("drop temporary table acc");
        client.execute(write, {1, 3}, Client::Types::left_out);
        client.execute(read, {1, 4}, Client::Types::left_out);
    });
}

/// A table that has gone is an error of the client's own text, as it has written it.
TEST_P(MysqlPreparedAnswers, TablesThatHaveGone) {
    expect_same([](Client& client) {
        const std::string read = client.prepare(with_parameters().front());
        client.execute(read, {1, 3}, Client::Types::told);
        there().sql("drop table shop.acc");
        client.execute(read, {1, 3}, Client::Types::left_out);
        there().sql("create table shop.acc (id int primary key, other int)");
        client.execute(read, {1, 3}, Client::Types::left_out);
    });
}

/// What was sent ahead of an execution that failed is gone. The client is told to prepare again,
/// as servers say it.
TEST_P(MysqlPreparedAnswers, LongDataForATableThatLosesItsColumns) {
    Client client(proxy_->place());
    constexpr std::string_view text = "select note from sale where note = ?";
    const std::string number = client.prepare(text);
    run_or_throw({.arguments = {isotap_program(), "schema", "drop", there().url()}});
    const std::string long_text = std::string(1, '\0') + '\1' + mysql_number(0xfc, 2);
    const auto execute = [&](const std::string& statement) {
        client.send_long(statement, "a");
        return client.execute_raw(statement, long_text);
    };
    EXPECT_THAT(execute(number), testing::HasSubstr("needs to be re-prepared"));
    client.close(number);
    EXPECT_EQ(execute(client.prepare(text)), "\1");  // column
    EXPECT_EQ(proxy_->surprises(), 0);
}

/// Behind a DO nobody reads which database comes to be used: its tables may have the same names.
TEST_P(MysqlPreparedAnswers, AnotherDatabaseWhereSettingsAreUnknown) {
    Client client(proxy_->place());
    const std::string number = client.prepare("delete from acc where id = 3");
    client.query("do length(@@sql_mode)");
    client.query("create database elsewhere");
    client.query("use elsewhere");
    client.query("create table acc (id int primary key, bal int)");
    client.query("insert into acc values (3, 1)");
    run_or_throw({.arguments = {isotap_program(), "schema", "drop", there().url()}});
    const std::string reply = client.execute_raw(number, "");
    const std::string left = there().sql("select count(*) from elsewhere.acc");
    there().sql("drop database elsewhere");
    EXPECT_EQ(left, "1\n");
    if (GetParam() != MysqlFlavour::mysql) {
        EXPECT_THAT(reply, testing::HasSubstr("needs to be re-prepared"));
    }
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlPreparedAnswers,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
