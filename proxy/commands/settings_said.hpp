#pragma once

#include "proxy/ops/configuration.hpp"
#include "proxy/ops/setting.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace isotap::proxy {

/// Lets a command line take an option of the table. What is said of it goes into `given`, which
/// must outlive the app.
CLI::Option* take_setting(CLI::App& app, const Setting& setting, Layer& given);

/// What the environment says: the options, and the password.
Sources said_by_environment();

}  // namespace isotap::proxy
