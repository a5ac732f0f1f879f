// SELECT in its shapes.
#include <algorithm>
#include <array>

#include "tests/integration/differential/mysql_generator.hpp"

namespace isotap::test {
namespace {

using enum MysqlType;

}  // namespace

std::string all_positions(std::size_t columns) {
    std::string list = "1";
    for (std::size_t i = 2; i <= columns; ++i) {
        list += ", " + std::to_string(i);
    }
    return list;
}

std::string MysqlGenerator::from(Scope& scope, int depth) {
    std::string list;
    for (int left = chance(2) ? 1 : pick(2, 3); left > 0; --left) {
        InScope one = scoped(any_table(true));
        const bool taken = std::any_of(scope.begin(), scope.end(), [&one](const InScope& other) {
            return other.alias == one.alias;
        });
        if (taken) {
            one.alias = "y" + std::to_string(++names_ % 10'000);
        }
        std::string source = named(one);
        if (depth > 0 && chance(8)) {
            one.alias = "d" + std::to_string(++names_ % 10'000);
            source = "(select * from " + one.table->name + (chance(2) ? " limit 1000) " : ") ") +
                     one.alias;
        }
        list += scope.empty() ? source : joined(scope, one, source);
        scope.push_back(one);
    }
    return list;
}

std::string MysqlGenerator::joined(const Scope& scope, const InScope& one,
                                   const std::string& source) {
    const std::string on = column(integer, {one}) + " = " + column(integer, scope);
    switch (pick(0, 6)) {
        case 0: return ", " + source;
        case 1: return " cross join " + source + " on " + on;
        case 2: return " straight_join " + source + " on " + on;
        case 3: return " right join " + source + " on " + on;
        case 4: return " left join " + source + " on " + on + " and " + condition({one}, 0);
        default: return " join " + source + " on " + on;
    }
}

std::string MysqlGenerator::select_list(const Scope& scope, std::size_t& columns) {
    columns = 0;
    if (chance(4)) {
        return "*";
    }
    if (chance(8)) {
        return scope.front().alias + ".*, " + value(integer, scope, 1) + " as more";
    }
    std::string list;
    for (int left = pick(1, 4); left > 0; --left) {
        list +=
            (list.empty() ? "" : ", ") +
            value(one_of(std::array{integer, text, number, real, date, moment, mood}), scope, 2);
        list += chance(3) ? " as c" + std::to_string(columns) : "";
        ++columns;
    }
    return list;
}

std::string MysqlGenerator::grouped(const Scope& scope, const std::string& source) {
    const MysqlType type = one_of(std::array{integer, text, mood});
    const std::string by = column(type, scope);
    std::string all = "count(*), sum(" + column(integer, scope) + "), max(" + column(text, scope) +
                      "), count(distinct " + column(integer, scope) + ")";
    if (chance(3)) {
        const std::string one = column(text, scope);
        // MySQL 9 says that there are more parameters than it describes where one is an order.
        const std::string order = one.front() == parameter_mark ? "" : " order by " + one;
        all += ", group_concat(" + one + order + " separator ';')";
    }
    if (chance(3)) {
        return "select " + all + source;
    }
    return "select " + by + " as g, " + all + source + " group by " + (chance(2) ? "1" : by) +
           (chance(5) ? " with rollup" : "") +
           (chance(3) ? " having count(*) > " + std::to_string(pick(0, 3)) : "");
}

/// Rows that the result does not show, found by what can be asked twice.
std::string MysqlGenerator::merged() {
    Scope scope{scoped(any_table(false))};
    std::string source = named(scope.front());
    if (chance(3)) {
        const InScope other = scoped(any_table(false));
        if (other.alias != scope.front().alias) {
            source += (chance(2) ? " join " : " left join ") + named(other) + " on " +
                      column(integer, scope) + " = " + column(integer, {other});
            scope.push_back(other);
        }
    }
    const MysqlType type = one_of(std::array{integer, text, mood, date});
    const std::string one = column(type, scope);
    const std::string two = column(integer, scope);
    std::string where;
    for (int left = pick(0, 2); left > 0; --left) {
        where += (where.empty() ? " where " : one_of(std::array{" and ", " or "})) +
                 column(integer, scope) + one_of(std::array{" > ", " <= ", " <> "}) +
                 std::to_string(pick(0, 9));
    }
    source = " from " + source + where;
    const std::string& key = scope.front().table->key;
    switch (pick(key.empty() || scope.size() > 1 ? 1 : 0, 4)) {
        case 0:
            return "select *" + source + " order by " + key + (chance(2) ? " desc" : "") +
                   " limit " + std::to_string(pick(0, 3)) + ", " + std::to_string(pick(0, 4));
        case 1: return "select distinct " + one + (chance(2) ? ", " + two : " as c0") + source;
        case 2:
            return "select " + one + ", count(*), max(" + two + ")" + source + " group by " + one +
                   (chance(3) ? " having count(*) > 1" : "") + (chance(2) ? " order by 1" : "");
        case 3: return "select " + one + ", " + two + source + " group by " + one + ", " + two;
        default: return "select count(*) from (select distinct " + one + source + ") d";
    }
}

/// One window: over several, MariaDB 10.11 does not give one answer twice.
std::string MysqlGenerator::windowed(const Scope& scope, const std::string& source) {
    const std::string by = column(integer, scope);
    const std::string of = column(integer, scope);
    switch (pick(0, 2)) {
        case 0: return "select " + by + ", rank() over (order by " + by + ")" + source;
        case 1: return "select " + by + ", count(*) over (partition by " + of + ")" + source;
        default: return "select " + by + ", sum(" + of + ") over ()" + source;
    }
}

std::string MysqlGenerator::select(int depth) {
    Scope scope;
    std::string source = " from " + from(scope, depth);
    source += chance(4) ? "" : " where " + condition(scope, depth);
    if (depth > 0 && chance(6)) {
        return grouped(scope, source);
    }
    if (depth > 0 && chance(14)) {
        return windowed(scope, source);
    }
    std::size_t columns = 0;
    const std::string list = select_list(scope, columns);
    std::string query = "select " + std::string(chance(8) ? "distinct " : "") +
                        (asks_counts_ && chance(5) ? "sql_calc_found_rows " : "") + list + source;
    if (columns > 0 && chance(2)) {
        query += " order by " + all_positions(columns);
        query += chance(2) ? " limit " + std::to_string(pick(0, 6)) : " limit 1000";
        query += chance(5) ? " offset " + std::to_string(pick(0, 3)) : "";
    }
    return query;
}

std::string MysqlGenerator::set_operation(int depth) {
    const auto arm = [&] {
        Scope scope;
        const std::string source = from(scope, 0);
        return "select " + value(integer, scope, 1) + ", " + value(text, scope, 1) + " from " +
               source + " where " + condition(scope, depth - 1);
    };
    std::string query = arm();
    for (int left = pick(1, 2); left > 0; --left) {
        query += one_of(std::array{" union ", " union all ", " intersect ", " except "}) + arm();
    }
    return chance(3) ? query : query + " order by 1, 2" + (chance(4) ? " limit 4" : "");
}

std::string MysqlGenerator::with(int depth) {
    const InScope inner = scoped(any_table(false));
    const std::string body =
        "select * from " + named(inner) + " where " + condition({inner}, depth - 1);
    const MysqlTable made{"c", inner.table->columns};
    const Scope scope{{"c", &made}};
    return "with c as (" + body + ") select " + value(integer, scope, 1) + ", " +
           value(text, scope, 1) + " from c" + (chance(3) ? " join c c2" : "") +
           (chance(3) ? " where " + condition(scope, 1) : "");
}

std::string MysqlGenerator::recursive() {
    const InScope one = scoped(any_table(false));
    return "with recursive r (n) as (select 1 union all select n + 1 from r join " + named(one) +
           " on " + column(integer, {one}) + " = n where n < 4) select * from r";
}

std::string MysqlGenerator::natural() {
    return one_of(std::array<std::string, 7>{
        "select * from customer natural join rich", "select * from invoice natural join total",
        "select * from customer natural left join plain",
        "select customer.*, r.score from customer join rich r using (id, name)",
        "select count(*) from customer natural join changing",
        "select * from strange natural right join changing",
        "select * from (select * from plain) p natural join checked"});
}

std::string MysqlGenerator::locking() {
    const InScope one = scoped(any_table(false));
    const Scope scope{one};
    std::size_t columns = 0;
    const std::string list = select_list(scope, columns);
    return "select " + list + " from " + named(one) + " where " + condition(scope, 1) +
           one_of(std::array{" for update", " lock in share mode", " for update nowait",
                             " for update skip locked", " for share"});
}

MysqlStatement MysqlGenerator::query() {
    switch (pick(0, 19)) {
        case 0:
        case 1: return {.text = set_operation(2)};
        case 2:
        case 3: return {.text = with(2)};
        case 4:
        case 5: return {.text = locking()};
        case 6: return {.text = recursive()};
        case 7: return {.text = natural()};
        case 8:
            return {.text =
                        mariadb_ ? "values (1, 'a'), (2, 'b')" : "table " + any_table(true).name};
        case 9: return {.text = "select invoices(id), id from customer where id < 5"};
        case 10:
        case 11: return {.text = merged()};
        default: return {.text = select(2)};
    }
}

}  // namespace isotap::test
