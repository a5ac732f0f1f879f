#include "tests/integration/truth/workload.hpp"

#include <array>
#include <charconv>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string_view>

#include <libpq-fe.h>

#include "tests/integration/truth/workers.hpp"

namespace isotap::test {

const char* const workload_schema = R"(
create table account (id int primary key, stamp bigint not null, balance int not null);
create table entry (account int, tag text, stamp bigint not null, primary key (account, tag));
create table part (id int primary key, stamp bigint not null) partition by hash (id);
create table part_even partition of part for values with (modulus 2, remainder 0);
create table part_odd partition of part for values with (modulus 2, remainder 1);
alter table account replica identity full;
alter table entry replica identity full;
alter table part_even replica identity full;
alter table part_odd replica identity full;
insert into account select i, -1, 100 from generate_series(1, 18) i;
insert into entry select i, 'first', -1 from generate_series(1, 18) i;
insert into part select i, -1 from generate_series(1, 18) i;
)";

namespace {

constexpr int keys = 24;

/// What the columns of a result are.
enum class Shows : std::uint8_t {
    nothing,
    account,  ///< id, stamp
    entry,    ///< account, tag, stamp
    part,     ///< id, stamp
    both,     ///< those of an account, then those of an entry
    packed,   ///< one text: id:stamp of accounts, with commas between
};

struct Command {
    const char* text;
    std::vector<std::string> values;
    Shows shows = Shows::nothing;
};

struct FreeConnection {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct FreeResult {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, FreeResult>;

std::int64_t integer(std::string_view text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// A column of type int, bigint or text, in either format.
std::string text_at(const PGresult* result, int row, int column) {
    const std::string_view value(PQgetvalue(result, row, column),
                                 static_cast<std::size_t>(PQgetlength(result, row, column)));
    constexpr Oid type_text = 25;
    if (PQfformat(result, column) == 0 || PQftype(result, column) == type_text) {
        return std::string(value);
    }
    std::uint64_t number = value.front() < 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : value) {
        number = number << 8 | static_cast<std::uint8_t>(byte);
    }
    return std::to_string(static_cast<std::int64_t>(number));
}

class Worker {
  public:
    Worker(const WorkloadOptions& options, int number)
        : number_(number), random_(options.seed * 1'000 + static_cast<std::uint64_t>(number)) {
        const std::string login =
            "host=127.0.0.1 user=postgres dbname=postgres port=" + std::to_string(options.port) +
            " application_name=worker-" + std::to_string(number);
        connection_.reset(PQconnectdb(login.c_str()));
        if (PQstatus(connection_.get()) != CONNECTION_OK) {
            throw std::runtime_error(PQerrorMessage(connection_.get()));
        }
    }

    WorkerLog run(std::size_t statements) {
        while (log_.statements.size() < statements) {
            if (chance(3)) {
                execute(next_command());
            } else {
                transaction();
            }
        }
        connection_.reset();
        return std::move(log_);
    }

  private:
    int pick(int first, int last) { return std::uniform_int_distribution(first, last)(random_); }
    bool chance(int of) { return pick(1, of) == 1; }
    std::string key() { return std::to_string(pick(1, keys)); }
    [[nodiscard]] std::string stamp() const {
        return std::to_string(Stamp{number_, log_.statements.size()}.value());
    }

    void transaction() {
        constexpr std::array levels{"begin isolation level read committed",
                                    "begin isolation level repeatable read",
                                    "begin isolation level serializable", "begin"};
        say(levels[static_cast<std::size_t>(pick(0, 3))]);
        bool saved = false;
        for (int left = pick(2, 6); left > 0; --left) {
            if (!saved && chance(4)) {
                say("savepoint here");
                saved = true;
            }
            const bool completed = execute(next_command());
            if (!completed && !saved) {
                break;
            }
            if (saved && (!completed || chance(5))) {
                say("rollback to here");
            } else if (saved && chance(4)) {
                say("release here");
                saved = false;
            }
        }
        say(chance(10) ? "rollback" : "commit");
    }

