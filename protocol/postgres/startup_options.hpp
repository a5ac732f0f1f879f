#pragma once

#include <string>
#include <string_view>

namespace isotap::postgres {

/// The value of `-c name=…` among the options of a start-up packet, where a backslash makes a blank
/// part of the word. Empty where there is none.
inline std::string setting_in_options(std::string_view options, std::string_view name) {
    std::string value;
    for (std::size_t at = options.find(name); at != std::string_view::npos;
         at = options.find(name, at + 1)) {
        const bool begins_word =
            at > 0 && (options[at - 1] == ' ' || options[at - 1] == 'c' || options[at - 1] == '-');
        std::size_t i = at + name.size();
        if (!begins_word || i >= options.size() || options[i] != '=') {
            continue;
        }
        value.clear();  // the last one holds
        for (++i; i < options.size() && options[i] != ' '; ++i) {
            if (options[i] == '\\' && i + 1 < options.size()) {
                ++i;
            }
            value += options[i];
        }
    }
    return value;
}

}  // namespace isotap::postgres
