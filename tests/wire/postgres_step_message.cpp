#include "tests/wire/postgres_step_message.hpp"

#include <array>
#include <functional>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

constexpr std::array<std::pair<char, std::string_view>, 24> backend_names{{
    {'R', "Authentication"},
    {'K', "BackendKeyData"},
    {'2', "BindComplete"},
    {'3', "CloseComplete"},
    {'C', "CommandComplete"},
    {'W', "CopyBothResponse"},
    {'d', "CopyData"},
    {'c', "CopyDone"},
    {'G', "CopyInResponse"},
    {'H', "CopyOutResponse"},
    {'D', "DataRow"},
    {'I', "EmptyQueryResponse"},
    {'E', "ErrorResponse"},
    {'V', "FunctionCallResponse"},
    {'v', "NegotiateProtocolVersion"},
    {'n', "NoData"},
    {'N', "NoticeResponse"},
    {'A', "NotificationResponse"},
    {'t', "ParameterDescription"},
    {'S', "ParameterStatus"},
    {'1', "ParseComplete"},
    {'s', "PortalSuspended"},
    {'Z', "ReadyForQuery"},
    {'T', "RowDescription"},
}};

std::uint16_t small(const Step& step, std::size_t place) {
    return static_cast<std::uint16_t>(step.number(place));
}

/// The places after a section word (`formats 0 1 values "a"`), up to the next section or the end.
std::vector<std::size_t> section(const Step& step, std::string_view name) {
    const auto starts = [&](std::size_t i, std::string_view word) {
        return !step.words[i].quoted && step.words[i].text == word;
    };
    std::vector<std::size_t> places;
    bool inside = false;
    for (std::size_t i = 1; i < step.words.size(); ++i) {
        if (starts(i, "formats") || starts(i, "values") || starts(i, "results")) {
            inside = starts(i, name);
        } else if (inside) {
            places.push_back(i);
        }
    }
    return places;
}

void numbers(MessageWriter& out, const Step& step, std::string_view name) {
    const auto places = section(step, name);
    out.be16(static_cast<std::uint16_t>(places.size()));
    for (const std::size_t place : places) {
        out.be16(small(step, place));
    }
}

void values(MessageWriter& out, const Step& step) {
    const auto places = section(step, "values");
    out.be16(static_cast<std::uint16_t>(places.size()));
    for (const std::size_t place : places) {
        const Word& word = step.words[place];
        if (!word.quoted && word.text == "null") {
            out.be32(0xFFFFFFFF);
        } else {
            out.be32(static_cast<std::uint32_t>(word.text.size())).text(word.text);
        }
    }
}

/// Name and value words in turn, from a place on.
Parameters pairs(const Step& step, std::size_t from) {
    Parameters all;
    for (std::size_t i = from; i < step.words.size(); i += 2) {
        all.emplace_back(step.at(i), step.at(i + 1));
    }
    return all;
}

std::string startup(const Step& step) {
    const std::string& version = step.at(1);
    const std::size_t dot = version.find('.');
    const auto part = [&](const std::string& digits) {
        return static_cast<std::uint32_t>(std::stoul(digits));
    };
    return startup_packet(pairs(step, 2),
                          part(version.substr(0, dot)) << 16 | part(version.substr(dot + 1)));
}

std::string parse(const Step& step) {
    MessageWriter out;
    out.c_string(step.at(1)).c_string(step.at(2));
    out.be16(static_cast<std::uint16_t>(step.words.size() - 3));
    for (std::size_t i = 3; i < step.words.size(); ++i) {
        out.be32(static_cast<std::uint32_t>(step.number(i)));
    }
    return out.framed('P');
}

std::string bind(const Step& step) {
    MessageWriter out;
    out.c_string(step.at(1)).c_string(step.at(2));
    numbers(out, step, "formats");
    values(out, step);
    numbers(out, step, "results");
    return out.framed('B');
}

std::string execute(const Step& step) {
    const long rows = step.words.size() > 2 ? step.number(2) : 0;
    return MessageWriter().c_string(step.at(1)).be32(static_cast<std::uint32_t>(rows)).framed('E');
}

std::string of_statement_or_portal(const Step& step, char type) {
    return MessageWriter().text(step.at(1).substr(0, 1)).c_string(step.at(2)).framed(type);
}

std::string function_call(const Step& step) {
    MessageWriter out;
    out.be32(static_cast<std::uint32_t>(step.number(1)));
    numbers(out, step, "formats");
    values(out, step);
    const auto result = section(step, "results");
    out.be16(result.empty() ? std::uint16_t{0} : small(step, result.front()));
    return out.framed('F');
}

std::string raw_bytes(const Step& step) {
    std::string bytes;
    for (std::size_t i = 1; i < step.words.size(); ++i) {
        const Word& word = step.words[i];
        bytes += word.quoted ? word.text
                             : std::string(1, static_cast<char>(std::stoi(word.text, nullptr, 16)));
    }
    return bytes;
}

std::string bare_request(std::uint32_t code) {
    return MessageWriter().be32(code).framed();
}

using Builder = std::function<std::string(const Step&)>;

const std::map<std::string, Builder, std::less<>>& builders() {
    static const std::map<std::string, Builder, std::less<>> all{
        {"Startup", startup},
        {"SSLRequest", [](const Step&) { return bare_request(ssl_request); }},
        {"GSSENCRequest", [](const Step&) { return bare_request(gss_request); }},
        {"Query", [](const Step& step) { return query_message(step.at(1)); }},
        {"Parse", parse},
        {"Bind", bind},
        {"Describe", [](const Step& step) { return of_statement_or_portal(step, 'D'); }},
        {"Close", [](const Step& step) { return of_statement_or_portal(step, 'C'); }},
        {"Execute", execute},
        {"Flush", [](const Step&) { return MessageWriter().framed('H'); }},
        {"Sync", [](const Step&) { return MessageWriter().framed('S'); }},
        {"Terminate", [](const Step&) { return MessageWriter().framed('X'); }},
        {"CopyData", [](const Step& step) { return MessageWriter().text(step.at(1)).framed('d'); }},
        {"CopyDone", [](const Step&) { return MessageWriter().framed('c'); }},
        {"CopyFail",
         [](const Step& step) { return MessageWriter().c_string(step.at(1)).framed('f'); }},
        {"FunctionCall", function_call},
        {"Password",
         [](const Step& step) { return MessageWriter().c_string(step.at(1)).framed('p'); }},
        {"Bytes", raw_bytes},
    };
    return all;
}

}  // namespace

std::optional<std::string> message_of(const Step& step) {
    const auto found = builders().find(step.name());
    return found == builders().end() ? std::nullopt : std::optional(found->second(step));
}

std::string_view backend_name(char type) {
    for (const auto& [byte, name] : backend_names) {
        if (byte == type) return name;
    }
    return "Unknown";
}

char backend_type(std::string_view name) {
    for (const auto& [byte, known] : backend_names) {
        if (known == name) return byte;
    }
    throw std::runtime_error("the server has no message " + std::string(name));
}

}  // namespace isotap::test