    Command next_command() {
        switch (pick(0, 9)) {
            case 0:
            case 1:
            case 2: return read();
            case 3:
            case 4:
            case 5: return update();
            case 6: return remove();
            default: return insert();
        }
    }

    Command read() {
        switch (pick(0, 6)) {
            case 0: return {"select id, stamp from account where id = $1", {key()}, Shows::account};
            case 1:
                return {"select id, stamp from account where id between $1 and 20 order by balance",
                        {key()},
                        Shows::account};
            case 2:
                return {"select id, stamp from account where id = $1 for update",
                        {key()},
                        Shows::account};
            case 3:
                return {"select string_agg(id || ':' || stamp, ',') from account where id > $1",
                        {key()},
                        Shows::packed};
            case 4:
                return {
                    "select a.id, a.stamp, e.account, e.tag, e.stamp from account a "
                    "join entry e on e.account = a.id where a.id = $1",
                    {key()},
                    Shows::both};
            case 5:
                return {"select account, tag, stamp from entry where account = $1 for share",
                        {key()},
                        Shows::entry};
            default: return {"select id, stamp from part where id <= $1", {key()}, Shows::part};
        }
    }

    Command update() {
        switch (pick(0, 8)) {
            case 0:
                return {
                    "update account set stamp = $1, balance = balance + 1 "
                    "where id between $2 and 17",
                    {stamp(), key()}};
            case 1:
                return {"update account set stamp = $1 where id = $2 returning id, balance",
                        {stamp(), key()}};
            case 2:  // fails at its last row, where there is one
                return {
                    "update account set stamp = $1, balance = balance / (id - 9) "
                    "where id in (7, 8, 9)",
                    {stamp()}};
            case 3: return {"update entry set stamp = $1 where account = $2", {stamp(), key()}};
            case 4: return {"update part set stamp = $1 where id = $2", {stamp(), key()}};
            case 5:
                return {"update part set stamp = $1 where id > $2 and id < 12", {stamp(), key()}};
            case 6:
                return {
                    "update account a set stamp = $1 from entry e "
                    "where e.account = a.id and a.id = $2 and e.tag = 'first'",
                    {stamp(), key()}};
            default:
                return {"update account set stamp = $1, balance = balance - 1 where id = $2",
                        {stamp(), key()}};
        }
    }

    Command remove() {
        switch (pick(0, 3)) {
            case 0: return {"delete from account where id = $1", {key()}};
            case 1:
                return {"delete from account where id between $1 and 5 returning stamp", {key()}};
            case 2: return {"delete from entry where account = $1", {key()}};
            default: return {"delete from part where id = $1", {key()}};
        }
    }

    Command insert() {
        constexpr std::array tags{"first", "a,b;c=d", "h\xc3\xa4lfte", "", "*"};
        const std::string tag = tags[static_cast<std::size_t>(pick(0, 4))];
        switch (pick(0, 6)) {
            case 0: return {"insert into account values ($1, $2, 100)", {key(), stamp()}};
            case 1:
                return {
                    "insert into account (id, stamp, balance) values ($1, $2, 1) "
                    "on conflict do nothing",
                    {key(), stamp()}};
            case 2:
                return {
                    "insert into account as a values ($1, $2, 1) "
                    "on conflict (id) do update set stamp = excluded.stamp",
                    {key(), stamp()}};
            case 3: return {"insert into entry values ($1, $2, $3)", {key(), tag, stamp()}};
            case 4:
                return {
                    "insert into entry select id, $1, $2 from account where id = $3 "
                    "returning tag",
                    {tag, stamp(), key()}};
            case 5:
                return {
                    "insert into entry values ($1, $2, $3) on conflict (account, tag) "
                    "do update set stamp = $3 where entry.account > 4",
                    {key(), tag, stamp()}};
            default: return {"insert into part values ($1, $2)", {key(), stamp()}};
        }
    }

