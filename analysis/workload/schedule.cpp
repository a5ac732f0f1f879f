#include "analysis/workload/schedule.hpp"

#include <algorithm>
#include <cctype>

namespace isotap::workload {
namespace {

/// The first words, in lower case, without comments in front.
std::vector<std::string> first_words(std::string_view sql, std::size_t count) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while (words.size() < count) {
        while (at < sql.size() && std::isspace(static_cast<unsigned char>(sql[at])) != 0) ++at;
        if (sql.substr(at, 2) == "--") {
            at = std::min(sql.find('\n', at), sql.size());
            continue;
        }
        if (sql.substr(at, 2) == "/*") {
            const std::size_t end = sql.find("*/", at);
            at = end == std::string_view::npos ? sql.size() : end + 2;
            continue;
        }
        std::string word;
        for (; at < sql.size() && std::isalpha(static_cast<unsigned char>(sql[at])) != 0; ++at) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(sql[at])));
        }
        if (word.empty()) break;
        words.push_back(std::move(word));
    }
    words.resize(count);
    return words;
}

}  // namespace

Boundary boundary_of(std::string_view sql) {
    const std::vector<std::string> words = first_words(sql, 3);
    if (words[0] == "begin" || (words[0] == "start" && words[1] == "transaction")) {
        return Boundary::begins;
    }
    const bool to_savepoint = words[1] == "to" || words[2] == "to";
    if (words[0] == "commit" || words[0] == "end" || words[0] == "abort" ||
        (words[0] == "rollback" && !to_savepoint)) {
        return Boundary::ends;
    }
    return Boundary::none;
}

Schedule::Schedule(const Scenario& scenario, const std::vector<Turn>& order)
    : scenario_(&scenario),
      order_(&order),
      gone_(order.size(), false),
      busy_(scenario.sessions.size(), false) {}

std::optional<std::size_t> Schedule::next() const {
    for (std::size_t turn = 0; turn < gone_.size(); ++turn) {
        if (gone_[turn]) continue;
        if (!busy_[session_of(turn)]) return turn;
        if (scenario_->specification) return std::nullopt;
    }
    return std::nullopt;
}

void Schedule::submit(std::size_t turn) {
    gone_[turn] = true;
    busy_[session_of(turn)] = true;
}

std::vector<std::size_t> Schedule::end(std::size_t turn, bool transaction_lost) {
    const std::size_t session = session_of(turn);
    busy_[session] = false;
    std::vector<std::size_t> dropped;
    if (!transaction_lost || scenario_->specification) {
        return dropped;
    }
    for (std::size_t later = turn + 1; later < gone_.size(); ++later) {
        if (session_of(later) != session || gone_[later]) continue;
        const Boundary boundary = boundary_of(scenario_->steps[(*order_)[later].step].sql);
        if (boundary == Boundary::begins) break;
        gone_[later] = true;
        dropped.push_back(later);
        if (boundary == Boundary::ends) break;
    }
    return dropped;
}

std::optional<std::size_t> Schedule::first_left() const {
    const auto left = std::find(gone_.begin(), gone_.end(), false);
    if (left == gone_.end()) return std::nullopt;
    return session_of(static_cast<std::size_t>(left - gone_.begin()));
}

bool Schedule::recovers(std::size_t turn) const {
    for (std::size_t later = turn + 1; later < gone_.size(); ++later) {
        if (session_of(later) == session_of(turn)) {
            return first_words(scenario_->steps[(*order_)[later].step].sql, 1)[0] == "rollback";
        }
    }
    return false;
}

}  // namespace isotap::workload
