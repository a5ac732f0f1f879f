#include "tests/integration/differential/statement_generator.hpp"

#include <array>
#include <utility>

namespace isotap::test {
namespace {

using enum ColumnType;

bool has(const GeneratedTable& table, ColumnType type) {
    for (const GeneratedColumn& column : table.columns) {
        if (column.type == type) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string StatementGenerator::from(Scope& scope, int depth) {
    std::string list;
    for (int left = chance(2) ? 1 : pick(2, 3); left > 0; --left) {
        InScope one = scoped(any_table(true));
        for (const InScope& other : scope) {
            if (other.alias == one.alias) {
                one.alias = "y" + std::to_string(++names_ % 10'000);
            }
        }
        std::string source = one.table->name;
        if (depth > 0 && chance(8)) {
            source = "(select * from " + source + (chance(3) ? " offset 0)" : ")");
            one.alias = "d" + std::to_string(++names_ % 10'000);
        }
        source += one.alias == source ? "" : (chance(2) ? " as " : " ") + one.alias;
        if (scope.empty()) {
            list = source;
            scope.push_back(one);
            continue;
        }
        const Scope before = scope;
        scope.push_back(one);
        list += one_of(std::array{" join ", " left join ", " full join "}) + source + " on " +
                column(integer, {one}) + " = " + column(integer, before);
    }
    return list;
}

std::string StatementGenerator::select_list(const Scope& scope, std::size_t& columns) {
    columns = 0;
    if (chance(4)) {
        return "*";
    }
    if (chance(8)) {
        return scope.front().alias + ".*, " + value(integer, scope, 1) + " as more";
    }
    std::string list;
    for (int left = pick(1, 4); left > 0; --left) {
        list += (list.empty() ? "" : ", ") +
                value(one_of(std::array{integer, text, number, boolean, date, mood}), scope, 2);
        list += chance(3) ? " as c" + std::to_string(columns) : "";
        ++columns;
    }
    return list;
}

std::string StatementGenerator::grouped(const Scope& scope, const std::string& source) {
    const std::string by = column(one_of(std::array{integer, text, mood}), scope);
    const std::string all =
        "count(*), sum(" + column(integer, scope) + "), max(" + column(text, scope) + ")";
    if (chance(3)) {
        return "select " + all + source;
    }
    return "select " + by + " as g, " + all + source + " group by 1" +
           (chance(3) ? " having count(*) > " + std::to_string(pick(0, 3)) : "") + " order by 1";
}

std::string StatementGenerator::select(int depth, bool ordered) {
    Scope scope;
    std::string source = " from " + from(scope, depth);
    source += chance(4) ? "" : " where " + condition(scope, depth);
    if (depth > 0 && chance(6)) {
        return grouped(scope, source);
    }
    std::size_t columns = 0;
    const bool distinct = chance(8);
    const std::string list = select_list(scope, columns);
    std::string query = std::string("select ") + (distinct ? "distinct " : "") + list;
    if (!distinct && columns > 0 && depth > 0 && chance(10)) {
        query += ", row_number() over (order by " + column(integer, scope) + ", 1)";
        return "select count(*) from (" + query + source + ") w";
    }
    query += source;
    if (ordered && columns > 0) {
        query += " order by 1";
        for (std::size_t i = 2; i <= columns; ++i) {
            query += ", " + std::to_string(i);
        }
        query += chance(3) ? " limit " + std::to_string(pick(0, 6)) : "";
        query += chance(8) ? " offset " + std::to_string(pick(0, 3)) : "";
    }
    return query;
}

std::string StatementGenerator::set_operation(int depth) {
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
    return query + " order by 1, 2" + (chance(4) ? " limit 4" : "");
}

std::string StatementGenerator::with(int depth) {
    const InScope inner = scoped(any_table(false));
    const std::string body = "select * from " + inner.table->name +
                             (inner.alias == inner.table->name ? "" : " " + inner.alias) +
                             " where " + condition({inner}, depth - 1);
    const GeneratedTable named{"c", inner.table->columns, ""};
    return "with c as " + std::string(chance(4) ? "materialized " : "") + "(" + body + ") select " +
           value(integer, {{"c", &named}}, 1) + ", " + value(text, {{"c", &named}}, 1) + " from c" +
           (chance(3) ? " join c c2 on true" : "") + " order by 1, 2";
}

std::string StatementGenerator::locking() {
    const InScope one = scoped(any_table(false));
    Scope scope{one};
    std::size_t columns = 0;
    const std::string list = select_list(scope, columns);
    return "select " + list + " from " + one.table->name +
           (one.alias == one.table->name ? "" : " " + one.alias) + " where " + condition(scope, 1) +
           one_of(std::array{" for update", " for share", " for no key update", " for key share",
                             " for update nowait", " for update skip locked"});
}

GeneratedStatement StatementGenerator::query() {
    switch (pick(0, 7)) {
        case 0: return {.text = set_operation(2), .ordered = true};
        case 1: return {.text = with(2), .ordered = true};
        case 2: return {.text = locking()};
        case 3: return {.text = "table " + any_table(true).name};
        case 4:
            if (chance(4)) {
                return {.text = recursive(), .ordered = true};
            }
            [[fallthrough]];
        default: return {.text = select(2, true)};
    }
}

std::string StatementGenerator::returning(const Scope& scope) {
    if (!chance(3)) {
        return "";
    }
    std::size_t columns = 0;
    return " returning " + select_list(scope, columns);
}

std::string StatementGenerator::assignments(const GeneratedTable& table, const Scope& scope) {
    std::string list;
    for (const GeneratedColumn& column : table.columns) {
        if (column.assigned && (chance(3) || list.empty())) {
            list += (list.empty() ? "" : ", ") + column.name + " = " +
                    (chance(12) ? "default" : value(column.type, scope, 1));
        }
    }
    return list;
}

std::string StatementGenerator::insert() {
    const GeneratedTable& table = any_table(chance(12));
    std::string columns;
    std::vector<ColumnType> types;
    for (const GeneratedColumn& column : table.columns) {
        if (column.assigned && !chance(6)) {
            columns += (columns.empty() ? "" : ", ") + column.name;
            types.push_back(column.type);
        }
    }
    std::string text = "insert into " + table.name + " as t";
    if (types.empty() || chance(15)) {
        return text + " default values" + returning({{"t", &table}});
    }
    text += " (" + columns + ")";
    if (chance(5)) {
        Scope scope;
        const std::string source = from(scope, 0);
        text += " select ";
        for (std::size_t i = 0; i < types.size(); ++i) {
            text += (i == 0 ? "" : ", ") + value(types[i], scope, 0);
        }
        text += " from " + source + " where " + condition(scope, 1) + " order by 1";
        for (std::size_t i = 2; i <= types.size(); ++i) {
            text += ", " + std::to_string(i);
        }
        text += " limit 3";
    } else {
        text += " values ";
        for (int rows = chance(3) ? pick(2, 3) : 1, row = 0; row < rows; ++row) {
            text += row == 0 ? "(" : ", (";
            for (std::size_t i = 0; i < types.size(); ++i) {
                text += (i == 0 ? "" : ", ") + (chance(15) ? "default" : literal(types[i]));
            }
            text += ")";
        }
    }
    if (chance(4)) {
        text += " on conflict do nothing";
    } else if (!table.key.empty() && chance(3)) {
        const GeneratedTable excluded{"excluded", table.columns, ""};
        text += " on conflict " + table.key + " do update set " +
                assignments(table, {{"t", &table}, {"excluded", &excluded}}) +
                (chance(3) ? " where " + condition({{"t", &table}}, 0) : "");
    }
    return text + returning({{"t", &table}});
}

std::string StatementGenerator::update() {
    const InScope target = scoped(any_table(chance(12)));
    Scope scope{target};
    std::string text = "update " +
                       std::string(target.table->name == "animal" && chance(3) ? "only " : "") +
                       target.table->name +
                       (target.alias == target.table->name ? "" : " " + target.alias) + " set ";
    if (chance(5)) {
        InScope other = scoped(any_table(true));
        other.alias = "o" + std::to_string(++names_ % 10'000);
        // One row of the other table for each of the target: which one of several is anybody's
        // guess.
        const std::string source = "(select distinct on (" + other.table->columns.front().name +
                                   ") * from " + other.table->name + " order by " +
                                   other.table->columns.front().name + ", 2, 3) ";
        const bool three = other.table->columns.size() >= 3;
        if (three && other.table->columns.front().type == integer && has(*target.table, integer)) {
            const Scope both{target, other};
            text += assignments(*target.table, both) + " from " + source + other.alias + " where " +
                    other.alias + "." + other.table->columns.front().name + " = " +
                    column(integer, scope);
            return text + returning(both);
        }
    }
    text += assignments(*target.table, scope);
    text += chance(8) ? "" : " where " + condition(scope, 2);
    return text + returning(scope);
}

std::string StatementGenerator::remove() {
    const InScope target = scoped(any_table(chance(12)));
    Scope scope{target};
    std::string text = "delete from " + target.table->name +
                       (target.alias == target.table->name ? "" : " " + target.alias);
    if (chance(4)) {
        InScope other = scoped(any_table(true));
        other.alias = "o" + std::to_string(++names_ % 10'000);
        text += " using " + other.table->name + " " + other.alias + " where " +
                column(integer, {other}) + " = " + column(integer, scope) + " and " +
                condition(scope, 0);
        return text + returning(scope);
    }
    return text + " where " + column(integer, scope) + " = " + literal(integer) + " and " +
           condition(scope, 1) + returning(scope);
}

std::string StatementGenerator::merge() {
    const GeneratedTable& table = any_table(false);
    const std::string match =
        table.columns.front().type == integer ? table.columns.front().name : table.columns[1].name;
    std::string text = "merge into " + table.name +
                       " t using (select distinct id from animal) s on t." + match + " = s.id";
    if (chance(2)) {
        text += " when matched and " + condition({{"t", &table}}, 0) + " then delete";
    }
    text += " when matched then update set " + assignments(table, {{"t", &table}});
    if (chance(2)) {
        text += " when not matched then insert (" + match + ") values (s.id)";
    }
    if (chance(3)) {
        text += " returning merge_action(), t.*";  // 17 and later; refused before
    }
    return text;
}

std::string StatementGenerator::write() {
    switch (pick(0, 9)) {
        case 0: return remove();
        case 1: return merge();
        case 2:
            return !chance(6) ? remove()
                              : one_of(std::array<std::string, 5>{
                                    "truncate plain, bird", "truncate table only animal, bird",
                                    "truncate event_old", "truncate line restart identity",
                                    "truncate invoice cascade"});
        case 3:
        case 4:
        case 5:
        case 6: return insert();
        default: return update();
    }
}

std::string StatementGenerator::schema_change() {
    const std::string name = one_of(std::array{"made_a", "made_b"});
    switch (pick(0, 19)) {
        case 12: return "create or replace view made_view as " + select(1, false);
        case 13: return "select * from made_view";
        case 14: return "drop view if exists made_view";
        case 15:
            return "create table made_part partition of event for values from ('2030-01-01') to "
                   "('2040-01-01')";
        case 16: return "drop table if exists made_part";
        case 17:
            return chance(2) ? "insert into event (day, seq) values ('2031-02-03', " +
                                   literal(integer) + ")"
                             : "update event set day = day + 4000 where seq = " + literal(integer) +
                                   " returning *";
        case 18:
            return "create table " + name +
                   " (id int, v text, loud text generated always as "
                   "(upper(v)) stored, m mood default 'sad')";
        case 19: return "alter type mood rename value 'ok' to 'fine'";
        case 0: return "create table " + name + " (id int primary key, v text)";
        case 1: return "create temp table " + name + " (id int, v text)";
        case 2:
            return "create temp table " + name + " on commit drop as select id, name v from animal";
        case 3: return "drop table if exists " + name;
        case 4:
            return "alter table " + name + " add column w" + std::to_string(pick(1, 9)) + " int";
        case 5: return "select id, name as v into " + name + " from bird";
        case 6:
            return "insert into " + name + " values (" + literal(integer) + ", 'v') returning *";
        case 7: return "update " + name + " set v = 'w' where id > " + literal(integer);
        case 8: return "delete from " + name + " where id = " + literal(integer);
        case 9: return "insert into " + name + " select id, name from animal where id < 3";
        case 10: return "create index on " + name + " (v)";
        default: return "select count(*), max(v) from " + name;
    }
}

std::string StatementGenerator::control() {
    return one_of(std::array{
        "begin", "begin isolation level repeatable read", "begin isolation level serializable",
        "commit", "commit", "commit", "rollback", "savepoint s", "savepoint \"S t\"",
        "rollback to s", "release s", "commit and chain", "rollback to savepoint \"S t\"",
        "set search_path to public, pg_temp", "reset search_path",
        "set local search_path to nowhere", "deallocate all", "set role none", "discard temp"});
}

std::string StatementGenerator::cursor() {
    const std::string name = chance(2) ? "c" : "\"C d\"";
    const auto in_order = [](const std::string& query) {
        return "select * from (" + query + ") q order by q::text";
    };
    switch (pick(0, 10)) {
        case 7: return "declare " + name + " cursor for select * from line for update";
        case 8: return "update line set what = 'here' where current of " + name + " returning *";
        case 9: return "delete from line where current of " + name;
        case 10: return "fetch backward 2 from " + name;
        case 0:
            return "declare " + name + " cursor for " +
                   (chance(2) ? in_order(select(1, true)) : with(1));
        case 1: return "declare " + name + " scroll cursor for " + set_operation(1);
        case 2: return "declare " + name + " cursor with hold for " + in_order(select(1, true));
        case 3: return "fetch " + std::to_string(pick(1, 4)) + " from " + name;
        case 4: return "fetch all in " + name;
        case 5: return "move 1 in " + name;
        default: return "close " + name;
    }
}

/// Statements that SQL prepares, under names that come again.
std::string StatementGenerator::prepared() {
    const std::string number = std::to_string(pick(1, 3));
    switch (pick(0, 9)) {
        case 0: return "prepare p" + number + " as " + query().text;
        case 1: return "prepare p" + number + " as " + write();
        case 2: {
            const InScope one = scoped(any_table(true));
            return "prepare q" + number + "(int, text) as select *, $2 as said from " +
                   one.table->name + (one.alias == one.table->name ? "" : " " + one.alias) +
                   " where " + column(integer, {one}) + " > $1 order by 1, 2, 3";
        }
        case 3:
            return "prepare q" + number +
                   "(int, text) as update customer set name = $2 where id = $1 returning id, name";
        case 4: return "deallocate " + std::string(chance(2) ? "p" : "q") + number;
        case 5:
        case 6: return "execute q" + number + "(" + std::to_string(pick(0, 12)) + ", 'said')";
        default: return "execute p" + number;
    }
}

std::string StatementGenerator::recursive() {
    const InScope one = scoped(any_table(false));
    return "with recursive r (n) as (values (1) union all select n + 1 from r join " +
           one.table->name + (one.alias == one.table->name ? "" : " " + one.alias) + " on " +
           column(integer, {one}) + " = n where n < 6) select * from r order by 1";
}

std::string StatementGenerator::wrong() {
    std::string text = chance(2) ? select(1, true) : write();
    switch (pick(0, 3)) {
        case 0: return text + " and bogus = 1";
        case 1: return text.substr(0, text.size() / 2);
        case 2: return "select nothing(id), * from animal where name = 'x'";
        default: return "explain (costs off) " + text;
    }
}

GeneratedStatement StatementGenerator::next() {
    values_.clear();
    parameters_ = chance(2);
    GeneratedStatement statement;
    const int kind = pick(0, 99);
    if (kind < 38) {
        statement = query();
    } else if (kind < 66) {
        statement.text = write();
    } else if (kind < 70) {
        parameters_ = false;
        statement = copy();
    } else if (kind < 78) {
        statement.text = schema_change();
    } else if (kind < 87) {
        statement.text = control();
    } else if (kind < 95) {
        parameters_ = false;
        statement.text = chance(2) ? cursor() : prepared();
    } else if (kind < 97) {
        parameters_ = false;
        statement.text = wrong();
    } else {
        parameters_ = false;
        statement = {.text = write() + "; " + query().text + "; " + control(), .several = true};
    }
    statement.values = std::exchange(values_, {});
    return statement;
}

}  // namespace isotap::test
