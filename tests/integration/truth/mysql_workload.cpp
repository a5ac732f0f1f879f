#include "tests/integration/truth/mysql_workload.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <stdexcept>
#include <string_view>

#include "tests/integration/truth/mysql_client.hpp"
#include "tests/integration/truth/workers.hpp"

namespace isotap::test {
namespace {

constexpr const char* tables = R"(
create table shop.account (id int primary key, stamp bigint not null, balance int not null);
create table shop.entry (account int, tag varchar(20) character set utf8mb4 collate utf8mb4_bin,
    stamp bigint not null, primary key (account, tag));
create table shop.tally (id int auto_increment primary key, stamp bigint not null,
    owner int not null, key (owner));
insert into shop.account with recursive n (i) as (select 1 union all select i + 1 from n
    where i < 18) select i, -1, 100 from n;
insert into shop.entry select id, 'first', -1 from shop.account;
insert into shop.tally (stamp, owner) select -1, id from shop.account;
)";

constexpr int keys = 24;

/// What the columns of a result are.
enum class Shows : std::uint8_t {
    nothing,
    account,  ///< id, stamp
    entry,    ///< account, tag, stamp
    tally,    ///< id, stamp
    both,     ///< those of an account, then those of an entry
};

/// What a statement fails with here, without a fault of anybody.
namespace error {
constexpr std::uint16_t changed = 1020;  ///< since the snapshot: MariaDB from 11.8 on
constexpr std::uint16_t duplicate = 1062;
constexpr std::uint16_t waited_too_long = 1205;
constexpr std::uint16_t deadlock = 1213;
constexpr std::uint16_t division_by_zero = 1365;
constexpr std::uint16_t no_number = 1467;  ///< a deadlock or a wait for what numbers rows
constexpr std::array provoked{changed,         no_number, duplicate,
                              waited_too_long, deadlock,  division_by_zero};
}  // namespace error

struct Command {
    const char* text;
    std::vector<std::string> values;
    Shows shows = Shows::nothing;
};

std::string with_values(const Command& command) {
    std::string text;
    auto value = command.values.begin();
    for (const char c : std::string_view(command.text)) {
        if (c == '?') {
            text.append("'").append(*value++).append("'");
        } else {
            text += c;
        }
    }
    return text;
}

std::vector<SeenRow> seen_rows(const std::vector<std::vector<std::string>>& rows, Shows shows) {
    std::vector<SeenRow> seen;
    for (const std::vector<std::string>& row : rows) {
        if (row[0].empty()) continue;  // an aggregate of no rows
        switch (shows) {
            case Shows::nothing: break;
            case Shows::account:
                seen.push_back({"shop.account", row[0], std::stoll(row[1])});
                break;
            case Shows::tally: seen.push_back({"shop.tally", row[0], std::stoll(row[1])}); break;
            case Shows::entry:
                seen.push_back({"shop.entry", row[0] + '\0' + row[1], std::stoll(row[2])});
                break;
            case Shows::both:
                seen.push_back({"shop.account", row[0], std::stoll(row[1])});
                seen.push_back({"shop.entry", row[2] + '\0' + row[3], std::stoll(row[4])});
                break;
        }
    }
    return seen;
}

class Worker {
  public:
    Worker(const WorkloadOptions& options, int number)
        : number_(number),
          random_(options.seed * 1'000 + static_cast<std::uint64_t>(number)),
          client_(options.port, "worker-" + std::to_string(number)) {}

    WorkerLog run(std::size_t statements) {
        if (begins_by_itself()) {
            say("set autocommit = 0");
        }
        std::size_t stands_still = statements / 4;
        while (log_.statements.size() < statements) {
            if (number_ == 0 && log_.statements.size() > stands_still) {
                stand_still();
                stands_still += std::max<std::size_t>(statements / 4, 10'000);
            } else if (chance(3)) {
                execute(next_command());
                if (begins_by_itself()) say("commit");
            } else {
                transaction();
            }
        }
        client_.quit();
        return std::move(log_);
    }

  private:
    int pick(int first, int last) { return std::uniform_int_distribution(first, last)(random_); }
    bool chance(int of) { return pick(1, of) == 1; }
    std::string key() { return std::to_string(pick(1, keys)); }
    [[nodiscard]] std::string stamp() const {
        return std::to_string(Stamp{number_, log_.statements.size()}.value());
    }
    /// Grows, and leaves room for what numbers itself behind it.
    [[nodiscard]] std::string own_number() const {
        constexpr std::size_t of_each_worker = 10'000'000;
        return std::to_string(of_each_worker * static_cast<std::size_t>(number_ + 1) +
                              4 * log_.statements.size());
    }
    std::string tag() {
        constexpr std::array tags{"first", "a,b;c=d", "h\xc3\xa4lfte", "", "*"};
        return tags[static_cast<std::size_t>(pick(0, 4))];
    }

    /// Seconds; the servers' `innodb_lock_wait_timeout` is one.
    static inline const std::string longer_than_others_wait = "1.2";

    /// One of them never says BEGIN.
    [[nodiscard]] bool begins_by_itself() const noexcept { return number_ == 1; }

    /// Holds rows until all who want them have given up.
    void stand_still() {
        const char* all = "update account set stamp = ?, balance = balance + 1 where id < 20";
        for (bool held = false; !held;) {
            say("begin");
            held = execute({all, {stamp()}});
        }
        execute({"do sleep(?)", {longer_than_others_wait}});
        say("commit");
    }

    void transaction() {
        constexpr std::array levels{"set transaction isolation level read committed",
                                    "set transaction isolation level repeatable read",
                                    "set transaction isolation level serializable"};
        const std::size_t level = static_cast<std::size_t>(pick(0, 3));
        if (level < levels.size()) say(levels[level]);
        if (!begins_by_itself()) say(chance(2) ? "begin" : "start transaction");
        // InnoDB forgets a snapshot that is younger than the savepoint, and reads again.
        bool may_save = level == 0;
        bool saved = false;
        for (int left = pick(2, 6); left > 0; --left) {
            if (!saved && may_save && chance(4)) {
                say("savepoint here");
                saved = true;
            }
            may_save = true;
            const bool completed = execute(next_command());
            if (rolled_back_) {
                return;
            }
            if (saved && (chance(completed ? 5 : 2))) {
                say("rollback to here");
            } else if (saved && chance(4)) {
                say("release savepoint here");
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
            default: return chance(2) ? insert() : insert_over();
        }
    }

    Command read() {
        switch (pick(0, 9)) {
            case 0: return {"select id, stamp from account where id = ?", {key()}, Shows::account};
            case 1:
                return {"select id, stamp from account where id between ? and 20 order by balance",
                        {key()},
                        Shows::account};
            case 2:
                return {"select id, stamp from account where id = ? for update",
                        {key()},
                        Shows::account};
            case 3:
                return {"select max(id), max(stamp) from account where id = ?",
                        {key()},
                        Shows::account};
            case 4:
                return {
                    "select a.id, a.stamp, e.account, e.tag, e.stamp from account a "
                    "join entry e on e.account = a.id where a.id = ?",
                    {key()},
                    Shows::both};
            case 5:
                return {
                    "select account, tag, stamp from entry where account = ? "
                    "lock in share mode",
                    {key()},
                    Shows::entry};
            case 6:
                return {"select id, stamp from account where id > ? order by id limit 3",
                        {key()},
                        Shows::account};
            case 7:
                return {"select distinct id, stamp from account where id between ? and 20",
                        {key()},
                        Shows::account};
            case 8:
                return {"select id, stamp from account where id > ? group by id, stamp",
                        {key()},
                        Shows::account};
            default: return {"select id, stamp from tally where owner = ?", {key()}, Shows::tally};
        }
    }

    Command update() {
        switch (pick(0, 12)) {
            case 0:
                return {
                    "update account set stamp = ?, balance = balance + 1 "
                    "where id between ? and 17",
                    {stamp(), key()}};
            case 1:
                return {
                    "update account set stamp = ?, balance = balance - 1 "
                    "where id between ? and 20 order by id desc limit 3",
                    {stamp(), key()}};
            case 2:  // fails at its last row, where there is one
                return {
                    "update account set stamp = ?, balance = balance / (id - 9) "
                    "where id in (7, 8, 9)",
                    {stamp()}};
            case 3: return {"update entry set stamp = ? where account = ?", {stamp(), key()}};
            case 4: return {"update tally set stamp = ? where owner = ?", {stamp(), key()}};
            case 5:
                return {
                    "update account a join entry e on e.account = a.id "
                    "set a.stamp = ?, e.stamp = ? where a.id = ?",
                    {stamp(), stamp(), key()}};
            case 6:
                return {
                    "update account set stamp = ?, id = if(id > 24, id - 24, id + 24) "
                    "where id = ?",
                    {stamp(), std::to_string(pick(1, 2 * keys))}};
            case 7: return {"update account set stamp = stamp where id < ?", {key()}};
            case 8:  // some of them stay as they are
                return {"update account set stamp = if(id % 3 = 0, ?, stamp) where id > ?",
                        {stamp(), key()}};
            case 9:
                return {
                    "update account set stamp = ?, balance = 7 "
                    "where id in (select account from entry where tag = 'first' and account > ?)",
                    {stamp(), key()}};
            case 10:
                return {
                    "update account set stamp = ?, balance = 8 "
                    "where id < (select max(x.id) from (select id from account) x) and id > ?",
                    {stamp(), key()}};
            default:
                return {"update account set stamp = ?, balance = balance - 1 where id = ?",
                        {stamp(), key()}};
        }
    }

    Command remove() {
        switch (pick(0, 3)) {
            case 0: return {"delete from account where id = ?", {key()}};
            case 1:
                return {"delete from account where id between ? and 9 order by id limit 2",
                        {key()}};
            case 2: return {"delete from entry where account = ?", {key()}};
            default: return {"delete from tally where owner = ?", {key()}};
        }
    }

    Command insert() {
        switch (pick(0, 6)) {
            case 0: return {"insert into account values (?, ?, 100)", {key(), stamp()}};
            case 1:
                return {"insert into account (id, stamp, balance) values (?, ?, 1), (?, ?, 2)",
                        {key(), stamp(), key(), stamp()}};
            case 2: return {"insert into entry values (?, ?, ?)", {key(), tag(), stamp()}};
            case 3:
                return {"insert into entry select id, ?, ? from account where id = ?",
                        {tag(), stamp(), key()}};
            case 4: return {"insert into tally (owner, stamp) values (?, ?)", {key(), stamp()}};
            case 5:
                return {
                    "insert into tally (id, stamp, owner) select ? + id, ?, id from account "
                    "where id < 4",
                    {own_number(), stamp()}};
            default:
                return {"insert into tally (owner, stamp) values (?, ?), (?, ?), (?, ?)",
                        {key(), stamp(), key(), stamp(), key(), stamp()}};
        }
    }

    /// Inserts that are no errors where the row is there already.
    Command insert_over() {
        switch (pick(0, 5)) {
            case 0: return {"insert ignore into account values (?, ?, 1)", {key(), stamp()}};
            case 1:
                return {"insert ignore into account values (?, ?, 1), (?, ?, 1)",
                        {key(), stamp(), key(), stamp()}};
            case 2:
                return {
                    "insert into account values (?, ?, 1) "
                    "on duplicate key update stamp = ?, balance = balance + 1",
                    {key(), stamp(), stamp()}};
            case 3:
                return {
                    "insert into entry values (?, ?, ?), (?, ?, ?) "
                    "on duplicate key update stamp = ?",
                    {key(), tag(), stamp(), key(), tag(), stamp(), stamp()}};
            case 4: return {"replace into account values (?, ?, 1)", {key(), stamp()}};
            default:
                return {"replace into entry values (?, ?, ?), (?, ?, ?)",
                        {key(), tag(), stamp(), key(), tag(), stamp()}};
        }
    }

    void say(const char* text) { execute({text, {}}); }

    bool execute(const Command& command) {
        SaidStatement& said = log_.statements.emplace_back();
        const bool prepared = !command.values.empty() && chance(2);
        const MysqlAnswer answer = prepared ? client_.execute(command.text, command.values)
                                            : client_.query(with_values(command));
        said.completed = answer.error == 0;
        rolled_back_ = answer.error == error::deadlock;
        if (said.completed) {
            said.seen = seen_rows(answer.rows, command.shows);
            return true;
        }
        ++log_.errors[std::to_string(answer.error)];
        if (std::find(error::provoked.begin(), error::provoked.end(), answer.error) ==
            error::provoked.end()) {
            throw std::runtime_error(std::string(command.text) + ": " + answer.message);
        }
        if (answer.error == error::changed || answer.error == error::no_number) {
            say("rollback");
            rolled_back_ = true;
        }
        return false;
    }

    int number_;
    std::mt19937_64 random_;
    MysqlClient client_;
    bool rolled_back_ = false;  ///< the whole transaction, by the server
    WorkerLog log_;
};

}  // namespace

std::string mysql_workload_schema(int workers) {
    std::string text = tables;
    for (int number = 0; number < workers; ++number) {
        const std::string user = "'worker-" + std::to_string(number) + "'@'%'";
        text += "create user " + user + "; grant all on shop.* to " + user + ";\n";
    }
    return text;
}

std::vector<WorkerLog> run_mysql_workload(const WorkloadOptions& options) {
    return run_workers<Worker>(options);
}

}  // namespace isotap::test
