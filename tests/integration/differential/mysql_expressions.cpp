// Values and conditions over the columns in scope. None of them warns, and none fails in one plan
// but not in another: no value is of another type than it is compared with, and texts that are
// equal are the same.
#include <array>

#include "tests/integration/differential/mysql_generator.hpp"

namespace isotap::test {
namespace {

using enum MysqlType;

constexpr std::array comparisons{"=", "<>", "<", ">=", ">", "<=>"};
constexpr std::array words{"name 3", "thing 1", "b2",     "kind 1", "it's",        "",
                           "v3",     "odd 2",   "code 4", "f5",     "zw\xc3\xb6lf"};

}  // namespace

const MysqlTable& MysqlGenerator::any_table(bool views) {
    const MysqlTable* table = nullptr;
    do {
        table = &one_of(mysql_tables());
    } while (table->view && !views);
    return *table;
}

MysqlGenerator::InScope MysqlGenerator::scoped(const MysqlTable& table) {
    return {chance(3) ? table.name : "x" + std::to_string(++names_ % 10'000), &table};
}

std::string MysqlGenerator::named(const InScope& one) {
    return one.table->name +
           (one.alias == one.table->name ? "" : (chance(2) ? " as " : " ") + one.alias);
}

std::string MysqlGenerator::literal(MysqlType type) {
    std::string plain;
    switch (type) {
        case integer: plain = std::to_string(pick(-2, 24)); break;
        case number: plain = std::to_string(pick(0, 60)) + "." + std::to_string(pick(0, 9)); break;
        case real: plain = std::to_string(pick(0, 30)) + (chance(2) ? ".5" : ".25"); break;
        case text: plain = one_of(words); break;
        case date:
            plain = "20" + std::to_string(pick(10, 35)) + "-0" + std::to_string(pick(1, 9)) + "-15";
            break;
        case moment:
            plain = "20" + std::to_string(pick(10, 35)) + "-02-0" + std::to_string(pick(1, 9)) +
                    " 0" + std::to_string(pick(1, 9)) + ":30:00";
            break;
        case mood: plain = one_of(std::array{"sad", "ok", "happy"}); break;
        case document: plain = "{\"k\": " + std::to_string(pick(0, 9)) + "}"; break;
    }
    if (chance(40)) {
        return "null";
    }
    if (parameters_ && chance(2) && values_.size() < parameters_max) {
        values_.push_back(plain);
        return {parameter_mark, static_cast<char>('0' + values_.size() - 1)};
    }
    if (type == integer || type == number || type == real) {
        return plain;
    }
    return plain == "it's" ? "'it''s'" : "'" + plain + "'";
}

std::string MysqlGenerator::column(MysqlType type, const Scope& scope) {
    std::vector<std::string> found;
    for (const InScope& one : scope) {
        for (const MysqlColumn& column : one.table->columns) {
            if (column.type == type) {
                found.push_back(one.alias + "." + column.name);
            }
        }
    }
    return found.empty() ? literal(type) : one_of(found);
}

std::string MysqlGenerator::value(MysqlType type, const Scope& scope, int depth) {
    if (depth <= 0 || chance(3)) {
        return chance(3) ? literal(type) : column(type, scope);
    }
    return deeper(type, scope, depth - 1);
}

std::string MysqlGenerator::deeper(MysqlType type, const Scope& scope, int depth) {
    const std::string one = value(type, scope, depth);
    if (chance(6)) {
        return "case when " + condition(scope, depth) + " then " + one + " else " +
               value(type, scope, depth) + " end";
    }
    switch (type) {
        case integer:
            switch (pick(0, 7)) {
                case 0: return "(select count(*) from " + any_table(true).name + ")";
                case 1: return "char_length(" + value(text, scope, depth) + ")";
                case 2: return "(" + one + " * 2)";
                case 3: return "ifnull(" + one + ", " + literal(integer) + ")";
                case 4: return "(" + one + " % 5)";
                case 5: return "(select one + " + one + " from (select 1 as one) q)";
                default:
                    return "(" + one + one_of(std::array{" + ", " - "}) +
                           value(integer, scope, depth) + ")";
            }
        case text:
            switch (pick(0, 5)) {
                case 0: return "concat(" + one + ", '-', " + value(integer, scope, 0) + ")";
                case 1: return "reverse(" + one + ")";
                case 2: return "left(" + one + ", 3)";
                case 3: return "concat_ws('+', " + one + ", " + value(text, scope, 0) + ")";
                case 4: return "json_unquote(json_extract(" + column(document, scope) + ", '$.s'))";
                default: return "coalesce(" + one + ", " + literal(text) + ")";
            }
        case number: return chance(2) ? "round(" + one + ", 1)" : "(" + one + " + 1)";
        case real: return "(" + one + " * 0.5)";
        case date: return "date_add(" + one + ", interval " + std::to_string(pick(1, 9)) + " day)";
        case moment: return chance(2) ? "now()" : "coalesce(" + one + ", " + literal(moment) + ")";
        default: return "coalesce(" + one + ", " + literal(type) + ")";
    }
}

std::string MysqlGenerator::subquery(const Scope& scope, int depth) {
    const InScope inner = scoped(any_table(true));
    Scope both = scope;
    both.push_back(inner);
    const std::string source = named(inner);
    const std::string where = chance(2) ? column(integer, {inner}) + " = " + column(integer, scope)
                                        : condition(chance(2) ? both : Scope{inner}, depth - 1);
    switch (pick(0, 4)) {
        case 0:
            return std::string(chance(3) ? "not " : "") + "exists (select " +
                   (chance(2) ? "1" : "*") + " from " + source + " where " + where + ")";
        case 1:
            return column(integer, scope) + (chance(3) ? " not in" : " in") + " (select " +
                   column(integer, {inner}) + " from " + source + " where " + where + ")";
        case 2:
            return column(integer, scope) + " >= (select min(" + column(integer, {inner}) +
                   ") from " + source + " where " + where + ")";
        case 3:
            return "(" + column(integer, scope) + ", " + column(integer, scope) + ") in (select " +
                   column(integer, {inner}) + ", " + column(integer, {inner}) + " from " + source +
                   ")";
        default:
            return column(integer, scope) + one_of(std::array{" = any", " > all", " <> some"}) +
                   " (select " + column(integer, {inner}) + " from " + source + ")";
    }
}

std::string MysqlGenerator::condition(const Scope& scope, int depth) {
    if (depth > 0 && chance(3)) {
        return "(" + condition(scope, depth - 1) +
               one_of(std::array{" and ", " or ", " and ", " xor "}) + condition(scope, depth - 1) +
               ")";
    }
    if (depth > 0 && chance(4)) {
        return subquery(scope, depth);
    }
    const MysqlType type =
        one_of(std::array{integer, integer, integer, text, number, real, date, moment, mood});
    switch (pick(0, 8)) {
        case 0: return column(type, scope) + (chance(2) ? " is null" : " is not null");
        case 1: return "not (" + column(integer, scope) + " > " + literal(integer) + ")";
        case 2: return column(text, scope) + " like '%" + std::to_string(pick(1, 3)) + "%'";
        case 3:
            return column(integer, scope) + " between " + literal(integer) + " and " +
                   literal(integer);
        case 4: return column(type, scope) + " in (" + literal(type) + ", " + literal(type) + ")";
        default:
            return column(type, scope) + " " + one_of(comparisons) + " " + value(type, scope, 1);
    }
}

}  // namespace isotap::test
