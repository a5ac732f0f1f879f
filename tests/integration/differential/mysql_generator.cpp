// What is no query and no write of rows, and which statement comes next.
#include "tests/integration/differential/mysql_generator.hpp"

#include <array>
#include <utility>

namespace isotap::test {
namespace {

std::string in_quotes(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + "'";
}

}  // namespace

std::string MysqlGenerator::schema_change() {
    const std::string name = one_of(std::array{"made_a", "made_b"});
    switch (pick(0, 18)) {
        case 0: return "create or replace view made_view as " + select(1);
        case 1: return "select * from made_view";
        case 2: return "drop view if exists made_view";
        case 3: return "create table " + name + " (id int primary key, v varchar(20))";
        case 4: return "create temporary table " + name + " (id int, v varchar(20))";
        case 5: return "create table " + name + " as select id, name as v from customer";
        case 6: return "create table " + name + " like " + any_table(false).name;
        case 7: return "drop table if exists " + name;
        case 8: return "drop temporary table if exists " + name;
        case 9: return "alter table " + name + " add column w1 int" + (chance(2) ? " first" : "");
        case 10: return "alter table changing add column w1 int default 5 after id";
        case 11: return "alter table changing drop column w1";
        case 12: return "alter table changing add column w2 varchar(9) first";
        case 13: return "alter table changing drop column w2";
        case 14: return "alter table changing add key w (w)";
        case 15: return "alter table changing drop key w";
        case 16:
            return chance(2) ? "rename table changing to changed_name"
                             : "rename table changed_name to changing";
        case 17: return "create temporary table " + name + " select * from plain";
        default: return "create table if not exists " + name + " (id int, v varchar(20))";
    }
}

std::string MysqlGenerator::made_use(const std::string& name) {
    const std::string number = std::to_string(pick(0, 12));
    switch (pick(0, 6)) {
        case 0: return "insert into " + name + " values (" + number + ", 'v')";
        case 1: return "insert into " + name + " (id) values (" + number + ")";
        case 2: return "update " + name + " set v = 'w' where id > " + number;
        case 3: return "delete from " + name + " where id = " + number;
        case 4: return "insert into " + name + " select id, name from customer where id = 3";
        case 5: return "select * from " + name;
        default: return "select count(*), max(v) from " + name;
    }
}

std::string MysqlGenerator::control() {
    return one_of(std::array{"begin",
                             "start transaction",
                             "start transaction read only",
                             "start transaction with consistent snapshot",
                             "commit",
                             "commit",
                             "commit",
                             "commit",
                             "rollback",
                             "rollback",
                             "savepoint s",
                             "savepoint `S t`",
                             "rollback to s",
                             "release savepoint s",
                             "commit and chain",
                             "rollback to savepoint `S t`",
                             "set autocommit = 0",
                             "set autocommit = 1",
                             "set autocommit = 1",
                             "set transaction isolation level serializable",
                             "set session transaction isolation level read committed",
                             "set session transaction isolation level repeatable read"});
}

std::string MysqlGenerator::settings() {
    switch (pick(0, 13)) {
        case 0: return "set sql_mode = ''";
        case 1: return "set sql_mode = 'ansi_quotes,strict_trans_tables'";
        case 2: return "set sql_mode = 'no_backslash_escapes,pipes_as_concat'";
        case 3: return "set sql_mode = 'strict_all_tables,no_zero_date,only_full_group_by'";
        case 4: return "set session sql_mode = default";
        case 5: return "set names latin1";
        case 6:
        case 7: return "set names utf8mb4";
        case 8: return "set @v = " + std::to_string(pick(1, 9)) + ", @w = 'name 3'";
        case 9: return "select @v, @w, id from customer where id = @v";
        case 10: return "set @v = (select max(id) from customer)";
        case 11: return "use shop";
        case 12: return "do 1 / 1";
        default: return "set timestamp = " + std::to_string(1'700'000'000 + pick(1, 90'000));
    }
}

std::string MysqlGenerator::prepared() {
    const std::string number = std::to_string(pick(1, 3));
    switch (pick(0, 7)) {
        case 0: return "prepare p" + number + " from " + in_quotes(query().text);
        case 1: return "prepare p" + number + " from " + in_quotes(write());
        case 2:
            return "prepare q" + number +
                   " from 'update customer set name = concat(?, id) where id = ?'";
        case 3: return "prepare q" + number + " from 'select *, ? from invoice where id > ?'";
        case 4: return "deallocate prepare " + std::string(chance(2) ? "p" : "q") + number;
        case 5: return "execute q" + number + " using @w, @v";
        case 6:
            return mariadb_ ? "execute immediate " + in_quotes(select(1)) : "execute p" + number;
        default: return "execute p" + number;
    }
}

