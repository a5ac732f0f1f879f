#include "proxy/catalog/mysql_login.hpp"

#include <mysql.h>
#include <utility>

namespace isotap::proxy {
namespace {

constexpr unsigned connect_seconds = 3;
constexpr unsigned silence_seconds = 5;

void set_options(MYSQL* connection, const Upstream& upstream, MysqlPatience patience) {
    mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
    if (patience == MysqlPatience::seconds) {
        mysql_options(connection, MYSQL_OPT_READ_TIMEOUT, &silence_seconds);
        mysql_options(connection, MYSQL_OPT_WRITE_TIMEOUT, &silence_seconds);
    }
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!upstream.address.is_unix()) {
        // Else the library would take 'localhost' for the socket of some server of this machine.
        const unsigned network = MYSQL_PROTOCOL_TCP;
        mysql_options(connection, MYSQL_OPT_PROTOCOL, &network);
    }
    // The library takes this for a wish: whether it came true is looked at afterwards.
    my_bool wanted = upstream.tls == protocol::ServerTls::disable ? 0 : 1;
    mysql_options(connection, MYSQL_OPT_SSL_ENFORCE, &wanted);
    my_bool verify = upstream.verify_certificate ? 1 : 0;
    mysql_options(connection, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    if (!upstream.root_certificate.empty()) {
        mysql_options(connection, MYSQL_OPT_SSL_CA, upstream.root_certificate.c_str());
    }
}

}  // namespace

void FreeMysql::operator()(st_mysql* connection) const noexcept {
    mysql_close(connection);
}

MysqlLogin connect_to_mysql(const Upstream& upstream, const std::string& database,
                            MysqlPatience patience) {
    MysqlConnection made(mysql_init(nullptr));
    if (!made) {
        return {nullptr, "no memory for a connection"};
    }
    set_options(made.get(), upstream, patience);
    const bool local = upstream.address.is_unix();
    const std::string& place = upstream.address.host;
    if (mysql_real_connect(made.get(), local ? nullptr : place.c_str(), upstream.user.c_str(),
                           upstream.password.c_str(), database.empty() ? nullptr : database.c_str(),
                           upstream.address.port, local ? place.c_str() : nullptr, 0) == nullptr) {
        return {nullptr, mysql_error(made.get())};
    }
    if (upstream.tls == protocol::ServerTls::require &&
        mysql_get_ssl_cipher(made.get()) == nullptr) {
        return {nullptr, "the server offers no TLS, which the URL asks for"};
    }
    return {std::move(made), {}};
}

}  // namespace isotap::proxy
