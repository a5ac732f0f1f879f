// Clients that may execute a prepared statement for many rows at once, as MariaDB's own connectors
// say: what they execute once is captured, and a bulk finds the text that they have prepared.
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
constexpr std::uint8_t stmt_close = 0x19;
constexpr std::uint8_t stmt_bulk_execute = 0xfa;
constexpr std::uint8_t init_db = 0x02;
constexpr std::uint32_t bulk_operations = 1U << 2;
constexpr std::uint32_t cache_metadata = 1U << 4;
const std::string last_prepared(4, '\xff');

/// Parameters are integers.
class BulkClient {
  public:
    BulkClient(const Endpoint& place, std::uint32_t mariadb) : wire_(place) {
        wire_.log_in({.capabilities = client_flag::deprecate_eof | client_flag::multi_statements,
                      .mariadb = mariadb,
                      .without = client_flag::long_password});
        query("use shop");
    }

    void query(std::string_view text) { take(text, wire_.query(text)); }
    void use(std::string_view database) { take("use", wire_.command(init_db, database)); }

    std::string prepare(std::string_view text) {
        auto reply = wire_.command(stmt_prepare, text);
        std::string number = reply.front().payload.substr(1, 4);
        reply.front().payload.replace(1, 4, "####");  // MariaDB counts those of all sessions
        take(text, reply);
        return number;
    }
    void execute(const std::string& number, const std::vector<int>& values) {
        std::string packet = number + '\0' + mysql_number(1, 4) + '\0' + '\1';
        packet += types_of(values.size());
        for (const int value : values) {
            packet += mysql_number(static_cast<std::uint64_t>(value), 4);
        }
        take("execute", wire_.command(stmt_execute, packet));
    }
    void execute_all(const std::string& number, const std::vector<std::vector<int>>& rows) {
        constexpr std::uint64_t with_types = 128;
        std::string packet = number + mysql_number(with_types, 2) + types_of(rows.front().size());
        for (const std::vector<int>& row : rows) {
            for (const int value : row) {
                packet += '\0' + mysql_number(static_cast<std::uint64_t>(value), 4);
            }
        }
        take("bulk", wire_.command(stmt_bulk_execute, packet));
    }
    void close(const std::string& number) { wire_.command(stmt_close, number); }

    [[nodiscard]] const std::vector<std::string>& told() const noexcept { return told_; }

  private:
    static std::string types_of(std::size_t parameters) {
        std::string types;
        for (; parameters > 0; --parameters) {
            types += mysql_number(3, 2);
        }
        return types;
    }
    void take(std::string_view what, const std::vector<MysqlPacket>& reply) {
        for (const MysqlPacket& packet : reply) {
            told_.push_back(std::string(what) + ": " + packet.payload);
        }
    }

    MysqlWire wire_;
    std::vector<std::string> told_;
};

constexpr std::string_view making = "insert into acc values (? + 400, ?)";
constexpr std::string_view changing = "update acc set bal = bal + ? where id = ?";
constexpr std::string_view removing = "delete from acc where id = ? and bal > ?";
constexpr std::string_view showing = "delete from acc where id = ? returning bal, ?";

class MysqlBulk : public MysqlTruth {
  protected:
    using Talk = void (*)(BulkClient&);

    void expect_same(Talk talk) {
        client_.reset();
        for (const std::uint32_t capabilities :
             {bulk_operations, bulk_operations | cache_metadata}) {
            make_tables(there());
            BulkClient direct({.port = there().port()}, capabilities);
            talk(direct);
            make_tables(there());
            BulkClient through(proxy_->place(), capabilities);
            talk(through);
            EXPECT_THAT(through.told(), testing::ElementsAreArray(direct.told()));
        }
        EXPECT_EQ(proxy_->surprises(), 0);
    }
    [[nodiscard]] std::vector<Coverage> coverages_of(std::string_view text) const {
        std::vector<Coverage> all;
        for (const auto& [id, transaction] : told_.transactions) {
            for (const RecordedStatement& one : transaction.statements) {
                if (one.text == text) all.push_back(one.coverage);
            }
        }
        return all;
    }
};

TEST_P(MysqlBulk, OfWhatWasExecutedBefore) {
    expect_same([](BulkClient& client) {
        for (const std::string_view text : {making, changing, removing, showing}) {
            const std::string number = client.prepare(text);
            client.execute(number, {3, 2});
            client.execute(number, {2, 1});
            client.execute_all(number, {{7, 1}, {8, 2}, {9, 3}});
            client.query("show warnings");
            client.execute(number, {1, 4});
            client.execute_all(number, {{17, 1}});
            client.close(number);
        }
        client.query("select * from acc order by id");
    });
    proxy_->tell(told_);
    for (const std::string_view text : {making, changing, removing}) {
        const auto each = testing::ElementsAre(Coverage::full, Coverage::full, Coverage::opaque,
                                               Coverage::opaque, Coverage::opaque);
        const std::vector<Coverage> all = coverages_of(text);
        ASSERT_EQ(all.size(), 10U) << text;
        EXPECT_THAT(std::vector(all.begin(), all.begin() + 5), each) << text;
    }
}

TEST_P(MysqlBulk, OfTheLastOneThatWasPrepared) {
    expect_same([](BulkClient& client) {
        client.prepare(making);
        client.execute_all(last_prepared, {{7, 1}, {8, 2}});
        client.execute(last_prepared, {9, 2});
        client.prepare(changing);
        client.execute(last_prepared, {9, 2});
        client.execute_all(last_prepared, {{7, 1}, {8, 2}});
        client.query("select row_count()");
        client.query("select * from acc order by id");
    });
}

/// Names are those of the database that was in use when they were prepared.
TEST_P(MysqlBulk, BehindAChangeOfDatabase) {
    expect_same([](BulkClient& client) {
        const std::string made = client.prepare(making);
        const std::string changed = client.prepare(changing);
        client.execute(made, {1, 1});
        client.use("information_schema");
        client.execute_all(made, {{2, 1}, {3, 2}});
        client.query("use shop");
        client.execute_all(changed, {{7, 401}, {8, 402}});
        client.query("select * from acc order by id");
    });
}

/// What such a text does behind its CALL nobody reads.
TEST_P(MysqlBulk, BehindATextThatMayChangeTheDatabase) {
    expect_same([](BulkClient& client) {
        client.query("drop procedure if exists nothing");
        client.query("create procedure nothing() set @a = 1");
        const std::string made = client.prepare(making);
        client.execute(made, {1, 1});
        client.query("call nothing(); use information_schema; drop table if exists shop.gone");
        client.execute_all(made, {{2, 1}, {3, 2}});
        client.query("select * from shop.acc order by id");
    });
}

/// Behind a DO settings are not known, and what is said then is not read.
TEST_P(MysqlBulk, WhereSettingsAreUnknown) {
    expect_same([](BulkClient& client) {
        const std::string made = client.prepare(making);
        client.execute(made, {1, 1});
        client.query("do length(@@sql_mode)");
        client.query("use information_schema");
        client.execute_all(made, {{2, 1}, {3, 2}});
        client.query("select * from shop.acc order by id");
    });
}

/// It is refused as the server refuses it.
TEST_P(MysqlBulk, OfATableThatHasGone) {
    expect_same([](BulkClient& client) {
        const std::string number = client.prepare(making);
        there().sql("drop table shop.acc");
        client.execute_all(number, {{2, 1}, {3, 2}});
        client.query("select 1");
    });
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlBulk,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
