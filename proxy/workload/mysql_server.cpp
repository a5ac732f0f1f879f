#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "proxy/workload/mysql_rows.hpp"
#include "proxy/workload/server.hpp"

namespace isotap::proxy {
namespace {

using history::IsolationLevel;
using SteadyClock = std::chrono::steady_clock;

/// MariaDB gives the same picture again to whoever asks within 100 ms of anybody.
constexpr std::chrono::milliseconds picture_age{105};
/// Whoever asks again waits longer each time, so that two who ask do not keep it old for ever.
constexpr int patience_max = 6;

constexpr std::string_view mariadb_waits =
    "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id"
    " FROM information_schema.innodb_lock_waits w"
    " JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_trx_id"
    " JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id";

/// The thread of a lock may be another's, who only made it visible: that of the table lock is not.
constexpr std::string_view mysql_waits =
    "SELECT rt.processlist_id, bt.processlist_id"
    " FROM performance_schema.data_lock_waits w"
    " JOIN performance_schema.data_locks r"
    " ON r.engine_transaction_id = w.requesting_engine_transaction_id AND r.lock_type = 'TABLE'"
    " JOIN performance_schema.data_locks b"
    " ON b.engine_transaction_id = w.blocking_engine_transaction_id AND b.lock_type = 'TABLE'"
    " JOIN performance_schema.threads rt ON rt.thread_id = r.thread_id"
    " JOIN performance_schema.threads bt ON bt.thread_id = b.thread_id";

constexpr std::string_view table_waits =
    "SELECT id, 0 FROM information_schema.processlist WHERE state LIKE 'Waiting for%lock'";

std::uint64_t number_of(const std::optional<std::string>& text) {
    std::uint64_t value = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

/// "10.11.19-MariaDB-…", "8.0.11-TiDB-v7.5.1", "9.7.4".
workload::ServerPattern pattern_of(const std::string& version) {
    const std::size_t tidb = version.find("-TiDB-v");
    if (tidb != std::string::npos) return {"tidb", version.substr(tidb + 7)};
    const bool mariadb = version.find("MariaDB") != std::string::npos;
    return {mariadb ? "mariadb" : "mysql", version.substr(0, version.find('-'))};
}

class MysqlServer final : public Server {
  public:
    explicit MysqlServer(const Upstream& target)
        : Server(target), control_(connect_mysql(target, {})) {
        what_ = pattern_of(must(*control_, "SELECT version()").rows.at(0).at(0).value_or(""));
    }

    ~MysqlServer() override {
        try {
            control_->execute("DROP DATABASE IF EXISTS " + scratch_);
        } catch (const std::exception&) {  // the server is gone, and the database with it or not
        }
    }

    MysqlServer(const MysqlServer&) = delete;
    MysqlServer& operator=(const MysqlServer&) = delete;

    [[nodiscard]] std::vector<IsolationLevel> levels() const override {
        if (what_.engine == "tidb") {
            return {IsolationLevel::read_committed, IsolationLevel::repeatable_read};
        }
        return {IsolationLevel::read_uncommitted, IsolationLevel::read_committed,
                IsolationLevel::repeatable_read, IsolationLevel::serializable};
    }

    void renew_scratch() override {
        must(*control_, "DROP DATABASE IF EXISTS " + scratch_);
        must(*control_, "CREATE DATABASE " + scratch_);
        rows_.forget();
    }

    /// The server tells no row's version: all.
    std::vector<std::string> tables(bool /*all*/) override {
        std::vector<std::string> names;
        const auto answer =
            must(*control_,
                 fmt::format("SELECT table_name FROM information_schema.tables WHERE table_schema ="
                             " '{}' AND table_type = 'BASE TABLE' ORDER BY table_name",
                             scratch_));
        for (const workload::Row& row : answer.rows) names.push_back(row.at(0).value_or(""));
        return names;
    }

    std::vector<SeenRow> rows() override { return rows_.rows(); }

    std::vector<bool> matches(const std::string& table, const std::string& alias,
                              const std::string& condition,
                              const std::vector<std::string>& images) override {
        return rows_.matches(table, alias, condition, images);
    }

    void key_by(const std::string& /*table*/, const std::string& /*column*/) override {}

    std::unique_ptr<Client> connect(const Upstream& where) override {
        return connect_mysql(where, scratch_);
    }

    void set_level(Client& client, IsolationLevel level) override {
        must(client, fmt::format("SET SESSION TRANSACTION ISOLATION LEVEL {}",
                                 workload::level_name(level)));
    }

    /// InnoDB looks at every wait at once and chooses by what the transactions have done.
    void before_statement(Client& /*client*/, bool /*others_wait*/) override { asked_ = 0; }

    std::vector<LockWait> waits(std::span<const std::uint64_t> /*connections*/) override {
        std::vector<LockWait> waits;
        if (what_.engine == "mariadb") {
            await_new_picture();
            append(std::string(mariadb_waits), waits);
            pictured_ = SteadyClock::now();
        } else if (what_.engine == "mysql") {
            append(std::string(mysql_waits), waits);
        }
        append(std::string(table_waits), waits);
        return waits;
    }

    void cancel(std::uint64_t connection) override {
        control_->execute(fmt::format("KILL QUERY {}", connection));
    }

  private:
    void await_new_picture() {
        asked_ = std::min(asked_ + 1, patience_max);
        const SteadyClock::time_point when = pictured_ + picture_age * asked_;
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable never;
        never.wait_until(lock, when, [&] { return SteadyClock::now() >= when; });
    }

    void append(const std::string& query, std::vector<LockWait>& waits) {
        for (const workload::Row& row : must(*control_, query).rows) {
            waits.push_back({number_of(row.at(0)), number_of(row.at(1))});
        }
    }

    std::unique_ptr<Client> control_;
    std::string scratch_ = scratch_name();
    MysqlRows rows_{*control_, what_, scratch_};
    SteadyClock::time_point pictured_;
    int asked_ = 0;  ///< times since the last statement was sent
};

}  // namespace

std::unique_ptr<Server> open_mysql_server(const Upstream& target) {
    return std::make_unique<MysqlServer>(target);
}

}  // namespace isotap::proxy
