// What is asked behind a statement that was prepared with parameters, which the question has as
// well: told like those of a text, and not seen by the client.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;

constexpr std::uint8_t stmt_prepare = 0x16;
constexpr std::uint8_t stmt_execute = 0x17;
constexpr std::uint8_t stmt_send_long_data = 0x18;
constexpr std::uint8_t stmt_close = 0x19;
const std::string last_prepared(4, '\xff');  // MariaDB's

struct Parameter {
    std::uint16_t type = 6;  ///< NULL
    std::string bytes{};
};

Parameter integer(int value) {
    return {3, mysql_number(static_cast<std::uint64_t>(value), 4)};
}
Parameter text(std::string_view value) {
    return {253, mysql_number(value.size(), 1) + std::string(value)};
}
Parameter two_and_a_half() {
    return {5, std::string("\0\0\0\0\0\0\x04\x40", 8)};
}

enum class Types : bool { left_out, told };

class PreparingClient {
  public:
    explicit PreparingClient(const Endpoint& place, const MysqlLogin& login = {})
        : wire_(place), attributes_((login.capabilities & client_flag::query_attributes) != 0) {
        wire_.log_in(login);
        query("use shop");
    }

    void query(std::string_view sql) { take(sql, wire_.query(sql)); }

    std::string prepare(std::string_view sql) {
        auto reply = wire_.command(stmt_prepare, sql);
        std::string number = reply.front().payload.substr(1, 4);
        if (reply.front().head() == 0) reply.front().payload.replace(1, 4, "####");
        take(sql, reply);
        return number;
    }

    void execute(const std::string& number, const std::vector<Parameter>& parameters,
                 Types types = Types::told) {
        std::string nulls((parameters.size() + 7) / 8, '\0');
        std::string told(1, types == Types::told ? '\1' : '\0');
        std::string values;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            if (parameters[i].bytes.empty()) {
                nulls[i / 8] = static_cast<char>(nulls[i / 8] | 1 << (i % 8));
            }
            if (types == Types::told) {
                told += mysql_number(parameters[i].type, 2) + std::string(attributes_ ? 1 : 0, 0);
            }
            values += parameters[i].bytes;
        }
        const std::string count = attributes_ ? mysql_number(parameters.size(), 1) : "";
        take("execute",
             wire_.command(stmt_execute, number + (attributes_ ? '\x08' : '\0') +
                                             mysql_number(1, 4) + count + nulls + told + values));
    }

    void send_long(const std::string& number, std::string_view value) {
        wire_.send(
            mysql_command(stmt_send_long_data, number + mysql_number(0, 2) + std::string(value)));
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
    bool attributes_ = false;
    std::vector<std::string> told_;
};

class MysqlQuestions : public MysqlTruth {
  protected:
    void use(const MysqlLogin& login = {}) {
        preparing_ = std::make_unique<PreparingClient>(proxy_->place(), login);
    }

    /// In a transaction of its own; each text once.
    void once(std::string_view sql, const std::vector<Parameter>& parameters) {
        preparing_->query("begin");
        const std::string number = preparing_->prepare(sql);
        preparing_->execute(number, parameters);
        preparing_->close(number);
        preparing_->query("rollback");
    }

    void end_all() {
        EXPECT_EQ(open_statements(), "0");
        preparing_.reset();
        end();
    }

    /// None of ours may stay behind: servers have a limit of them, for everybody together.
    static std::string open_statements() {
        const std::string all = there().sql("show global status like 'Prepared_stmt_count'");
        return all.substr(all.find('\t') + 1, all.size() - all.find('\t') - 2);
    }

    std::unique_ptr<PreparingClient> preparing_;
};

TEST_P(MysqlQuestions, AreToldWhateverTheirParametersAre) {
    const std::string distinct = "select distinct item from sale where price > ?";
    const std::string between = "select distinct item from sale where ? < id and id < ?";
    const std::string group = "select item, count(*) from sale where id = ? group by item";
    const std::string none = "select count(*) from (select distinct id from sale where id = ?) d";
    const std::string in_set =
        "update acc set bal = ? where id = ? and bal > (select max(price) from sale where item < "
        "?)";
    const std::string in_source = "insert into acc select ?, max(price) from sale where item < ?";
    use();
    for (int round = 0; round < 2; ++round) {
        const std::string mark = " -- " + std::to_string(round);
        once(distinct + mark, {integer(1)});
        once(distinct + " -- text" + mark, {text("1")});
        once(distinct + " -- double" + mark, {two_and_a_half()});
        once(distinct + " -- null" + mark, {{}});
        once(between + mark, {integer(1), integer(3)});
        once(group + mark, {integer(3)});
        once(none + mark, {{}});
        once(in_set + mark, {integer(7), integer(2), integer(5)});
        once(in_source + mark, {integer(70), integer(5)});
    }
    end_all();
    for (int round = 0; round < 2; ++round) {
        const std::string mark = " -- " + std::to_string(round);
        expect(distinct + mark, touched(statement(distinct + mark)), Coverage::full);
        EXPECT_FALSE(statement(distinct + mark).accesses.empty());
        EXPECT_EQ(touched(statement(distinct + " -- text" + mark)),
                  touched(statement(distinct + mark)));
        expect(distinct + " -- text" + mark, touched(statement(distinct + mark)), Coverage::full);
        EXPECT_LT(statement(distinct + " -- double" + mark).accesses.size(),
                  statement(distinct + mark).accesses.size());
        expect(distinct + " -- null" + mark, {}, Coverage::full);
        expect(between + mark, {"read sale 2"}, Coverage::full);
        expect(group + mark, {"read sale 3"}, Coverage::full);
        expect(none + mark, {}, Coverage::full);
        expect(in_set + mark, {"update acc 2", "lock sale 1", "lock sale 2"}, Coverage::full);
        expect(in_source + mark, {"insert acc ", "lock sale 1", "lock sale 2"}, Coverage::full);
    }
}

