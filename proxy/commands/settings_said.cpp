#include "proxy/commands/settings_said.hpp"

#include <cstdlib>
#include <string>

#include <CLI/CLI.hpp>

namespace isotap::proxy {

CLI::Option* take_setting(CLI::App& app, const Setting& setting, Layer& given) {
    const std::string flag = "--" + setting.name;
    return app
        .add_option_function<std::string>(
            flag,
            [&given, &setting, flag](const std::string& text) {
                given[setting.name] = {text, flag};
            },
            setting.help)
        ->type_name(setting.argument);
}

Sources said_by_environment() {
    Sources sources;
    sources.environment =
        settings_in_environment([](const std::string& name) { return std::getenv(name.c_str()); });
    sources.password = std::getenv("ISOTAP_UPSTREAM_PASSWORD");
    return sources;
}

}  // namespace isotap::proxy
