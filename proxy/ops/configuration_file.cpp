#include "proxy/ops/configuration_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

constexpr std::string_view listener_table = "listener";
constexpr std::size_t listeners_max = 1000;

/// Walks the tables of one file.
class Reader {
  public:
    explicit Reader(std::string_view name) : name_(name) {}

    ConfigurationFile read(const toml::table& root) const {
        ConfigurationFile file;
        for (const auto& [key, node] : root) {
            if (key.str() == listener_table) {
                file.listeners = listeners(node);
            } else {
                add(key, node, "", Scope::proxy, file.top);
            }
        }
        return file;
    }

  private:
    [[noreturn]] void refuse_at(const toml::source_region& where, const std::string& what) const {
        refuse(fmt::format("{}:{}: {}", name_, where.begin.line, what));
    }

    std::vector<Layer> listeners(const toml::node& node) const {
        const toml::array* tables = node.as_array();
        if (tables == nullptr || !tables->is_homogeneous(toml::node_type::table) ||
            tables->size() > listeners_max) {
            refuse_at(node.source(), "'listener' is no list of tables: write each as [[listener]]");
        }
        std::vector<Layer> layers;
        for (const toml::node& table : *tables) {
            Layer& layer = layers.emplace_back();
            for (const auto& [key, value] : *table.as_table()) {
                add(key, value, "", Scope::listener, layer);
            }
        }
        return layers;
    }

    /// One level of tables below the top is a prefix: [limits] sessions is `limits.sessions`.
    void add(const toml::key& key, const toml::node& node, const std::string& prefix, Scope scope,
             Layer& layer) const {
        const std::string name = prefix + std::string(key.str());
        if (const toml::table* table = node.as_table(); table != nullptr && prefix.empty()) {
            for (const auto& [inner, value] : *table) {
                add(inner, value, name + ".", scope, layer);
            }
            return;
        }
        const Setting* setting = find_setting(name);
        if (setting == nullptr) {
            refuse_at(key.source(),
                      fmt::format("unknown option '{}': 'isotap help proxy' lists them", name));
        }
        if (scope == Scope::listener && setting->scope != scope) {
            refuse_at(key.source(),
                      fmt::format("'{}' holds for the whole proxy: write it above the first "
                                  "[[listener]]",
                                  name));
        }
        layer[name] = {text_of(name, node),
                       fmt::format("{}:{}: {}", name_, key.source().begin.line, name)};
    }

    std::string text_of(const std::string& name, const toml::node& node) const {
        if (const auto* text = node.as_string()) {
            return text->get();
        }
        if (const auto* number = node.as_integer()) {
            return std::to_string(number->get());
        }
        refuse_at(node.source(),
                  fmt::format("'{}' is neither text nor a number: write \"…\"", name));
    }

    std::string_view name_;
};

}  // namespace

ConfigurationFile parse_configuration_file(std::string_view text, std::string_view name) {
    try {
        return Reader(name).read(toml::parse(text, name));
    } catch (const toml::parse_error& error) {
        refuse(fmt::format("{}:{}: this is no TOML: {}", name, error.source().begin.line,
                           error.description()));
    }
}

}  // namespace isotap::proxy
