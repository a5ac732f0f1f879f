#include "tests/integration/differential/mysql_listed.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace isotap::test {
namespace {

bool mentions(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

bool ends_with(const Heard& heard, const char* what) {
    return !heard.lines.empty() && mentions(heard.lines.back(), what);
}

/// MariaDB may warn of a column twice. The end of the answer counts its packets.
void forget_second_warnings(Heard& direct, Heard& through) {
    const auto unknown = [](const std::string& row) {
        return row.find("Unknown error") != std::string::npos;
    };
    if (std::erase_if(through.rows, unknown) > 0) {
        std::erase_if(direct.rows, unknown);
        direct.lines.clear();
        through.lines.clear();
    }
}

/// The plan says which broken constraint an UPDATE meets first. True where that was forgotten.
bool forget_what_came_first(const std::string& text, Heard& direct, Heard& through) {
    constexpr const char* constraint_broken = "#23000";
    const bool joins = mentions(text, " join ") || mentions(text, " joined ");
    const bool forgets =
        text.starts_with("update") &&
        ((joins && text.starts_with("update ignore")) ||
         (ends_with(direct, constraint_broken) && ends_with(through, constraint_broken)));
    if (forgets) {
        direct.lines.clear();
        through.lines.clear();
    }
    return forgets;
}

}  // namespace

/// An index that holds all columns holds none that are added. The view `total` is sorted, with keys
/// that the plan chooses; so is a derived table with a limit. What runs under a name is not known.
bool may_be_sorted_aside(const std::string& text) {
    constexpr std::array words{"order by", "group by",  "distinct", " over ",
                               "execute",  "made_view", "total",    "limit 1000) d"};
    return std::any_of(words.begin(), words.end(),
                       [&text](const char* word) { return mentions(text, word); });
}

bool loses_a_column(const Heard& heard, const std::string& text) {
    return ends_with(heard, "#42S22Unknown column 'd") && mentions(text, "limit 1000) d");
}

void MysqlListed::forget(const std::string& text, MysqlWay way, Heard& direct, Heard& through) {
    const bool selected = !direct.lines.empty() && direct.lines.back().starts_with("end");
    if (flavour_ != MysqlFlavour::mysql && text == show_warnings) {
        forget_second_warnings(direct, through);
    }
    const bool of_forgotten = text.starts_with("show ") && error_forgotten_;
    if (of_forgotten || counts_for_another(text, way)) {
        direct.rows.clear();
        through.rows.clear();
    }
    error_forgotten_ = of_forgotten || forget_what_came_first(text, direct, through);
    selected_just_now_ = selected;
}

/// Something may have come between that isotap asked.
bool MysqlListed::counts_for_another(const std::string& text, MysqlWay way) const {
    return (mentions(text, "found_rows()") && !selected_just_now_) ||
           (mentions(text, "row_count()") && way != MysqlWay::text &&
            flavour_ != MysqlFlavour::mysql);
}

}  // namespace isotap::test
