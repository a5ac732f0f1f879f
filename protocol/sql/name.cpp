#include "protocol/sql/name.hpp"

#include <algorithm>
#include <array>

#include "protocol/sql/letter_case.hpp"

namespace isotap::sql {
namespace {

constexpr std::array<std::string_view, 49> postgres_aggregates{"any_value",
                                                               "array_agg",
                                                               "avg",
                                                               "bit_and",
                                                               "bit_or",
                                                               "bit_xor",
                                                               "bool_and",
                                                               "bool_or",
                                                               "corr",
                                                               "count",
                                                               "covar_pop",
                                                               "covar_samp",
                                                               "cume_dist",
                                                               "dense_rank",
                                                               "every",
                                                               "grouping",
                                                               "json_agg",
                                                               "json_arrayagg",
                                                               "json_object_agg",
                                                               "json_objectagg",
                                                               "jsonb_agg",
                                                               "jsonb_object_agg",
                                                               "max",
                                                               "min",
                                                               "mode",
                                                               "percent_rank",
                                                               "percentile_cont",
                                                               "percentile_disc",
                                                               "range_agg",
                                                               "range_intersect_agg",
                                                               "rank",
                                                               "regr_avgx",
                                                               "regr_avgy",
                                                               "regr_count",
                                                               "regr_intercept",
                                                               "regr_r2",
                                                               "regr_slope",
                                                               "regr_sxx",
                                                               "regr_sxy",
                                                               "regr_syy",
                                                               "stddev",
                                                               "stddev_pop",
                                                               "stddev_samp",
                                                               "string_agg",
                                                               "sum",
                                                               "var_pop",
                                                               "var_samp",
                                                               "variance",
                                                               "xmlagg"};

constexpr std::array<std::string_view, 24> mysql_aggregates{
    "any_value",  "avg",          "bit_and",  "bit_or",          "bit_xor",
    "count",      "group_concat", "grouping", "json_arrayagg",   "json_objectagg",
    "max",        "median",       "min",      "percentile_cont", "percentile_disc",
    "st_collect", "std",          "stddev",   "stddev_pop",      "stddev_samp",
    "sum",        "var_pop",      "var_samp", "variance"};

template <typename Names>
bool among(const Names& names, std::string_view name) noexcept {
    return std::any_of(names.begin(), names.end(),
                       [name](std::string_view known) { return same_word(name, known); });
}

}  // namespace

std::string name_of(std::string_view spelled, Dialect dialect) {
    std::string name;
    const char quote = spelled.empty() ? '\0' : spelled.front();
    if (quote == '"' || quote == '`') {
        for (std::size_t i = 1; i + 1 < spelled.size(); ++i) {
            name += spelled[i];
            i += spelled[i] == quote ? 1 : 0;
        }
        return name;
    }
    name = spelled;
    return dialect == Dialect::postgres ? small_letters(std::move(name)) : name;
}

std::string quoted(std::string_view name, Dialect dialect) {
    const char quote = dialect == Dialect::mysql ? '`' : '"';
    std::string text(1, quote);
    for (const char letter : name) {
        text.append(letter == quote ? 2 : 1, letter);
    }
    return text + quote;
}

bool is_builtin_aggregate(std::string_view name, Dialect dialect) noexcept {
    if (name.size() >= 2 && (name.front() == '"' || name.front() == '`')) {
        name = name.substr(1, name.size() - 2);
    }
    if (dialect == Dialect::mysql) {
        return among(mysql_aggregates, name);
    }
    return among(postgres_aggregates, name);
}

}  // namespace isotap::sql
