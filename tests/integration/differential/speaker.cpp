#include "tests/integration/differential/speaker.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace isotap::test {
namespace {

struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

/// All fields of an error but the place in the server's source, which a lock taken earlier changes,
/// and perhaps the one in the text.
std::string words_of(const PGresult* result, bool with_position) {
    std::string words;
    for (const char field :
         {'S', 'C', 'M', 'D', 'H', 'P', 'p', 'q', 'W', 's', 't', 'c', 'd', 'n'}) {
        const bool left_out = field == 'P' && !with_position;
        const char* text = left_out ? nullptr : PQresultErrorField(result, field);
        words += text == nullptr ? "" : std::string(1, field) + "=" + text + " | ";
    }
    return words;
}

std::string in_quotes(std::string_view value) {
    std::string quoted = "'";
    for (const char c : value) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + "'";
}

std::string with_values(const GeneratedStatement& statement) {
    if (statement.values.empty()) {
        return statement.text;  // what SQL prepares has parameters of its own
    }
    std::string text;
    for (std::size_t i = 0; i < statement.text.size(); ++i) {
        const char next = i + 1 < statement.text.size() ? statement.text[i + 1] : ' ';
        if (statement.text[i] != '$' || next < '1' || next > '9') {
            text += statement.text[i];
            continue;
        }
        text += in_quotes(statement.values.at(static_cast<std::size_t>(next - '1')));
        ++i;
    }
    return text;
}

}  // namespace

Speaker::Speaker(std::uint16_t port, const std::string& database)
    : connection_(PQconnectdb(("host=127.0.0.1 user=postgres client_encoding=UTF8 dbname=" +
                               database + " port=" + std::to_string(port))
                                  .c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
        throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
    PQsetNoticeReceiver(connection_.get(), take_notice, this);
}

void Speaker::take_notice(void* speaker, const PGresult* notice) {
    auto* const heard_by = static_cast<Speaker*>(speaker);
    heard_by->heard_.lines.push_back("notice " + words_of(notice, heard_by->positions_));
}

Heard Speaker::say(const GeneratedStatement& statement, Way way) {
    heard_ = {};
    const bool copies = statement.text.starts_with("copy");  // libpq knows none in a pipeline
    if (statement.several || statement.copies_in || (copies && way == Way::pipeline)) {
        way = Way::simple;
    }
    if (way == Way::pipeline) {
        PQenterPipelineMode(connection_.get());
    }
    send(statement, way);
    hear_all();
    if (way == Way::pipeline) {
        PQexitPipelineMode(connection_.get());
    }
    return std::move(heard_);
}

void Speaker::send(const GeneratedStatement& statement, Way way) {
    PGconn* to = connection_.get();
    std::vector<const char*> values;
    for (const std::string& value : statement.values) {
        values.push_back(value.c_str());
    }
    const int count = static_cast<int>(values.size());
    const auto send_values = [&](int format) {
        PQsendQueryParams(to, statement.text.c_str(), count, nullptr, values.data(), nullptr,
                          nullptr, format);
    };
    switch (way) {
        case Way::simple: PQsendQuery(to, with_values(statement).c_str()); break;
        case Way::parameters: send_values(0); break;
        case Way::binary: send_values(1); break;
        case Way::prepared: {
            const std::string name = "p" + std::to_string(++names_);
            const Result made(PQprepare(to, name.c_str(), statement.text.c_str(), 0, nullptr));
            hear(made.get());
            if (PQresultStatus(made.get()) == PGRES_COMMAND_OK) {
                const Result described(PQdescribePrepared(to, name.c_str()));
                hear(described.get());
                PQsendQueryPrepared(to, name.c_str(), count, values.data(), nullptr, nullptr,
                                    names_ % 2);
            }
            break;
        }
        case Way::pipeline:
            PQsendQueryParams(to, "select 1", 0, nullptr, nullptr, nullptr, nullptr, 0);
            send_values(0);
            PQsendQueryParams(to, "select count(*) from customer", 0, nullptr, nullptr, nullptr,
                              nullptr, 0);
            PQpipelineSync(to);
            break;
    }
}

void Speaker::hear_all() {
    bool before_nothing = false;
    while (true) {
        const Result result(PQgetResult(connection_.get()));
        if (!result) {
            // In a pipeline, each answer ends so; all of it does with a Sync.
            if (before_nothing || PQpipelineStatus(connection_.get()) == PQ_PIPELINE_OFF) {
                return;
            }
            before_nothing = true;
            continue;
        }
        before_nothing = false;
        hear(result.get());
        switch (PQresultStatus(result.get())) {
            case PGRES_COPY_OUT: hear_copy_out(); break;
            case PGRES_COPY_IN: send_copy_in(); break;
            case PGRES_PIPELINE_SYNC: return;
            default: break;
        }
    }
}

void Speaker::hear(const PGresult* result) {
    if (result == nullptr) {
        heard_.lines.push_back("nothing: " + std::string(PQerrorMessage(connection_.get())));
        return;
    }
    std::string line = PQresStatus(PQresultStatus(result));
    line += " " + std::string(PQcmdStatus(const_cast<PGresult*>(result)));
    heard_.lines.push_back(line + " " + words_of(result, positions_));
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT) {
        return;  // its columns have no names
    }
    for (int i = 0; i < PQnparams(result); ++i) {
        heard_.lines.push_back("parameter " + std::to_string(PQparamtype(result, i)));
    }
    for (int i = 0; i < PQnfields(result); ++i) {
        line = "column " + std::string(PQfname(result, i));
        for (const int fact :
             {static_cast<int>(PQftype(result, i)), modifiers_ ? PQfmod(result, i) : 0,
              PQfsize(result, i), PQfformat(result, i), PQftablecol(result, i),
              static_cast<int>(PQftable(result, i))}) {
            line += " " + std::to_string(fact);
        }
        heard_.lines.push_back(line);
    }
    for (int row = 0; row < PQntuples(result); ++row) {
        line.clear();
        for (int i = 0; i < PQnfields(result); ++i) {
            const std::string_view value(PQgetvalue(result, row, i),
                                         static_cast<std::size_t>(PQgetlength(result, row, i)));
            line += PQgetisnull(result, row, i) != 0 ? "null" : in_quotes(value);
            line += ",";
        }
        heard_.rows.push_back(line);
    }
}

void Speaker::hear_copy_out() {
    char* line = nullptr;
    for (int size = 0; (size = PQgetCopyData(connection_.get(), &line, 0)) > 0; PQfreemem(line)) {
        // The first message of the binary format holds a row as well, which may be any.
        constexpr std::string_view signature = "PGCOPY\n";
        constexpr std::size_t header = 19;
        std::string_view rows(line, static_cast<std::size_t>(size));
        if (rows.starts_with(signature)) {
            heard_.rows.emplace_back(rows.substr(0, header));
            rows.remove_prefix(std::min(header, rows.size()));
        }
        heard_.rows.emplace_back(rows);
    }
}

void Speaker::send_copy_in() {
    constexpr std::string_view lines = "31,copied\n32,too\n";
    PQputCopyData(connection_.get(), lines.data(), static_cast<int>(lines.size()));
    PQputCopyEnd(connection_.get(), nullptr);
}

}  // namespace isotap::test
