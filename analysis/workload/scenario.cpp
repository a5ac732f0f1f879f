#include "analysis/workload/scenario.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace isotap::workload {
namespace {

using history::IsolationLevel;

struct LevelName {
    IsolationLevel level;
    std::string_view name;
};

constexpr std::array level_names{
    LevelName{IsolationLevel::read_uncommitted, "READ UNCOMMITTED"},
    LevelName{IsolationLevel::read_committed, "READ COMMITTED"},
    LevelName{IsolationLevel::repeatable_read, "REPEATABLE READ"},
    LevelName{IsolationLevel::snapshot, "SNAPSHOT"},
    LevelName{IsolationLevel::serializable, "SERIALIZABLE"},
};

/// "10.11" covers "10.11.19", not "10.110".
bool covers(const ServerPattern& pattern, const ServerPattern& server) {
    if (pattern.engine != server.engine || !server.version.starts_with(pattern.version)) {
        return false;
    }
    return pattern.version.empty() || server.version.size() == pattern.version.size() ||
           std::isdigit(static_cast<unsigned char>(server.version[pattern.version.size()])) == 0;
}

}  // namespace

bool Condition::holds(const Setting& setting) const {
    const bool level_fits =
        levels.empty() ||
        (setting.level && std::find(levels.begin(), levels.end(), *setting.level) != levels.end());
    const bool server_fits =
        servers.empty() || std::any_of(servers.begin(), servers.end(), [&](const auto& pattern) {
            return covers(pattern, setting.server);
        });
    return level_fits && server_fits;
}

bool Scenario::expects() const {
    return !expected.empty() || std::any_of(steps.begin(), steps.end(), [](const Step& step) {
        return !step.expected.empty();
    });
}

std::string_view level_name(IsolationLevel level) noexcept {
    for (const LevelName& known : level_names) {
        if (known.level == level) {
            return known.name;
        }
    }
    return "as written";
}

std::optional<IsolationLevel> level_from(std::string_view name) {
    std::string wanted;
    for (const char c : name) {
        wanted += c == '-' || c == '_'
                      ? ' '
                      : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    for (const LevelName& known : level_names) {
        if (known.name == wanted) {
            return known.level;
        }
    }
    return std::nullopt;
}

std::string_view to_string(Fate fate) noexcept {
    switch (fate) {
        case Fate::prevented: return "prevented";
        case Fate::blocked: return "blocked";
        case Fate::aborted: return "aborted";
        case Fate::happens: return "happens";
    }
    return "prevented";
}

}  // namespace isotap::workload
