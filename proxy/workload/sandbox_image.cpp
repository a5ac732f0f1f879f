#include "proxy/workload/sandbox_image.hpp"

namespace isotap::proxy {
namespace {

/// What the official image of an engine listens on, and how it is told to let everybody in.
struct Recipe {
    const char* image;
    const char* port;
    std::vector<std::string> environment;
    std::vector<std::string> options;  ///< of the server
    const char* before_address;        ///< of the URL
    const char* behind_port;
};

Recipe recipe_of(SandboxKind kind) {
    switch (kind) {
        case SandboxKind::postgres:
            return {"docker.io/library/postgres",
                    "5432",
                    {"POSTGRES_HOST_AUTH_METHOD=trust"},
                    {"-c", "fsync=off", "-c", "max_prepared_transactions=10"},
                    "postgres://postgres@",
                    "/postgres"};
        case SandboxKind::mariadb:
            return {"docker.io/library/mariadb",
                    "3306",
                    {"MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=yes", "MARIADB_DATABASE=sandbox"},
                    {"--performance-schema=ON", "--innodb-flush-log-at-trx-commit=0"},
                    "mysql://root@",
                    "/sandbox"};
        case SandboxKind::mysql: break;
    }
    return {"docker.io/library/mysql",
            "3306",
            {"MYSQL_ALLOW_EMPTY_PASSWORD=yes", "MYSQL_DATABASE=sandbox"},
            {"--innodb-flush-log-at-trx-commit=0"},
            "mysql://root@",
            "/sandbox"};
}

}  // namespace

SandboxImage sandbox_image(SandboxKind kind, const std::string& engine, const std::string& name,
                           const std::string& port) {
    const Recipe recipe = recipe_of(kind);
    SandboxImage image;
    image.run = {engine, "run", "--rm", "--name=" + name,
                 "--publish=127.0.0.1:" + port + ":" + recipe.port};
    for (const std::string& variable : recipe.environment) image.run.push_back("--env=" + variable);
    image.run.emplace_back(recipe.image);
    image.run.insert(image.run.end(), recipe.options.begin(), recipe.options.end());
    image.remove = {engine, "rm", "--force", name};
    image.url = std::string(recipe.before_address) + "127.0.0.1:" + port + recipe.behind_port;
    return image;
}

}  // namespace isotap::proxy
