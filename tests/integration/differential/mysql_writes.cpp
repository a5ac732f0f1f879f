// INSERT, REPLACE, UPDATE, DELETE, TRUNCATE, LOAD DATA.
#include <array>

#include "tests/integration/differential/mysql_generator.hpp"

namespace isotap::test {
namespace {

using enum MysqlType;

}  // namespace

std::string MysqlGenerator::returning(const MysqlTable& table) {
    if (!mariadb_ || !chance(4)) {
        return "";
    }
    std::size_t columns = 0;
    return " returning " + select_list({{table.name, &table}}, columns);
}

std::string MysqlGenerator::assignments(const MysqlTable& table, const Scope& scope) {
    std::string list;
    for (const MysqlColumn& column : table.columns) {
        // MariaDB 10.11 now and then finds no row where an UPDATE gives those of partitions a key.
        const bool moves = mariadb_ && table.name == "event" && column.name != "kind";
        if (column.assigned && !moves && (chance(4) || list.empty())) {
            list += (list.empty() ? "" : ", ") + scope.front().alias + "." + column.name + " = " +
                    (chance(12) && column.absent != Absent::refused
                         ? "default"
                         : given(column, value(column.type, scope, 1)));
        }
    }
    return list;
}

/// NULL in a column that has none: behind triggers, of anybody, MySQL takes it for 0 in an UPDATE
/// of joined tables, and where IGNORE makes it an empty text, generated columns do not see that.
/// A date without a day warns where it is computed with, and which rows that is done for is up to
/// the plan.
std::string MysqlGenerator::fit(const MysqlColumn& column, const std::string& value) {
    if ((mariadb_ && column.type != date) || column.absent == Absent::null) {
        return value;
    }
    switch (column.type) {
        case text: return "coalesce(" + value + ", 'none')";
        case date:
        case moment: return "coalesce(" + value + ", '2021-03-15')";
        default: return "coalesce(" + value + ", 25)";
    }
}

std::string MysqlGenerator::given(const MysqlColumn& column, const std::string& value) {
    return mariadb_ ? value : fit(column, value);
}

/// One row each time, or rows in one order: which of several comes first decides what they get.
std::string MysqlGenerator::insert_source(const std::vector<MysqlColumn>& columns) {
    Scope scope;
    const std::string source = from(scope, 0);
    std::string text = " select ";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += (i == 0 ? "" : ", ") + fit(columns[i], value(columns[i].type, scope, 0));
    }
    return text + " from " + source + " where " + condition(scope, 1) + " order by " +
           all_positions(columns.size()) + " limit 3";
}

std::string MysqlGenerator::insert_rows(const std::vector<MysqlColumn>& columns) {
    std::string text = chance(8) ? " value " : " values ";
    for (int rows = chance(3) ? pick(2, 3) : 1, row = 0; row < rows; ++row) {
        text += row == 0 ? "(" : ", (";
        for (std::size_t i = 0; i < columns.size(); ++i) {
            text += (i == 0 ? "" : ", ") + (chance(15) && columns[i].absent != Absent::refused
                                                ? "default"
                                                : fit(columns[i], literal(columns[i].type)));
        }
        text += ")";
    }
    return text;
}

std::string MysqlGenerator::on_duplicate(const MysqlTable& table) {
    const Scope scope{{table.name, &table}};
    std::string text = " on duplicate key update ";
    // Behind triggers MySQL forgets that LAST_INSERT_ID() was given a number.
    if (mariadb_ && !table.key.empty() && chance(5)) {
        text += table.key + " = last_insert_id(" + table.key + "), ";
    }
    const MysqlColumn& last = table.columns.back();
    if (last.assigned && chance(3)) {
        text += last.name + " = values(" + last.name + "), ";
    }
    return text + assignments(table, scope);
}

std::string MysqlGenerator::insert() {
    const MysqlTable& table = any_table(chance(12));
    std::string text = chance(6) ? "insert ignore " : "insert ";
    text += chance(8) ? table.name : "into " + table.name;
    std::string columns;
    std::string sets;
    std::vector<MysqlColumn> assigned;
    const bool all = chance(5);
    const bool from_rows = chance(5);
    for (const MysqlColumn& column : table.columns) {
        const bool needed = column.absent == Absent::refused && (!mariadb_ || column.type == date);
        // Behind triggers MySQL does not tell of a number that an INSERT ... SELECT gives itself.
        if (from_rows && !mariadb_ && column.absent == Absent::next_number) continue;
        if (column.assigned && (all || needed || !chance(6))) {
            columns += (columns.empty() ? "" : ", ") + column.name;
            assigned.push_back(column);
            sets += (sets.empty() ? "" : ", ") + column.name + " = " +
                    fit(column, literal(column.type));
        }
    }
    if (assigned.empty() || (mariadb_ && table.name != "event" && chance(20))) {
        text += chance(2) ? " () values ()" : " values ()";
    } else if (from_rows) {
        text += (chance(12) ? "" : " (" + columns + ")") + insert_source(assigned);
    } else if (chance(8)) {
        text += " set " + sets;
    } else {
        text += (chance(12) ? "" : " (" + columns + ")") + insert_rows(assigned);
    }
    // MariaDB 10.11 crashes where a view of two tables meets one.
    if ((!mariadb_ || table.name != "joined") && chance(4)) {
        text += on_duplicate(table);
    }
    return text + returning(table);
}

