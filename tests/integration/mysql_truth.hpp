#pragma once

#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "protocol/mysql/instrument/row_key.hpp"
#include "tests/integration/mysql_shop.hpp"
#include "tests/integration/truth/recorded_history.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

/// What is recorded of a client of the MySQL family that runs one statement after the other.
namespace isotap::test {

inline MysqlServer& server_of(MysqlFlavour flavour) {
    static std::map<MysqlFlavour, std::unique_ptr<MysqlServer>> all;
    std::unique_ptr<MysqlServer>& one = all[flavour];
    if (!one) one = std::make_unique<MysqlServer>(MysqlOptions{.flavour = flavour});
    return *one;
}

inline void make_tables(const MysqlServer& server) {
    server.sql(shop_tables());
    run_or_throw({.arguments = {isotap_program(), "schema", "add", server.url()}});
}

/// A proxy that records. Every statement is to be captured, however busy the machine is.
class Recorded {
  public:
    explicit Recorded(const MysqlServer& server)
        : isotap_(server.url(),
                  {"--mode", "instrument", "--record", file_, "--record-values", "true", "--admin",
                   "127.0.0.1:0", "--limits.plan-wait", "30s", "--on-overload", "block"}) {}

    [[nodiscard]] Endpoint place() const { return {.port = isotap_.port()}; }

    std::unique_ptr<MysqlWire> client() {
        auto wire = std::make_unique<MysqlWire>(place());
        wire->log_in();
        wire->query("use shop");
        return wire;
    }

    /// Results that were not what was planned.
    double surprises() {
        double sum = 0;
        for (const auto& [name, value] : isotap_.metrics()) {
            const bool counts =
                name.starts_with("isotap_notes_total") &&
                (name.find("fuse") != name.npos || name.find("desynchronised") != name.npos);
            sum += counts ? value : 0;
        }
        return sum;
    }

    /// Ends the proxy; all clients must have gone.
    void tell(RecordedHistory& told) {
        EXPECT_EQ(isotap_.stop(), 0);
        auto recording = history::recording::Recording::open(file_);
        EXPECT_TRUE(recording);
        EXPECT_FALSE(recording->replay(told));
    }

  private:
    TemporaryFolder folder_;
    std::string file_ = folder_.path() / "captured.isotap";
    IsotapProcess isotap_;
};

/// What one statement touched: "update acc 1".
using Touched = std::vector<std::string>;

inline std::string_view word_of(history::AccessKind kind) {
    using history::AccessKind;
    switch (kind) {
        case AccessKind::read: return "read";
        case AccessKind::locking_read: return "lock";
        case AccessKind::doubtful_read: return "doubtful";
        case AccessKind::insert: return "insert";
        case AccessKind::update: return "update";
        case AccessKind::remove: return "delete";
    }
    return "?";
}

/// Statements that are run one after the other, and what is told of each.
class MysqlTruth : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        make_tables(there());
        proxy_ = std::make_unique<Recorded>(there());
        client_ = proxy_->client();
        learn();
    }

    static MysqlServer& there() { return server_of(GetParam()); }

    /// Who the rows are: by the number that each had first.
    void learn() {
        for (const char* table : {"item", "sale", "acc"}) {
            std::istringstream rows(
                there().sql("select isotap_rowid, id from shop." + std::string(table)));
            std::string row;
            std::string id;
            while (rows >> row >> id) {
                rows_.emplace(mysql::instrument::row_key_of(row), id);
            }
        }
    }

    std::vector<MysqlPacket> run(const std::string& sql) {
        auto reply = client_->query(sql);
        EXPECT_NE(reply.front().head(), 0xff) << sql << ": " << reply.front().payload;
        learn();
        return reply;
    }

    void end() {
        client_.reset();
        EXPECT_EQ(proxy_->surprises(), 0);
        proxy_->tell(told_);
    }

    const RecordedStatement& statement(const std::string& sql) {
        for (const auto& [id, transaction] : told_.transactions) {
            for (const RecordedStatement& one : transaction.statements) {
                if (one.text == sql) return one;
            }
        }
        throw std::runtime_error("nothing is told of: " + sql);
    }

    Touched touched(const RecordedStatement& statement) {
        Touched all;
        for (const RecordedAccess& access : statement.accesses) {
            all.push_back(std::string(word_of(access.kind)) + " " +
                          access.table.substr(access.table.find('.') + 1) + " " +
                          rows_[access.row]);
        }
        return all;
    }

    void expect(const std::string& sql, const Touched& touched_rows, history::Coverage coverage,
                const std::string& reason = {}) {
        const RecordedStatement& one = statement(sql);
        EXPECT_THAT(touched(one), testing::UnorderedElementsAreArray(touched_rows)) << sql;
        EXPECT_EQ(one.coverage, coverage) << sql << ": " << one.reason;
        EXPECT_EQ(one.reason, reason) << sql;
    }

    /// The version of a row that a statement read.
    history::Version seen(const std::string& sql, const std::string& row) {
        const RecordedStatement& one = statement(sql);
        const Touched all = touched(one);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] == row) return one.accesses[i].before;
        }
        throw std::runtime_error(sql + " did not " + row);
    }

    /// Which of `others` have to wait while a transaction, begun by `beginning`, has run one of
    /// `reading`, and said `behind`: the same through isotap as directly.
    void expect_same_locks(const std::vector<std::string>& beginning,
                           const std::vector<std::string>& reading, const std::string& behind,
                           const std::vector<std::string>& others) {
        const auto plain = [] {
            auto wire = std::make_unique<MysqlWire>(Endpoint{.port = there().port()});
            wire->log_in();
            wire->query("use shop");
            return wire;
        };
        const auto waiting = plain();
        waiting->query("set innodb_lock_wait_timeout = 1");
        const auto blocked = [&](MysqlWire& wire) {
            std::vector<std::string> all;
            for (const std::string& sql : reading) {
                for (const std::string& first : beginning) {
                    wire.query(first);
                }
                EXPECT_NE(wire.query(sql).front().head(), 0xff) << sql;
                wire.query(behind);
                for (const std::string& other : others) {
                    waiting->query("begin");
                    const bool waits = waiting->query(other).front().head() == 0xff;
                    if (waits) all.push_back(sql + ": " + other);
                    waiting->query("rollback");
                }
                wire.query("rollback");
            }
            return all;
        };
        const auto by_itself = blocked(*plain());
        EXPECT_FALSE(by_itself.empty());
        EXPECT_EQ(blocked(*client_), by_itself);
    }

    std::unique_ptr<Recorded> proxy_;
    std::unique_ptr<MysqlWire> client_;
    RecordedHistory told_;

  private:
    struct ByKey {
        bool operator()(const history::RowKey& a, const history::RowKey& b) const {
            return std::pair(a.high, a.low) < std::pair(b.high, b.low);
        }
    };
    std::map<history::RowKey, std::string, ByKey> rows_;
};

}  // namespace isotap::test
