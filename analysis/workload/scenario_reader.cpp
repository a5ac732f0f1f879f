#include "analysis/workload/scenario_reader.hpp"

#include <optional>
#include <stdexcept>

#include "analysis/workload/claim_reader.hpp"

namespace isotap::workload {
namespace {

bool blank(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    return text;
}

/// The name of the file without its folders and its ending.
std::string stem_of(std::string_view path) {
    path = path.substr(path.find_last_of('/') + 1);
    return std::string(path.substr(0, path.find('.')));
}

/// Reads the file line by line. `open_` is what an indented line goes on with.
class Reader {
  public:
    explicit Reader(std::string_view file_name) { scenario_.name = stem_of(file_name); }

    Read<Scenario> read(std::string_view text) {
        for (std::size_t line = 1; !text.empty(); ++line) {
            const std::size_t end = text.find('\n');
            std::string_view one = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (one.ends_with('\r')) one.remove_suffix(1);
            if (const auto done = read_line(one, line); !done) {
                return done.error();
            }
            last_ = line;
        }
        if (scenario_.steps.empty()) {
            return ScenarioError{
                {last_ + 1, 1}, "a statement, 'conn_0> begin;' for example", "the end of the file"};
        }
        finish();
        if (const auto wrong = stranger()) return *wrong;
        return std::move(scenario_);
    }

  private:
    enum class Open : std::uint8_t { nothing, setup, statement, description };

    Read<void> read_line(std::string_view text, std::size_t number) {
        LineCursor line(text, {number, 1});
        if (line.ended() || line.rest().starts_with("--")) {
            return {};
        }
        const bool indented = blank(text.front());
        if (line.take_word("expect")) {
            return read_claim_line(line, false);
        }
        if (line.take_word("happens")) {
            return line.take_word("if") ? read_claim_line(line, true)
                                        : Read<void>(line.expected("'if'"));
        }
        if (starts_statement(line)) {
            return read_statement(line, number);
        }
        if (const auto meant = misspelled(line, indented)) return *meant;
        return indented ? read_more(line) : read_header(line);
    }

    /// What begins almost as a line of ours, and goes on like one, is not taken for SQL.
    static std::optional<ScenarioError> misspelled(LineCursor line, bool indented) {
        const LineCursor whole = line;
        const auto expected = [&](const char* what) { return LineCursor(whole).expected(what); };
        const std::string_view word = line.word();
        if (word.starts_with("conn") && (!indented || line.peek() == '>')) {
            return expected("a connection and its statement, 'conn_0> begin;' for example");
        }
        if (word.starts_with("happen") && line.take_word("if")) return expected("'happens if'");
        if (word.starts_with("expect")) {
            for (const std::string_view kind : {"row", "rows", "affected", "blocked", "error",
                                                "done", "table", "anomaly", "outcome"}) {
                if (line.take_word(kind)) return expected("'expect'");
            }
        }
        return std::nullopt;
    }

    static bool starts_statement(LineCursor line) {
        return line.word().starts_with("conn_") && line.peek() == '>';
    }

    Read<void> read_statement(LineCursor& line, std::size_t number) {
        const Place place = line.place();
        const auto session = read_connection(line);
        if (!session) return session.error();
        line.take('>');
        if (line.ended()) return line.expected("a statement");
        Step step;
        step.name = "line " + std::to_string(number);
        step.session = *session;
        step.sql = trimmed(line.rest());
        step.place = place;
        scenario_.steps.push_back(std::move(step));
        open_ = Open::statement;
        return {};
    }

    Read<void> read_claim_line(LineCursor& line, bool symptom) {
        auto claim = read_claim(line, symptom);
        if (!claim) return claim.error();
        const bool about_end = claim->kind == ClaimKind::table ||
                               claim->kind == ClaimKind::anomaly ||
                               claim->kind == ClaimKind::outcome;
        if (!about_end && scenario_.steps.empty()) {
            return ScenarioError{claim->place, "a statement before what is said about it", "none"};
        }
        if (about_end) {
            (symptom ? scenario_.symptoms : scenario_.expected).push_back(std::move(*claim));
        } else {
            Step& step = scenario_.steps.back();
            (symptom ? step.symptoms : step.expected).push_back(std::move(*claim));
            open_ = Open::nothing;  // a statement does not go on behind its claims
        }
        return {};
    }

