#include "isotap/analysis/contract.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace isotap::analysis {
namespace {

using history::IsolationLevel;
using Failure = std::string;

struct LevelName {
    std::string_view name;
    IsolationLevel level;
};
constexpr std::array<LevelName, 5> level_names{{
    {"read uncommitted", IsolationLevel::read_uncommitted},
    {"read committed", IsolationLevel::read_committed},
    {"repeatable read", IsolationLevel::repeatable_read},
    {"snapshot", IsolationLevel::snapshot},
    {"serializable", IsolationLevel::serializable},
}};

std::optional<IsolationLevel> level_from(std::string_view name) {
    for (const LevelName& known : level_names) {
        if (known.name == name) {
            return known.level;
        }
    }
    return std::nullopt;
}

Failure at_line(const toml::node& node, std::string_view expected) {
    return fmt::format("line {}: expected {}", node.source().begin.line, expected);
}

std::optional<Failure> read_words(const toml::table& entry, std::string_view key, auto take) {
    const toml::node* node = entry.get(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr) {
        return at_line(*node, fmt::format("a list of names as '{}'", key));
    }
    for (const toml::node& word : *list) {
        const auto text = word.value<std::string_view>();
        if (!text || !take(*text)) {
            return at_line(word, fmt::format("a known name in '{}', found {}", key,
                                             text ? fmt::format("'{}'", *text) : "no text"));
        }
    }
    return std::nullopt;
}

std::optional<Failure> read_promise(const toml::table& entry, Contract::Promise& promise) {
    const auto add_model = [&promise](std::string_view name) {
        const auto model = model_from(name);
        if (model) {
            promise.models.add(*model);
        }
        return model.has_value();
    };
    const auto add_phenomenon = [&promise](std::string_view name) {
        AnomalyKind kind;
        const bool known = kind_from(name, kind);
        if (known) {
            promise.phenomena.push_back(kind);
        }
        return known;
    };
    if (auto failure = read_words(entry, "models", add_model)) {
        return failure;
    }
    if (auto failure = read_words(entry, "excludes", add_phenomenon)) {
        return failure;
    }
    promise.documentation = entry["documentation"].value_or(std::string{});
    if (promise.documentation.empty()) {
        return at_line(entry, "'documentation': where the engine says so");
    }
    return std::nullopt;
}

/// Those who would have been let down: the one who saw it, or everybody on the cycle.
bool concerns(const Anomaly& anomaly, history::TransactionId id) {
    switch (anomaly.kind.type) {
        case AnomalyType::g1a:
        case AnomalyType::g1b:
        case AnomalyType::dirty_update:
        case AnomalyType::garbage_read:
        case AnomalyType::internal:
        case AnomalyType::future_read:
        case AnomalyType::non_repeatable_read: {
            const bool cycle = anomaly.edges.size() > 1 && anomaly.kind.type != AnomalyType::g1b;
            return anomaly.edges.empty() ||
                   (cycle ? anomaly.edges[0].from : anomaly.edges[0].to) == id;
        }
        case AnomalyType::incompatible_order:
            return std::any_of(anomaly.edges.begin(), anomaly.edges.end(),
                               [id](const CycleEdge& edge) { return edge.to == id; });
        default: return true;
    }
}

bool excludes(const Contract::Promise& promise, const Anomaly& anomaly) noexcept {
    const auto& phenomena = promise.phenomena;
    return !(promise.models & anomaly.violates).empty() ||
           std::find(phenomena.begin(), phenomena.end(), anomaly.kind) != phenomena.end();
}

}  // namespace

boost::system::result<Contract, std::string> Contract::parse(std::string_view text) {
    toml::table root;
    try {
        root = toml::parse(text);
    } catch (const toml::parse_error& error) {
        return fmt::format("line {}: {}", error.source().begin.line, error.description());
    }
    Contract contract;
    contract.engine_ = root["engine"].value_or(std::string{});
    if (contract.engine_.empty()) {
        return std::string{"line 1: expected 'engine': the name of the contract"};
    }
    const toml::array* levels = root["level"].as_array();
    if (levels == nullptr) {
        return std::string{"line 1: expected at least one [[level]]"};
    }
    for (const toml::node& node : *levels) {
        const toml::table* entry = node.as_table();
        if (entry == nullptr) {
            return at_line(node, "a [[level]] table");
        }
        const auto level = level_from((*entry)["name"].value_or(std::string_view{}));
        if (!level) {
            return at_line(node, "'name': one of the five levels, in small letters");
        }
        Promise promise;
        if (auto failure = read_promise(*entry, promise)) {
            return *failure;
        }
        if (!contract.promises_.emplace(*level, std::move(promise)).second) {
            return at_line(node, "each level once");
        }
    }
    return contract;
}

const Contract::Promise* Contract::at(IsolationLevel level) const noexcept {
    const auto found = promises_.find(level);
    return found == promises_.end() ? nullptr : &found->second;
}

Severity Contract::judge(const Anomaly& anomaly) const noexcept {
    const auto promised = [&](const InvolvedTransaction& transaction) {
        if (!concerns(anomaly, transaction.id)) {
            return true;
        }
        const Promise* promise = at(transaction.level);
        return promise != nullptr && excludes(*promise, anomaly);
    };
    const auto& all = anomaly.transactions;
    return !all.empty() && std::all_of(all.begin(), all.end(), promised) ? Severity::violation
                                                                         : Severity::hazard;
}

IsolationLevel Contract::weakest_level_without(const Anomaly& anomaly) const noexcept {
    const auto found = std::find_if(promises_.begin(), promises_.end(), [&](const auto& entry) {
        return excludes(entry.second, anomaly);
    });
    return found == promises_.end() ? IsolationLevel::unknown : found->first;
}

}  // namespace isotap::analysis
