#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "isotap/proxy/startup_error.hpp"

#include "proxy/catalog/postgres_login.hpp"
#include "proxy/workload/client.hpp"

namespace isotap::proxy {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

[[noreturn]] void fail(PGconn* connection) {
    std::string message = PQerrorMessage(connection);
    while (!message.empty() && message.back() == '\n') message.pop_back();
    throw StartupError(StartupError::Kind::failure,
                       "PostgreSQL: " + message + ": check the URL and the server");
}

std::string field(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? "" : text;
}

/// As libpq's own simple printer does it, which the isolation tester uses.
std::string printed_rows(const PGresult* result) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* stream = open_memstream(&text, &size);
    if (stream == nullptr) return {};
    std::array<char, 2> separator{'|', '\0'};
    PQprintOpt options{};
    options.header = 1;
    options.align = 1;
    options.fieldSep = separator.data();
    PQprint(stream, result, &options);
    std::fclose(stream);
    std::string printed(text, size);
    std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): it came from open_memstream
    return printed;
}

class PostgresClient final : public Client {
  public:
    PostgresClient(const Upstream& where, const std::string& scratch)
        : connection_(open(where, scratch), PQfinish) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) fail(connection_.get());
        PQsetNoticeReceiver(connection_.get(), on_notice, this);
    }

    /// One text may hold several statements: the answer is that of the last.
    workload::Answer execute(const std::string& sql) override {
        workload::Answer answer;
        PQsendQuery(connection_.get(), sql.c_str());
        for (;;) {
            const Result result(PQgetResult(connection_.get()), PQclear);
            if (PQstatus(connection_.get()) != CONNECTION_OK) fail(connection_.get());
            if (!result) break;
            read(result.get(), answer);
        }
        if (answer.failed) {
            answer.transaction_lost = in_transaction() || answer.state.starts_with("40");
        }
        return answer;
    }

    std::vector<std::string> hear() override {
        const std::lock_guard lock(mutex_);
        return std::exchange(notices_, {});
    }

    [[nodiscard]] bool in_transaction() const override {
        return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
    }

    [[nodiscard]] std::uint64_t id() const noexcept override {
        return static_cast<std::uint64_t>(PQbackendPID(connection_.get()));
    }

  private:
    static PGconn* open(const Upstream& where, const std::string& scratch) {
        const auto [host, port] = postgres_place(where.address);
        const std::string options =
            scratch.empty() ? "" : fmt::format("-c search_path={},public", scratch);
        const std::array<const char*, 10> names{
            "host",    "port",        "user",    "password",         "dbname",
            "sslmode", "sslrootcert", "options", "application_name", nullptr};
        const std::array<const char*, 10> values{host.c_str(),
                                                 port.c_str(),
                                                 where.user.c_str(),
                                                 where.password.c_str(),
                                                 where.database.c_str(),
                                                 postgres_sslmode(where),
                                                 where.root_certificate.c_str(),
                                                 options.c_str(),
                                                 "isotap run",
                                                 nullptr};
        return PQconnectdbParams(names.data(), values.data(), 0);
    }

    static void on_notice(void* self, const PGresult* result) {
        auto& client = *static_cast<PostgresClient*>(self);
        const std::lock_guard lock(client.mutex_);
        client.notices_.push_back(fmt::format("{}:  {}", field(result, PG_DIAG_SEVERITY),
                                              field(result, PG_DIAG_MESSAGE_PRIMARY)));
    }

    static void read(PGresult* result, workload::Answer& answer) {
        switch (PQresultStatus(result)) {
            case PGRES_TUPLES_OK: read_rows(result, answer); break;
            case PGRES_COMMAND_OK:
            case PGRES_EMPTY_QUERY: read_count(result, answer); break;
            default: read_error(result, answer); break;
        }
    }

    static void read_rows(const PGresult* result, workload::Answer& answer) {
        answer.returns_rows = true;
        answer.rows.clear();
        for (int i = 0; i < PQntuples(result); ++i) {
            workload::Row row;
            for (int j = 0; j < PQnfields(result); ++j) {
                row.push_back(PQgetisnull(result, i, j) != 0
                                  ? std::nullopt
                                  : std::optional<std::string>(PQgetvalue(result, i, j)));
            }
            answer.rows.push_back(std::move(row));
        }
        answer.printed += printed_rows(result);
    }

    static void read_count(PGresult* result, workload::Answer& answer) {
        answer.returns_rows = false;
        answer.affected = 0;
        const std::string_view count = PQcmdTuples(result);
        std::from_chars(count.data(), count.data() + count.size(), answer.affected);
    }

    static void read_error(const PGresult* result, workload::Answer& answer) {
        answer.failed = true;
        answer.state = field(result, PG_DIAG_SQLSTATE);
        answer.message = field(result, PG_DIAG_MESSAGE_PRIMARY);
        answer.conflict = answer.state.starts_with("40") || answer.state == "55P03";
        answer.printed += fmt::format("{}:  {}\n", field(result, PG_DIAG_SEVERITY), answer.message);
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
    std::mutex mutex_;
    std::vector<std::string> notices_;  // locked
};

}  // namespace

std::unique_ptr<Client> connect_postgres(const Upstream& where, const std::string& scratch) {
    return std::make_unique<PostgresClient>(where, scratch);
}

}  // namespace isotap::proxy