std::string MysqlGenerator::routine() {
    const std::string number = std::to_string(pick(0, 12));
    switch (pick(0, 9)) {
        case 0: return "call reads_all(" + number + ")";
        case 1:
        case 2: return "call writes_some(" + number + ")";
        case 3:
            return chance(2) ? "unlock tables"
                             : "lock tables plain read, changing write, line as x write";
        case 4: return "handler customer open";
        case 5: return mariadb_ ? "unlock tables" : "handler customer read `primary` first limit 3";
        case 6: return "handler customer close";
        default: return "unlock tables";
    }
}

/// What asks for counts first in a session is a text that asks for ROW_COUNT(): FOUND_ROWS(), and
/// any count in a prepared statement, are known to differ there.
MysqlStatement MysqlGenerator::diagnostics() {
    const int kind = pick(0, asks_counts_ ? 9 : 4);
    if (kind > 4 && !std::exchange(counts_asked_, true)) {
        return {.text = "select row_count()", .only_text = true};
    }
    switch (kind) {
        case 0: return {.text = "show errors"};
        case 1: return {.text = "select @@warning_count, @@error_count"};
        case 2: return {.text = "select last_insert_id()"};
        case 3:
        case 4: return {.text = "show warnings", .ordered = true};
        case 5: return {.text = "select found_rows()"};
        case 6: return {.text = "select row_count(), found_rows()"};
        case 7: return {.text = "select row_count() + 1 as more, 'x'"};
        case 8: return {.text = "select *, row_count() from log limit 0"};
        default: return {.text = "select row_count()"};
    }
}

std::string MysqlGenerator::wrong() {
    std::string text = chance(2) ? select(1) : write();
    switch (pick(0, 9)) {
        case 0: return text + " and bogus = 1";
        case 1:
        case 2: return text.substr(0, text.size() / 2);
        case 3: return "select nothing(id), * from customer where name = 'x'";
        case 4: return "insert into customer (id, name) values (1, 'taken'), (2, 'too')";
        case 5: return "insert into invoice (customer, amount) values (999, 1)";
        case 6: return "update customer set name = repeat('long', 9) where id = 3";
        case 7: return "insert into strange (part, id, small) values (1, 99999, 'z')";
        case 8: return "insert into plain (a) values ('text'), (3)";
        default: return "delete from nowhere where " + text;
    }
}

/// A text of several statements. A server that asks for a file in the midst of them reads on.
std::string MysqlGenerator::several() {
    std::string text;
    for (int left = pick(2, 4); left > 0; --left) {
        const int kind = pick(0, 9);
        std::string one = kind < 3   ? write()
                          : kind < 6 ? query().text
                          : kind < 8 ? control()
                          : kind < 9 ? diagnostics().text
                                     : wrong();
        if (one.starts_with("load")) one = control();
        text += one + one_of(std::array{"; ", ";", " ;\n"});
    }
    return text;
}

MysqlStatement MysqlGenerator::next() {
    values_.clear();
    parameters_ = chance(3);
    MysqlStatement statement;
    const int kind = pick(0, 99);
    if (kind < 36) {
        statement = query();
    } else if (kind < 40) {
        statement = {.text = replace(), .only_text = true};
    } else if (kind < 67) {
        statement.text = write();
        statement.only_text = statement.text.starts_with("load");
    } else {
        parameters_ = false;
        if (kind < 71) {
            statement.text = schema_change();
        } else if (kind < 74) {
            statement.text = made_use(one_of(std::array{"made_a", "made_b"}));
        } else if (kind < 82) {
            statement.text = control();
        } else if (kind < 85) {
            statement.text = settings();
        } else if (kind < 89) {
            statement.text = prepared();
        } else if (kind < 92) {
            statement.text = routine();
        } else if (kind < 95) {
            statement = diagnostics();
        } else if (kind < 97) {
            statement.text = wrong();
        } else {
            statement = {.text = several(), .only_text = true};
        }
    }
    number_parameters(statement);
    return statement;
}

/// The server knows parameters by their place.
void MysqlGenerator::number_parameters(MysqlStatement& statement) {
    const std::string marked = std::exchange(statement.text, {});
    for (std::size_t i = 0; i < marked.size(); ++i) {
        if (marked[i] != parameter_mark) {
            statement.text += marked[i];
            continue;
        }
        statement.text += '?';
        statement.values.push_back(values_.at(static_cast<std::size_t>(marked[++i] - '0')));
    }
}

}  // namespace isotap::test