/// Never of a row that is there just so: known to differ, as the row has a version.
std::string MysqlGenerator::replace() {
    const std::string fresh = std::to_string(++names_);
    const std::string key = std::to_string(pick(-2, 24));
    switch (pick(0, 7)) {
        case 0:
            return "replace into customer (id, name, score) values (" + key + ", 'new', " + fresh +
                   "), (" + std::to_string(pick(0, 24)) + ", 'newer', " + fresh + ".5)";
        case 1: return "replace customer set id = " + key + ", name = 'new', score = " + fresh;
        case 2:
            return "replace into line (invoice, number, price) values (" + key + ", 2, " + fresh +
                   ")" + returning(mysql_tables()[2]);
        case 3:
            return "replace event values ('2010-01-01', " + key + ", 'r" + fresh + "')" +
                   returning(mysql_tables()[3]);
        case 4:
            return "replace into note (code, body) value ('code " + key + "', '{\"k\": " + fresh +
                   "}')";
        case 5: return "replace `Odd Table` (`Key;`, `a``b`) values (" + key + ", " + fresh + ")";
        case 6:
            return "replace into changing (id, v) select id, 'r" + fresh +
                   "' from customer where id = " + key;
        default: return "replace plain (a, b) values (" + key + ", 'r" + fresh + "')";
    }
}

std::string MysqlGenerator::update() {
    if (chance(6)) {
        return joined_update();
    }
    const InScope target = scoped(any_table(chance(12)));
    const Scope scope{target};
    std::string text = "update " + std::string(chance(12) ? "ignore " : "") + named(target) +
                       " set " + assignments(*target.table, scope);
    text += chance(10) ? "" : " where " + condition(scope, 2);
    if (!target.table->key.empty() && chance(4)) {
        text += " order by " + target.alias + "." + target.table->key + (chance(3) ? " desc" : "");
        text += chance(2) ? " limit " + std::to_string(pick(0, 3)) : "";
    }
    return text;
}

/// Each row of the target meets one row of the other table at most.
std::string MysqlGenerator::joined_update() {
    const MysqlTable* keyed = nullptr;
    do {
        keyed = &any_table(false);
    } while (keyed->key.empty());
    const InScope target{"t", &any_table(false)};
    const InScope other{"o", keyed};
    return "update " + target.table->name + " t" + one_of(std::array{" join ", " left join "}) +
           keyed->name + " o on o." + keyed->key + " = " + column(integer, {target}) + " set " +
           assignments(*target.table, {target, other}) +
           (chance(2) ? " where " + condition({target, other}, 1) : "");
}

std::string MysqlGenerator::remove() {
    if (chance(5)) {
        return joined_remove();
    }
    const MysqlTable& table = any_table(chance(12));
    const InScope one{table.name, &table};
    std::string text = "delete " + std::string(chance(12) ? "ignore " : "") + "from " + table.name +
                       " where " + column(integer, {one}) + " = " + literal(integer) +
                       (chance(3) ? " and " : " or ") + "(" + condition({one}, 1) + " and " +
                       condition({one}, 1) + ")";
    if (!table.key.empty() && chance(4)) {
        return text + " order by " + table.key + " limit " + std::to_string(pick(0, 3));
    }
    return text + returning(table);
}

std::string MysqlGenerator::joined_remove() {
    const InScope target{"t", &any_table(false)};
    const InScope other{"o", &any_table(false)};
    const std::string joined = target.table->name + " t join " + other.table->name + " o on " +
                               column(integer, {target}) + " = " + column(integer, {other}) +
                               " where " + column(integer, {target}) + " = " + literal(integer);
    switch (pick(0, 2)) {
        case 0: return "delete t from " + joined;
        case 1: return "delete from t using " + joined;
        default: return "delete t, o from " + joined + " and " + condition({target, other}, 0);
    }
}

/// Of two lines, of a number and a text each.
std::string MysqlGenerator::load() {
    return "load data local infile 'rows' " +
           one_of(std::array<std::string, 8>{
               "into table plain (a, b)", "into table log (id, what)",
               "into table plain (a, @b) set b = concat(@b, 'x'), c = 1",
               "ignore into table changing (id, v)", "replace into table plain (a, b)",
               "replace into table changing (id, v) set w = " + std::to_string(++names_),
               "into table `Odd Table` ignore 1 lines (`Key;`, `select`)",
               "into table note character set utf8mb4 (owner, code)"});
}

std::string MysqlGenerator::write() {
    switch (pick(0, 29)) {
        case 0:
            return one_of(std::array<std::string, 5>{"truncate plain", "truncate table line",
                                                     "truncate customer", "truncate note",
                                                     "truncate `Odd Table`"});
        case 1: return load();
        case 2: return "insert into log select concat('n', id), id from customer where id < 4";
        case 3: return "insert into plain (a, b) select a, b from plain where a = 3";
        case 4: return "delete from plain limit 1000";
        case 5:
        case 6:
        case 7:
        case 8:
        case 9: return remove();
        case 10:
        case 11:
        case 12:
        case 13:
        case 14:
        case 15:
        case 16:
        case 17:
        case 18:
        case 19: return update();
        default: return insert();
    }
}

}  // namespace isotap::test
