#include "tests/integration/suites/application_suites.hpp"

#include "tests/support/paths.hpp"

namespace isotap::test {
namespace {

constexpr const char* python = "/usr/bin/python3";

std::string here(const std::string& file) {
    return source_folder() / "tests/integration/suites" / file;
}

const Words django_more{"aggregation",
                        "aggregation_regress",
                        "annotations",
                        "basic",
                        "bulk_create",
                        "constraints",
                        "custom_managers",
                        "custom_pk",
                        "dates",
                        "datetimes",
                        "db_functions",
                        "defer",
                        "delete",
                        "delete_regress",
                        "distinct_on_fields",
                        "expressions_case",
                        "expressions_window",
                        "extra_regress",
                        "filtered_relation",
                        "fixtures",
                        "force_insert_update",
                        "generic_relations",
                        "get_earliest_or_latest",
                        "get_or_create",
                        "known_related_objects",
                        "lookup",
                        "m2m_through",
                        "many_to_many",
                        "many_to_one",
                        "model_inheritance",
                        "null_fk",
                        "one_to_one",
                        "or_lookups",
                        "ordering",
                        "postgres_tests",
                        "prefetch_related",
                        "proxy_models",
                        "queryset_pickle",
                        "raw_query",
                        "reserved_names",
                        "reverse_lookup",
                        "save_delete_hooks",
                        "select_related",
                        "serializers",
                        "timezones",
                        "transaction_hooks",
                        "update",
                        "update_only_fields",
                        "schema",
                        "migrations",
                        "introspection",
                        "inspectdb"};

ApplicationSuite psycopg2() {
    return {
        .name = "psycopg2",
        .source = "psycopg2",
        .command = {python, here("psycopg2_suite.py"), "{port}", "{source}"},
        .setup = "create database psycopg2_test;\n\\connect psycopg2_test\ncreate extension hstore",
        .settings = {"max_prepared_transactions=10"},
        .passes_min = 700,
        .captured_min = 0.98};
}

ApplicationSuite django() {
    return {.name = "django",
            .source = "django",
            .command = {python, here("django_suite.py"), "postgresql", "{port}", "{source}"},
            .labels = {"backends", "transactions", "queries", "expressions", "select_for_update"},
            .more_labels = django_more,
            .under_exec = true,
            .setup = "create database django; create database other",
            .passes_min = 800,
            .captured_min = 0.95};
}

ApplicationSuite knex() {
    return {.name = "knex",
            .source = "knex",
            .command = {"node", here("knex_suite.js"), "{port}", "{source}"},
            .setup = "create database knex",
            .passes_min = 16,
            .captured_min = 0.95};
}

ApplicationSuite pymysql(SuiteServer server, const std::string& name) {
    return {.name = "pymysql_on_" + name,
            .server = server,
            .source = "pymysql",
            .command = {python, here("../pymysql_suite.py"), "{port}", "{source}"},
            .passes_min = 90,
            .captured_min = 0.95};
}

ApplicationSuite django_on_mariadb() {
    ApplicationSuite suite = django();
    suite.name = "django_on_mariadb";
    suite.server = SuiteServer::mariadb;
    suite.command[2] = "mysql";
    return suite;
}

/// On MySQL each new table costs five triggers: a part of the tests is enough.
ApplicationSuite django_on_mysql() {
    ApplicationSuite suite = django_on_mariadb();
    suite.name = "django_on_mysql";
    suite.server = SuiteServer::mysql;
    suite.labels = {"transactions", "select_for_update", "expressions"};
    suite.under_exec = false;
    suite.passes_min = 200;
    return suite;
}

ApplicationSuite knex_on(SuiteServer server, const std::string& name) {
    return {.name = "knex_on_" + name,
            .server = server,
            .source = "knex_mysql",
            .command = {"node", here("knex_mysql_suite.js"), "{port}", "{source}"},
            .passes_min = 17,
            .captured_min = 0.95};
}

}  // namespace

std::vector<ApplicationSuite> application_suites() {
    return {psycopg2(),
            django(),
            knex(),
            pymysql(SuiteServer::mariadb, "mariadb"),
            django_on_mariadb(),
            knex_on(SuiteServer::mariadb, "mariadb"),
            pymysql(SuiteServer::mysql, "mysql"),
            django_on_mysql(),
            knex_on(SuiteServer::mysql, "mysql")};
}

}  // namespace isotap::test