    Read<void> read_header(LineCursor& line) {
        const ScenarioError wrong = line.expected(
            open_ == Open::setup ? "SQL in an indented line, or what comes behind the set-up"
                                 : "name:, link:, description:, engines:, levels:, setup:, expect, "
                                   "happens if, 'conn_N> statement' or '-- comment'");
        const std::string_view key = line.word();
        if (!line.take(':')) {
            return wrong;
        }
        open_ = Open::nothing;
        if (key == "name" || key == "link") {
            if (line.ended()) return line.expected("the " + std::string(key));
            (key == "name" ? scenario_.name : scenario_.link) = trimmed(line.rest());
            return {};
        }
        if (key == "description") {
            scenario_.description = trimmed(line.rest());
            open_ = Open::description;
            return {};
        }
        if (key == "engines") {
            auto servers = read_servers(line);
            if (!servers) return servers.error();
            scenario_.where.servers = std::move(*servers);
        } else if (key == "levels") {
            auto levels = read_levels(line);
            if (!levels) return levels.error();
            scenario_.where.levels = std::move(*levels);
        } else if (key == "setup") {
            if (!line.ended()) return line.expected("the end of the line, and SQL indented below");
            open_ = Open::setup;
        } else {
            return wrong;
        }
        return line.ended() ? Read<void>()
                            : Read<void>(line.expected("',' or the end of the line"));
    }

    /// A line that goes on with what the one before began.
    Read<void> read_more(LineCursor& line) {
        const std::string text(trimmed(line.rest()));
        switch (open_) {
            case Open::statement: scenario_.steps.back().sql += "\n" + text; return {};
            case Open::description:
                scenario_.description += (scenario_.description.empty() ? "" : " ") + text;
                return {};
            case Open::setup:
                // A statement ends with a semicolon at the end of its line.
                if (scenario_.setup.empty() || scenario_.setup.back().ends_with(';')) {
                    scenario_.setup.push_back(text);
                } else {
                    scenario_.setup.back() += "\n" + text;
                }
                return {};
            case Open::nothing: break;
        }
        return line.expected("'conn_N> statement', expect, or a header at the begin of its line");
    }

    /// Sessions are those that are spoken of, and all below them.
    void finish() {
        std::vector<Turn> order;
        for (std::size_t i = 0; i < scenario_.steps.size(); ++i) {
            const std::size_t session = scenario_.steps[i].session;
            while (scenario_.sessions.size() <= session) {
                scenario_.sessions.push_back(
                    {"conn_" + std::to_string(scenario_.sessions.size()), {}, {}});
            }
            order.push_back({i, {}});
        }
        scenario_.orders.push_back(std::move(order));
    }

    /// A claim about a connection that says nothing.
    [[nodiscard]] std::optional<ScenarioError> stranger() const {
        for (const Step& step : scenario_.steps) {
            for (const auto* claims : {&step.expected, &step.symptoms}) {
                for (const Claim& claim : *claims) {
                    for (const std::size_t session : claim.sessions) {
                        if (session >= scenario_.sessions.size()) {
                            return ScenarioError{claim.place, "a connection that has statements",
                                                 "'conn_" + std::to_string(session) + "'"};
                        }
                    }
                }
            }
        }
        return std::nullopt;
    }

    Scenario scenario_;
    Open open_ = Open::nothing;
    std::size_t last_ = 0;
};

}  // namespace

std::string ScenarioError::message(std::string_view file) const {
    return std::string(file) + ":" + std::to_string(place.line) + ":" +
           std::to_string(place.column) + ": expected " + expected + ", found " + found;
}

void throw_exception_from_error(const ScenarioError& error, const boost::source_location&) {
    throw std::logic_error("an unchecked scenario error: " + error.message("scenario"));
}

Read<Scenario> read_scenario(std::string_view text, std::string_view file_name) {
    return Reader(file_name).read(text);
}

Read<Scenario> read_by_name(std::string_view text, std::string_view path) {
    return path.ends_with(".spec") ? read_specification(text, path) : read_scenario(text, path);
}

}  // namespace isotap::workload
