#include <algorithm>
#include <array>
#include <mysql.h>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "proxy/catalog/mysql_login.hpp"
#include "proxy/catalog/mysql_result.hpp"
#include "proxy/workload/client.hpp"

namespace isotap::proxy {
namespace {

constexpr unsigned first_client_error = 2000;
constexpr unsigned last_client_error = 2999;
constexpr unsigned lock_wait_timeout = 1205;

/// Record changed since the snapshot, deadlock, and TiDB's write conflicts: the transaction is gone
/// or can only be rolled back.
constexpr std::array lost_numbers{1020U, 1213U, 8002U, 8022U, 8028U, 9007U};

bool is_lost(unsigned number) {
    return std::find(lost_numbers.begin(), lost_numbers.end(), number) != lost_numbers.end();
}

class MysqlClient final : public Client {
  public:
    MysqlClient(const Upstream& where, const std::string& scratch) {
        MysqlLogin login = connect_to_mysql(where, scratch.empty() ? where.database : scratch,
                                            MysqlPatience::for_ever);
        if (!login.connection) {
            fail(login.error);
        }
        connection_ = std::move(login.connection);
    }

    workload::Answer execute(const std::string& sql) override {
        workload::Answer answer;
        if (mysql_real_query(connection_.get(), sql.data(), sql.size()) != 0) {
            read_error(answer);
            return answer;
        }
        const MysqlResult result(mysql_store_result(connection_.get()));
        if (result) {
            read_rows(result.get(), answer);
        } else if (mysql_errno(connection_.get()) != 0) {
            read_error(answer);
        } else {
            answer.affected = mysql_affected_rows(connection_.get());
        }
        return answer;
    }

    [[nodiscard]] bool in_transaction() const override {
        unsigned status = 0;
        mariadb_get_infov(connection_.get(), MARIADB_CONNECTION_SERVER_STATUS, &status);
        return (status & SERVER_STATUS_IN_TRANS) != 0;
    }

    [[nodiscard]] std::uint64_t id() const noexcept override {
        return mysql_thread_id(connection_.get());
    }

  private:
    [[noreturn]] static void fail(std::string_view words) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("MySQL: {}: check the URL and the server", words));
    }

    void read_error(workload::Answer& answer) const {
        const unsigned number = mysql_errno(connection_.get());
        if (number >= first_client_error && number <= last_client_error) {
            fail(mysql_error(connection_.get()));
        }
        answer.failed = true;
        answer.number = number;
        answer.state = mysql_sqlstate(connection_.get());
        answer.message = mysql_error(connection_.get());
        answer.transaction_lost = is_lost(number);
        answer.conflict = answer.transaction_lost || number == lock_wait_timeout;
    }

    static void read_rows(MYSQL_RES* result, workload::Answer& answer) {
        answer.returns_rows = true;
        const unsigned width = mysql_num_fields(result);
        while (const MYSQL_ROW values = mysql_fetch_row(result)) {
            const unsigned long* lengths = mysql_fetch_lengths(result);
            workload::Row row;
            for (unsigned i = 0; i < width; ++i) {
                row.push_back(values[i] == nullptr
                                  ? std::nullopt
                                  : std::optional<std::string>({values[i], lengths[i]}));
            }
            answer.rows.push_back(std::move(row));
        }
    }

    MysqlConnection connection_;
};

}  // namespace

std::unique_ptr<Client> connect_mysql(const Upstream& where, const std::string& scratch) {
    return std::make_unique<MysqlClient>(where, scratch);
}

}  // namespace isotap::proxy
