#include "tests/integration/mysql_connector.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <mysql.h>
#include <stdexcept>

#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

struct CloseConnection {
    void operator()(MYSQL* connection) const { mysql_close(connection); }
};
using Connection = std::unique_ptr<MYSQL, CloseConnection>;

struct CloseStatement {
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
};
using Statement = std::unique_ptr<MYSQL_STMT, CloseStatement>;

struct FreeResult {
    void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
};
using Result = std::unique_ptr<MYSQL_RES, FreeResult>;

void check(MYSQL* connection, bool good) {
    if (!good) throw std::runtime_error(mysql_error(connection));
}

void check(MYSQL_STMT* statement, bool good) {
    if (!good) throw std::runtime_error(mysql_stmt_error(statement));
}

Connection connect(const ConnectorLogin& login) {
    Connection connection(mysql_init(nullptr));
    const my_bool no = 0;
    const my_bool yes = 1;
    if (login.compress) mysql_options(connection.get(), MYSQL_OPT_COMPRESS, nullptr);
    if (!login.authority.empty()) {
        mysql_ssl_set(connection.get(), nullptr, nullptr, login.authority.c_str(), nullptr,
                      nullptr);
        mysql_options(connection.get(), MYSQL_OPT_SSL_ENFORCE, &yes);
    }
    mysql_options(connection.get(), MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &no);
    const unsigned int files = 1;
    mysql_options(connection.get(), MYSQL_OPT_LOCAL_INFILE, &files);
    check(connection.get(), mysql_real_connect(connection.get(), "127.0.0.1", login.user.c_str(),
                                               login.password.c_str(), "shop", login.port, nullptr,
                                               CLIENT_MULTI_STATEMENTS) != nullptr);
    return connection;
}

void query(MYSQL* connection, const std::string& sql, std::vector<std::string>& lines) {
    check(connection, mysql_real_query(connection, sql.data(), sql.size()) == 0);
    do {
        const Result result(mysql_store_result(connection));
        if (!result) {
            lines.push_back("affected " + std::to_string(mysql_affected_rows(connection)));
            continue;
        }
        while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
            std::string line;
            for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
                line += row[i] == nullptr ? "NULL" : row[i];
                line += '\t';
            }
            lines.push_back(line.substr(0, 200));
        }
    } while (mysql_next_result(connection) == 0);
}

Statement prepare(MYSQL* connection, const std::string& sql) {
    Statement statement(mysql_stmt_init(connection));
    check(statement.get(), mysql_stmt_prepare(statement.get(), sql.data(), sql.size()) == 0);
    return statement;
}

void insert_prepared(MYSQL* connection, std::vector<std::string>& lines) {
    const Statement statement = prepare(connection, "INSERT INTO c VALUES (?, ?)");
    int number = 0;
    const std::string chunk(100'000, 'x');
    std::array<MYSQL_BIND, 2> binds{};
    binds[0].buffer_type = MYSQL_TYPE_LONG;
    binds[0].buffer = &number;
    binds[1].buffer_type = MYSQL_TYPE_BLOB;
    for (; number < 40; ++number) {
        check(statement.get(), mysql_stmt_bind_param(statement.get(), binds.data()) == 0);
        for (int i = 0; i < number % 4; ++i) {
            check(statement.get(),
                  mysql_stmt_send_long_data(statement.get(), 1, chunk.data(), chunk.size()) == 0);
        }
        check(statement.get(), mysql_stmt_execute(statement.get()) == 0);
    }
    lines.push_back("inserted " + std::to_string(number));
}

/// Rows in the order of a server-side cursor, a few at a time.
void read_with_cursor(MYSQL* connection, unsigned long rows_at_a_time,
                      std::vector<std::string>& lines) {
    const Statement statement = prepare(connection, "SELECT a, LENGTH(b) FROM c ORDER BY a");
    const unsigned long kind = CURSOR_TYPE_READ_ONLY;
    mysql_stmt_attr_set(statement.get(), STMT_ATTR_CURSOR_TYPE, &kind);
    mysql_stmt_attr_set(statement.get(), STMT_ATTR_PREFETCH_ROWS, &rows_at_a_time);
    std::array<int, 2> values{};
    std::array<MYSQL_BIND, 2> binds{};
    for (std::size_t i = 0; i < binds.size(); ++i) {
        binds[i].buffer_type = MYSQL_TYPE_LONG;
        binds[i].buffer = &values[i];
    }
    check(statement.get(), mysql_stmt_execute(statement.get()) == 0);
    check(statement.get(), mysql_stmt_bind_result(statement.get(), binds.data()) == 0);
    std::string line = "cursor";
    while (mysql_stmt_fetch(statement.get()) == 0) {
        line += " " + std::to_string(values[0]) + ":" + std::to_string(values[1]);
    }
    lines.push_back(line);
}

void load_file(MYSQL* connection, std::vector<std::string>& lines) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "rows.tsv";
    {
        std::ofstream file(path);
        for (int i = 0; i < 50'000; ++i) {
            file << 1000 + i << "\tloaded\n";
        }
    }
    query(connection, "LOAD DATA LOCAL INFILE '" + path + "' INTO TABLE c", lines);
    const std::string missing = "LOAD DATA LOCAL INFILE '" + path + ".none' INTO TABLE c";
    const bool refused = mysql_real_query(connection, missing.data(), missing.size()) != 0;
    lines.push_back(refused ? "no such file" : "what?");
    query(connection, "SELECT COUNT(*) FROM c", lines);
}

}  // namespace

std::vector<std::string> use_connector(const ConnectorLogin& login) {
    const Connection connection = connect(login);
    MYSQL* const server = connection.get();
    std::vector<std::string> lines;
    query(server, "DROP TABLE IF EXISTS c; CREATE TABLE c (a INT, b LONGTEXT)", lines);
    query(server, "SELECT 1; SELECT 2, 3; SET @a = 1", lines);
    insert_prepared(server, lines);
    for (const unsigned long rows : {1UL, 7UL, 1000UL}) {
        read_with_cursor(server, rows, lines);
    }
    load_file(server, lines);
    query(server, "SELECT REPEAT('z', 30000000)", lines);
    check(server, mysql_reset_connection(server) == 0);
    query(server, "SELECT @a", lines);
    check(server,
          mysql_change_user(server, login.user.c_str(), login.password.c_str(), "mysql") == 0);
    query(server, "SELECT DATABASE(), CURRENT_USER()", lines);
    check(server, mysql_ping(server) == 0);
    lines.emplace_back(mysql_get_server_info(server));
    return lines;
}

std::string who_am_i(const ConnectorLogin& login) {
    const Connection connection = connect(login);
    std::vector<std::string> lines;
    query(connection.get(), "SELECT CURRENT_USER()", lines);
    return lines.at(0);
}

}  // namespace isotap::test
