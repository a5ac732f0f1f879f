// COPY of tables and queries, both ways.
#include <array>

#include "tests/integration/differential/statement_generator.hpp"

namespace isotap::test {

/// How rows are written, mostly as it can be.
std::string StatementGenerator::copy_options() {
    return one_of(std::array<std::string, 26>{
        "",
        "",
        "",
        " (format csv)",
        " (format csv, header)",
        " csv header",
        " (format binary)",
        " with binary",
        " (format binary)",
        " (format csv, force_quote *, quote '''')",
        " (format csv, delimiter ';', null 'null', escape '\\', header true)",
        " with delimiter '|'",
        " delimiter as E'\\t' null as E'\\\\N'",
        " (null '')",
        " (format text, header)",
        " csv force quote id delimiter '.'",
        " (format csv, null '.')",
        " (format csv, delimiter 'a', quote 'i', escape 'e')",
        " (encoding 'LATIN1')",
        " (format csv, quote '1', delimiter E'\\t')",
        " csv quote '-' escape '2' null 'b'",
        " (format csv, header match)",
        " (format json)",
        " (delimiter 'N')",
        " (format csv, force_quote (isotap_1))",
        " (format csv, escape '.')"});
}

/// A table as it lies there, or some of its columns, or what COPY refuses.
std::string StatementGenerator::copied_table() {
    const GeneratedTable& table = any_table(chance(10));
    if (chance(2)) {
        return table.name;
    }
    std::string columns;
    const int count = pick(1, 3);
    for (int i = 0; i < count; ++i) {
        columns += (i > 0 ? ", " : "") + one_of(table.columns).name;
    }
    return table.name + " (" + columns + ")";
}

GeneratedStatement StatementGenerator::copy() {
    switch (pick(0, 8)) {
        case 0:
        case 6:
        case 7:
            return {.text = "copy " + copied_table() + " to stdout" + copy_options(),
                    .ordered = true};
        case 8:
            return {.text = "copy (select " +
                            one_of(std::array<std::string, 4>{"'\\.'", "b", "null", "'a,\"b'"}) +
                            " from plain order by a, b) to stdout" + copy_options()};
        case 1: return {.text = "copy (" + select(1, true) + ") to stdout" + copy_options()};
        case 2: return {.text = "copy plain from stdin", .copies_in = true};
        case 3:
            return {.text = "copy animal (id, name) from stdin (format csv)", .copies_in = true};
        case 4: {
            const std::string write = chance(2) ? insert() : update();
            const bool tells = write.find(" returning ") != std::string::npos;
            return {.text = "copy (" + write + (tells ? "" : " returning 1") + ") to stdout" +
                            copy_options()};
        }
        default: return {.text = "copy plain (a, b) from stdin (format csv)", .copies_in = true};
    }
}

}  // namespace isotap::test
