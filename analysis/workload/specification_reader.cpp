#include <map>

#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {
namespace {

/// Orders that are made up for a specification that lists none.
constexpr std::size_t orders_max = 10'000;

bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool digit(char c) {
    return c >= '0' && c <= '9';
}

/// The text of a specification, token by token.
class Cursor {
  public:
    explicit Cursor(std::string_view text) : text_(text) {}

    [[nodiscard]] bool ended() {
        skip();
        return at_ == text_.size();
    }

    bool take(char wanted) {
        if (ended() || text_[at_] != wanted) return false;
        advance();
        return true;
    }

    /// A word as it stands, or in double quotes, where "" is a quote; empty where there is none.
    std::string name() {
        std::string result;
        if (take('"')) {
            for (; at_ < text_.size(); advance()) {
                if (text_[at_] == '"') {
                    advance();
                    if (at_ == text_.size() || text_[at_] != '"') return result;
                }
                result += text_[at_];
            }
            return {};
        }
        if (ended() || !letter(text_[at_])) return {};
        for (; at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_])); advance()) {
            result += text_[at_];
        }
        return result;
    }

    std::optional<std::size_t> number() {
        if (ended() || !digit(text_[at_])) return std::nullopt;
        std::size_t value = 0;
        for (; at_ < text_.size() && digit(text_[at_]); advance()) {
            value = std::min<std::size_t>(value * 10 + static_cast<std::size_t>(text_[at_] - '0'),
                                          orders_max);
        }
        return value;
    }

    /// `{ SQL }`: up to the first closing brace, without blanks around.
    Read<std::string> block() {
        if (!take('{')) return expected("'{' and SQL");
        const std::size_t end = text_.find('}', at_);
        if (end == std::string_view::npos) {
            return ScenarioError{
                {line_, column_}, "'}' at the end of the SQL", "the end of the file"};
        }
        std::string_view sql = text_.substr(at_, end - at_);
        while (at_ <= end) advance();
        const std::size_t first = sql.find_first_not_of(" \t\r\n\f");
        sql.remove_prefix(first == std::string_view::npos ? sql.size() : first);
        while (sql.ends_with(' ')) sql.remove_suffix(1);
        return std::string(sql);
    }

    [[nodiscard]] Place place() {
        skip();
        return {line_, column_};
    }

    ScenarioError expected(std::string what) {
        const Place here = place();
        const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
        return {here, std::move(what),
                at_ == text_.size() ? std::string("the end of the file")
                                    : "'" + std::string(rest.substr(0, 30)) + "'"};
    }

    /// What the cursor would read next; for one token of looking ahead.
    [[nodiscard]] std::string peek_name() const {
        Cursor copy = *this;
        return copy.name();
    }

  private:
    void advance() {
        ++column_;
        if (text_[at_++] == '\n') {
            ++line_;
            column_ = 1;
        }
    }

    void skip() {
        while (at_ < text_.size()) {
            if (text_[at_] == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') advance();
            } else if (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')) {
                advance();
            } else {
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t column_ = 1;
};

class Reader {
  public:
    explicit Reader(std::string_view text) : cursor_(text) {}

    Read<Scenario> read() {
        scenario_.specification = true;
        while (!cursor_.ended()) {
            if (const auto part = read_part(); !part) return part.error();
        }
        if (scenario_.steps.empty()) return cursor_.expected("a session with a step");
        if (scenario_.orders.empty()) all_orders();
        return std::move(scenario_);
    }

  private:
    Read<void> read_part() {
        ScenarioError wrong = cursor_.expected("setup, teardown, session or permutation");
        const std::string word = cursor_.name();
        if (word == "permutation") return read_permutation();
        if (!scenario_.orders.empty()) {
            wrong.expected = "permutation";
            return wrong;
        }
        if (word == "session") return read_session();
        if (!scenario_.sessions.empty() || (word != "setup" && word != "teardown")) return wrong;
        auto sql = cursor_.block();
        if (!sql) return sql.error();
        (word == "setup" ? scenario_.setup : scenario_.teardown).push_back(std::move(*sql));
        return {};
    }

    Read<void> read_session() {
        Session session;
        const ScenarioError unnamed = cursor_.expected("the name of the session");
        session.name = cursor_.name();
        if (session.name.empty()) return unnamed;
        const std::size_t index = scenario_.sessions.size();
        scenario_.sessions.push_back(session);
        for (std::string word = cursor_.peek_name();
             word == "setup" || word == "teardown" || word == "step"; word = cursor_.peek_name()) {
            cursor_.name();
            if (word == "step") {
                if (const auto step = read_step(index); !step) return step.error();
                continue;
            }
            auto sql = cursor_.block();
            if (!sql) return sql.error();
            (word == "setup" ? scenario_.sessions[index].setup
                             : scenario_.sessions[index].teardown) = std::move(*sql);
        }
        return {};
    }

    Read<void> read_step(std::size_t session) {
        Step step;
        step.session = session;
        ScenarioError wrong = cursor_.expected("the name of the step");
        step.place = cursor_.place();
        step.name = cursor_.name();
        if (step.name.empty()) return wrong;
        if (!steps_.emplace(step.name, scenario_.steps.size()).second) {
            wrong.expected = "a name that no other step has";
            return wrong;
        }
        auto sql = cursor_.block();
        if (!sql) return sql.error();
        step.sql = std::move(*sql);
        scenario_.steps.push_back(std::move(step));
        return {};
    }

    Read<std::size_t> known_step() {
        const ScenarioError wrong = cursor_.expected("the name of a step");
        const auto found = steps_.find(cursor_.name());
        if (found == steps_.end()) return wrong;
        return found->second;
    }

    Read<void> read_permutation() {
        std::vector<Turn> order;
        do {
            const auto step = known_step();
            if (!step) return step.error();
            Turn turn{*step, {}};
            if (cursor_.take('(')) {
                do {
                    auto marker = read_marker();
                    if (!marker) return marker.error();
                    turn.markers.push_back(*marker);
                } while (cursor_.take(','));
                if (!cursor_.take(')')) return cursor_.expected("',' or ')'");
            }
            order.push_back(std::move(turn));
        } while (!cursor_.ended() && cursor_.peek_name() != "permutation");
        scenario_.orders.push_back(std::move(order));
        return {};
    }

    Read<Marker> read_marker() {
        if (cursor_.take('*')) return Marker{};
        const auto step = known_step();
        if (!step) return step.error();
        if (cursor_.peek_name() != "notices") return Marker{Marker::Kind::behind, *step, 0};
        cursor_.name();
        const auto count = cursor_.number();
        if (!count) return cursor_.expected("a number of notices");
        return Marker{Marker::Kind::notices, *step, *count};
    }

    /// Every order that keeps that of each session, in the isolation tester's sequence: sessions
    /// that come first go first.
    void all_orders() {
        std::vector<std::vector<std::size_t>> left(scenario_.sessions.size());
        for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
            left[scenario_.steps[i].session].push_back(i);
        }
        std::vector<std::size_t> taken(left.size(), 0);
        std::vector<std::size_t> choice{0};  // by depth: the session to try next
        std::vector<Turn> order;
        while (!choice.empty() && scenario_.orders.size() < orders_max) {
            const std::size_t session = choice.back();
            if (session == left.size() || order.size() == scenario_.steps.size()) {
                if (order.size() == scenario_.steps.size()) scenario_.orders.push_back(order);
                choice.pop_back();
                if (order.empty()) return;
                --taken[scenario_.steps[order.back().step].session];
                order.pop_back();
                continue;
            }
            ++choice.back();
            if (taken[session] < left[session].size()) {
                order.push_back({left[session][taken[session]++], {}});
                choice.push_back(0);
            }
        }
    }

    Cursor cursor_;
    Scenario scenario_;
    std::map<std::string, std::size_t> steps_;
};

}  // namespace

Read<Scenario> read_specification(std::string_view text, std::string_view file_name) {
    auto read = Reader(text).read();
    if (read) {
        file_name = file_name.substr(file_name.find_last_of('/') + 1);
        read->name = file_name.substr(0, file_name.rfind(".spec"));
    }
    return read;
}

}  // namespace isotap::workload