    void say(const char* text) { execute({text, {}}); }

    bool execute(const Command& command) {
        SaidStatement& said = log_.statements.emplace_back();
        const Result result = send(command);
        const ExecStatusType status = PQresultStatus(result.get());
        said.completed = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
        if (said.completed) {
            note_rows(result.get(), command.shows, said.seen);
            return true;
        }
        const char* field = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
        const std::string state = field == nullptr ? "" : field;
        ++log_.errors[state];
        const static std::set<std::string> provoked{"40001", "40P01", "23505",
                                                    "22012", "25P02", "3B001"};
        if (!provoked.contains(state)) {
            throw std::runtime_error(std::string(command.text) + ": " +
                                     PQerrorMessage(connection_.get()));
        }
        return false;
    }

    /// As a text with its values in it, with parameters, or prepared, in text and binary.
    Result send(const Command& command) {
        const int way = pick(0, 3);
        if (way == 0 || command.values.empty()) {
            return Result(PQexec(connection_.get(), with_values(command).c_str()));
        }
        std::vector<const char*> values;
        for (const std::string& value : command.values) {
            values.push_back(value.c_str());
        }
        const int count = static_cast<int>(values.size());
        if (way == 1) {
            return Result(PQexecParams(connection_.get(), command.text, count, nullptr,
                                       values.data(), nullptr, nullptr, 0));
        }
        const std::string name = "s" + std::to_string(std::hash<std::string_view>{}(command.text));
        if (!prepared_.contains(name)) {
            Result made(PQprepare(connection_.get(), name.c_str(), command.text, 0, nullptr));
            if (PQresultStatus(made.get()) != PGRES_COMMAND_OK) {
                return made;
            }
            prepared_.insert(name);
        }
        return Result(PQexecPrepared(connection_.get(), name.c_str(), count, values.data(), nullptr,
                                     nullptr, way - 2));
    }

    static std::string with_values(const Command& command) {
        std::string text;
        for (const char* at = command.text; *at != '\0'; ++at) {
            if (*at != '$') {
                text += *at;
                continue;
            }
            const std::string& value = command.values.at(static_cast<std::size_t>(*++at - '1'));
            text.append("'").append(value).append("'");
        }
        return text;
    }

    static void note_rows(const PGresult* result, Shows shows, std::vector<SeenRow>& seen) {
        const auto with_id = [&](int row, const char* table) {
            seen.push_back({table, text_at(result, row, 0), integer(text_at(result, row, 1))});
        };
        const auto with_tag = [&](int row, int column) {
            seen.push_back({"public.entry",
                            text_at(result, row, column) + '\0' + text_at(result, row, column + 1),
                            integer(text_at(result, row, column + 2))});
        };
        for (int row = 0; row < PQntuples(result); ++row) {
            switch (shows) {
                case Shows::nothing: return;
                case Shows::account: with_id(row, "public.account"); break;
                case Shows::part: with_id(row, "public.part"); break;
                case Shows::entry: with_tag(row, 0); break;
                case Shows::both:
                    with_id(row, "public.account");
                    with_tag(row, 2);
                    break;
                case Shows::packed: note_packed(text_at(result, row, 0), seen);
            }
        }
    }

    static void note_packed(std::string_view all, std::vector<SeenRow>& seen) {
        while (!all.empty()) {
            const std::string_view one = all.substr(0, all.find(','));
            all.remove_prefix(std::min(all.size(), one.size() + 1));
            const std::size_t colon = one.find(':');
            seen.push_back({"public.account", std::string(one.substr(0, colon)),
                            integer(one.substr(colon + 1))});
        }
    }

    int number_;
    std::mt19937_64 random_;
    std::unique_ptr<PGconn, FreeConnection> connection_;
    std::set<std::string> prepared_;
    WorkerLog log_;
};

}  // namespace

std::vector<WorkerLog> run_workload(const WorkloadOptions& options) {
    return run_workers<Worker>(options);
}

}  // namespace isotap::test