/// The types are told once; values change. Some clients have rows end in another way, or keep what
/// describes them.
TEST_P(MysqlQuestions, AreAskedAgainForEachExecution) {
    constexpr std::uint32_t cache_metadata = 1U << 4;
    std::vector<MysqlLogin> logins{{}, {.capabilities = client_flag::deprecate_eof}};
    if (GetParam() != MysqlFlavour::mysql) {
        logins.push_back({.capabilities = client_flag::deprecate_eof,
                          .mariadb = cache_metadata,
                          .without = client_flag::long_password});
    }
    const std::string distinct = "select distinct item from sale where id = ?";
    for (const MysqlLogin& login : logins) {
        use(login);
        const std::string number = preparing_->prepare(distinct);
        preparing_->query("begin");
        preparing_->execute(number, {integer(1)});
        preparing_->execute(number, {integer(2)}, Types::left_out);
        preparing_->execute(number, {text("3")});
        preparing_->execute(number, {text("1")}, Types::left_out);
        preparing_->query("commit");
        EXPECT_EQ(open_statements(), "2");
        preparing_->close(number);
        preparing_->query("select 1");
    }
    end_all();
    std::map<history::TransactionId, std::vector<Touched>> each;
    for (const auto& [id, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            if (one.text == distinct) each[id].push_back(touched(one));
        }
    }
    EXPECT_EQ(each.size(), logins.size());
    for (const auto& [id, reads] : each) {
        EXPECT_THAT(reads, testing::ElementsAre(Touched{"read sale 1"}, Touched{"read sale 2"},
                                                Touched{"read sale 3"}, Touched{"read sale 1"}));
    }
}

/// What was sent ahead is not looked at, and of which types it was is not known afterwards.
TEST_P(MysqlQuestions, AreNotAskedOfWhatIsSentAhead) {
    const std::string distinct = "select distinct item from sale where note > ?";
    use();
    const std::string number = preparing_->prepare(distinct);
    preparing_->query("begin");
    preparing_->send_long(number, "a");
    preparing_->execute(number, {{253, ""}});
    preparing_->execute(number, {text("a")}, Types::left_out);
    preparing_->query("commit");
    preparing_->close(number);
    end_all();
    expect(distinct, {}, Coverage::opaque, statement(distinct).reason);
}

TEST_P(MysqlQuestions, MeanTheTablesThatTheStatementMeans) {
    const std::string distinct = "select distinct item from sale where id = ?";
    use();
    const std::string number = preparing_->prepare(distinct);
    preparing_->query("create database elsewhere");
    preparing_->query("use elsewhere");
    preparing_->query("begin");
    preparing_->execute(number, {integer(1)});
    preparing_->query("commit");
    preparing_->close(number);
    preparing_->query("drop database elsewhere");
    end_all();
    expect(distinct, {}, Coverage::opaque, statement(distinct).reason);
}

/// Attributes may travel beside the parameters, and all of them have names then.
class MysqlQuestionAttributes : public MysqlQuestions {};

TEST_P(MysqlQuestionAttributes, AreToldAsWell) {
    const std::string distinct = "select distinct item from sale where ? < id and id < ?";
    use({.capabilities = client_flag::query_attributes});
    once(distinct, {integer(1), integer(3)});
    end_all();
    expect(distinct, {"read sale 2"}, Coverage::full);
}

TEST_P(MysqlQuestions, AreNotSeen) {
    const auto talk = [](PreparingClient& client) {
        client.query("begin");
        const std::string distinct =
            client.prepare("select distinct item from sale where price > ?");
        client.execute(distinct, {integer(1)});
        client.query("select row_count(), found_rows()");
        client.execute(distinct, {integer(2)}, Types::left_out);
        client.execute(last_prepared, {integer(2)});
        const std::string update = client.prepare(
            "update acc set bal = ? where id = ? and bal > (select max(price) from sale where "
            "item < ?)");
        client.execute(update, {text("x"), integer(2), integer(5)});
        client.query("show warnings");
        client.execute(update, {integer(9), integer(3), integer(5)});
        client.query("show warnings");
        client.execute(distinct, {integer(1)});
        const std::string other = client.prepare("select bal from acc where id = ?");
        client.execute(other, {integer(3)});
        client.execute(last_prepared, {integer(2)});
        client.close(distinct);
        client.execute(other, {integer(2)}, Types::left_out);
        client.execute(distinct, {integer(1)});
        client.query("rollback");
    };
    client_.reset();
    PreparingClient direct({.port = there().port()});
    talk(direct);
    use();
    talk(*preparing_);
    EXPECT_EQ(proxy_->surprises(), 0);
    ASSERT_EQ(preparing_->told().size(), direct.told().size());
    for (std::size_t i = 0; i < direct.told().size(); ++i) {
        const bool counts_handlers = direct.told()[i].find("handler (") != std::string::npos;
        EXPECT_TRUE(counts_handlers || preparing_->told()[i] == direct.told()[i])
            << preparing_->told()[i] << '\n'
            << direct.told()[i];
    }
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlQuestions,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Servers, MysqlQuestionAttributes, testing::Values(MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
