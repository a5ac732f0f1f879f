#include "analysis/workload/claim_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/workload/run.hpp"

namespace isotap::workload {
namespace {

constexpr std::array<std::string_view, 5> engines{"postgres", "mysql", "mariadb", "tidb",
                                                  "cockroachdb"};
constexpr std::array fates{Fate::prevented, Fate::blocked, Fate::aborted, Fate::happens};

template <typename Number>
Read<Number> read_number(LineCursor& line, std::string what) {
    const Place at = line.place();
    const std::size_t before = line.position();
    const std::string_view word = line.word();
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc{} || end != word.data() + word.size()) {
        line.back_to(before);
        ScenarioError wrong = line.expected(std::move(what));
        wrong.place = at;
        return wrong;
    }
    return value;
}

/// A number or word as it stands, 'text' with '' for a quote, or null.
Read<std::optional<std::string>> read_value(LineCursor& line) {
    if (line.take('\'')) {
        std::string text;
        for (;;) {
            const auto part = line.until('\'');
            if (!part) {
                return line.expected("a quote that ends the text");
            }
            text += *part;
            if (!line.rest().starts_with('\'')) {
                return std::optional(text);
            }
            text += '\'';
            line.take('\'');
        }
    }
    if (line.take_word("null")) {
        return std::optional<std::string>();
    }
    const std::string_view word = line.word();
    if (word.empty()) {
        return line.expected("a value: a number, a word, 'text' or null");
    }
    return std::optional(std::string(word));
}

Read<std::vector<Row>> read_rows(LineCursor& line) {
    std::vector<Row> rows;
    while (!line.ended()) {
        if (!line.take('(')) {
            const std::size_t here = line.position();
            const bool condition = line.take_word("at") || line.take_word("on");
            line.back_to(here);
            return line.expected(
                condition ? "rows: 'at LEVEL' and 'on ENGINE' stand before the colon"
                          : "a row in parentheses, '(1,null)' for example, or the end of "
                            "the line");
        }
        Row row;
        do {
            auto value = read_value(line);
            if (!value) {
                return value.error();
            }
            row.push_back(std::move(*value));
        } while (line.take(','));
        if (!line.take(')')) {
            return line.expected("',' or ')'");
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

/// `NAME`, `NAME as violation`.
Read<void> read_anomaly(LineCursor& line, Claim& claim) {
    const ScenarioError wrong =
        line.expected("the name of an anomaly, lost-update or G2-item for example");
    claim.word = line.word();
    analysis::AnomalyKind kind;
    if (!analysis::kind_from(claim.word, kind) && claim.word != against_commits) return wrong;
    if (!line.take_word("as")) return {};
    for (const std::string_view severity : {"violation", "hazard"}) {
        if (line.take_word(severity)) {
            claim.severity = severity;
            return {};
        }
    }
    return line.expected("violation or hazard");
}

/// What stands between the kind of a claim and its condition.
Read<void> read_object(LineCursor& line, Claim& claim) {
    switch (claim.kind) {
        case ClaimKind::affected: {
            const auto count = read_number<std::uint64_t>(
                line, "how many rows were changed, 'affected 1' for example");
            if (!count) return count.error();
            claim.count = *count;
            return {};
        }
        case ClaimKind::table:
            claim.word = line.word();
            if (claim.word.empty()) return line.expected("the name of a table");
            return {};
        case ClaimKind::anomaly: return read_anomaly(line, claim);
        case ClaimKind::blocked:
            if (line.take_word("by")) {
                do {
                    const auto session = read_connection(line);
                    if (!session) return session.error();
                    claim.sessions.push_back(*session);
                } while (line.take(','));
            }
            return {};
        case ClaimKind::error: {
            const std::size_t before = line.position();
            claim.word = line.word();
            if (claim.word == "at" || claim.word == "on") {
                claim.word.clear();
                line.back_to(before);
            }
            return {};
        }
        case ClaimKind::outcome: {
            for (const Fate fate : fates) {
                if (line.take_word(to_string(fate))) {
                    claim.fate = fate;
                    return {};
                }
            }
            return line.expected("prevented, blocked, aborted or happens");
        }
        case ClaimKind::rows:
        case ClaimKind::done: return {};
    }
    return {};
}

Read<void> read_kind(LineCursor& line, bool symptom, Claim& claim) {
    struct Word {
        std::string_view text;
        ClaimKind kind;
        bool symptom;
        bool expected;
    };
    static constexpr std::array words{
        Word{"rows", ClaimKind::rows, true, true},
        Word{"affected", ClaimKind::affected, true, true},
        Word{"blocked", ClaimKind::blocked, true, true},
        Word{"error", ClaimKind::error, true, true},
        Word{"done", ClaimKind::done, true, true},
        Word{"table", ClaimKind::table, true, true},
        Word{"anomaly", ClaimKind::anomaly, false, true},
        Word{"outcome", ClaimKind::outcome, false, true},
    };
    for (const Word& word : words) {
        if ((symptom ? word.symptom : word.expected) && line.take_word(word.text)) {
            claim.kind = word.kind;
            return {};
        }
    }
    return line.expected(symptom ? "rows, affected, blocked, error, done or table"
                                 : "rows, affected, blocked, error, done, table, anomaly or "
                                   "outcome");
}

}  // namespace

Read<std::size_t> read_connection(LineCursor& line) {
    ScenarioError wrong = line.expected("a connection, conn_0 for example");
    const std::string_view word = line.word();
    constexpr std::string_view prefix = "conn_";
    std::size_t number = 0;
    if (!word.starts_with(prefix)) {
        return wrong;
    }
    const std::string_view digits = word.substr(prefix.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) {
        return wrong;
    }
    if (number >= sessions_max) {
        wrong.expected = "a connection below conn_" + std::to_string(sessions_max);
        return wrong;
    }
    return number;
}

Read<std::vector<history::IsolationLevel>> read_levels(LineCursor& line) {
    std::vector<history::IsolationLevel> levels;
    do {
        ScenarioError wrong = line.expected(
            "a level: READ UNCOMMITTED, READ COMMITTED, REPEATABLE READ, SNAPSHOT or SERIALIZABLE");
        std::string name(line.word());
        if (const auto single = level_from(name)) {
            levels.push_back(*single);
            continue;
        }
        name += ' ';
        name += line.word();
        const auto level = level_from(name);
        if (!level) {
            return wrong;
        }
        levels.push_back(*level);
    } while (line.take(','));
    return levels;
}

Read<std::vector<ServerPattern>> read_servers(LineCursor& line) {
    std::vector<ServerPattern> servers;
    do {
        ScenarioError wrong =
            line.expected("an engine: postgres, mysql, mariadb, tidb or cockroachdb");
        std::string name(line.word());
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (std::find(engines.begin(), engines.end(), name) == engines.end()) {
            return wrong;
        }
        ServerPattern server{name, {}};
        if (std::isdigit(static_cast<unsigned char>(line.peek())) != 0) {
            server.version = line.word();
        }
        servers.push_back(std::move(server));
    } while (line.take(','));
    return servers;
}

Read<Claim> read_claim(LineCursor& line, bool symptom) {
    Claim claim;
    claim.place = line.place();
    if (const auto kind = read_kind(line, symptom, claim); !kind) {
        return kind.error();
    }
    if (const auto object = read_object(line, claim); !object) {
        return object.error();
    }
    if (line.take_word("at")) {
        auto levels = read_levels(line);
        if (!levels) return levels.error();
        claim.condition.levels = std::move(*levels);
    }
    if (line.take_word("on")) {
        auto servers = read_servers(line);
        if (!servers) return servers.error();
        claim.condition.servers = std::move(*servers);
    }
    if (claim.kind == ClaimKind::rows || claim.kind == ClaimKind::table) {
        if (!line.take(':')) {
            const std::size_t here = line.position();
            const bool level = !claim.condition.servers.empty() && line.take_word("at");
            line.back_to(here);
            return line.expected(level ? "':' and the rows: 'at LEVEL' stands before 'on ENGINE'"
                                       : "':' and the rows");
        }
        auto rows = read_rows(line);
        if (!rows) return rows.error();
        claim.rows = std::move(*rows);
    }
    if (!line.ended()) {
        return line.expected(claim.condition.servers.empty() && claim.rows.empty()
                                 ? "'at LEVEL', 'on ENGINE' or the end of the line"
                                 : "the end of the line");
    }
    return claim;
}

}  // namespace isotap::workload
