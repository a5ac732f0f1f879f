// Values and conditions over the columns in scope.
#include <array>

#include "tests/integration/differential/statement_generator.hpp"

namespace isotap::test {
namespace {

using enum ColumnType;

constexpr std::array comparisons{"=", "<>", "<", ">=", ">"};
constexpr std::array words{"name 3", "thing 1", "b2",           "kind 1",
                           "it''s",  "",        "zw\xc3\xb6lf", "odd 2"};

const char* type_name(ColumnType type) {
    switch (type) {
        case integer: return "int";
        case text: return "text";
        case number: return "numeric";
        case boolean: return "boolean";
        case date: return "date";
        case mood: return "mood";
    }
    return "text";
}

}  // namespace

const GeneratedTable& StatementGenerator::any_table(bool views) {
    const GeneratedTable* table = nullptr;
    do {
        table = &one_of(differential_tables());
    } while (table->view && !views);
    return *table;
}

StatementGenerator::InScope StatementGenerator::scoped(const GeneratedTable& table) {
    return {chance(3) ? table.name : "x" + std::to_string(++names_ % 10'000), &table};
}

std::string StatementGenerator::literal(ColumnType type) {
    std::string plain;
    switch (type) {
        case integer: plain = std::to_string(pick(-2, 24)); break;
        case number: plain = std::to_string(pick(0, 60)) + "." + std::to_string(pick(0, 9)); break;
        case boolean: return chance(2) ? "true" : "false";
        case text: plain = one_of(words); break;
        case date:
            plain = "20" + std::to_string(pick(10, 35)) + "-0" + std::to_string(pick(1, 9)) + "-15";
            break;
        case mood: plain = one_of(std::array{"sad", "ok", "happy"}); break;
    }
    if (chance(40)) {
        return "null";
    }
    if (parameters_ && chance(2) && values_.size() < 9) {
        values_.push_back(plain == "it''s" ? "it's" : plain);
        return "$" + std::to_string(values_.size()) +
               (chance(2) ? "::" + std::string(type_name(type)) : "");
    }
    const bool bare = type == integer || type == number;
    return bare ? plain
                : "'" + plain + "'" + (chance(3) ? "::" + std::string(type_name(type)) : "");
}

std::string StatementGenerator::column(ColumnType type, const Scope& scope) {
    std::vector<std::string> found;
    for (const InScope& one : scope) {
        for (const GeneratedColumn& column : one.table->columns) {
            if (column.type == type) {
                found.push_back(one.alias + "." + column.name);
            }
        }
    }
    return found.empty() ? literal(type) : one_of(found);
}

std::string StatementGenerator::value(ColumnType type, const Scope& scope, int depth) {
    if (depth <= 0 || chance(3)) {
        return chance(3) ? literal(type) : column(type, scope);
    }
    const std::string one = value(type, scope, depth - 1);
    switch (type) {
        case integer:
            if (chance(8)) {
                return "(select count(*)::int from " + any_table(true).name + ")";
            }
            return "(" + one + one_of(std::array{" + ", " - ", " * ", " / "}) +
                   value(type, scope, depth - 1) + ")";
        case text:
            return chance(2) ? "(" + one + " || " + value(integer, scope, 0) + "::text)"
                             : "upper(" + one + ")";
        case number: return "round(" + one + "::numeric, 1)";
        case boolean: return condition(scope, depth - 1);
        default: return "coalesce(" + one + ", " + literal(type) + ")";
    }
}

std::string StatementGenerator::subquery(const Scope& scope, int depth) {
    const InScope inner = scoped(any_table(true));
    Scope both = scope;
    both.push_back(inner);
    const std::string source =
        inner.table->name + (inner.alias == inner.table->name ? "" : " " + inner.alias);
    const std::string where = chance(2) ? column(integer, {inner}) + " = " + column(integer, scope)
                                        : condition(chance(2) ? both : Scope{inner}, depth - 1);
    switch (pick(0, 3)) {
        case 0:
            return std::string(chance(3) ? "not " : "") + "exists (select 1 from " + source +
                   " where " + where + (chance(3) ? " limit 1)" : ")");
        case 1:
            return column(integer, scope) + (chance(3) ? " not in" : " in") + " (select " +
                   column(integer, {inner}) + " from " + source + " where " + where + ")";
        case 2:
            return column(integer, scope) + " >= (select min(" + column(integer, {inner}) +
                   ") from " + source + " where " + where + ")";
        default:
            return column(integer, scope) + " = any (select " + column(integer, {inner}) +
                   " from " + source + ")";
    }
}

std::string StatementGenerator::condition(const Scope& scope, int depth) {
    if (depth > 0 && chance(3)) {
        return "(" + condition(scope, depth - 1) + (chance(2) ? " and " : " or ") +
               condition(scope, depth - 1) + ")";
    }
    if (depth > 0 && chance(4)) {
        return subquery(scope, depth);
    }
    const ColumnType type =
        one_of(std::array{integer, integer, integer, text, number, boolean, date, mood});
    switch (pick(0, 7)) {
        case 0: return column(type, scope) + (chance(2) ? " is null" : " is not null");
        case 1: return "not " + column(boolean, scope);
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
