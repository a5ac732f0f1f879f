#include "tests/support/isotap_process.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/support/paths.hpp"
#include "tests/support/stream.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

Command proxy_command(const std::string& upstream, std::vector<std::string> options,
                      std::optional<User> run_as) {
    std::vector<std::string> line{isotap_program(), "proxy", "--upstream", upstream};
    if (std::find(options.begin(), options.end(), "--listen") == options.end()) {
        line.insert(line.end(), {"--listen", "127.0.0.1:0"});
    }
    line.insert(line.end(), std::make_move_iterator(options.begin()),
                std::make_move_iterator(options.end()));
    return {.arguments = std::move(line), .run_as = run_as};
}

std::uint64_t number_at(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) throw std::runtime_error("no number in: " + std::string(text));
    return number;
}

}  // namespace

IsotapProcess::IsotapProcess(const std::string& upstream, std::vector<std::string> options,
                             std::optional<User> run_as)
    : process_(proxy_command(upstream, std::move(options), run_as)) {
    const std::string line = process_.wait_for_line("isotap: listening on ");
    port_ =
        static_cast<std::uint16_t>(number_at(std::string_view(line).substr(line.rfind(':') + 1)));
}

std::string IsotapProcess::admin_url() {
    constexpr std::string_view prefix = "isotap: admin on ";
    const std::string line = process_.wait_for_line(prefix);
    return line.substr(line.find(prefix) + prefix.size());
}

std::string IsotapProcess::get(std::string_view path) {
    Stream page({.port = static_cast<std::uint16_t>(
                     number_at(std::string_view(admin_url()).substr(admin_url().rfind(':') + 1)))});
    page.set_patience(std::chrono::minutes(1));  // much is long in the making on a busy machine
    page.send("GET " + std::string(path) +
              " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    std::string answer;
    std::array<std::uint8_t, 16'384> chunk{};
    while (const std::size_t n = page.receive(chunk)) {
        answer.append(as_text(Bytes(chunk).first(n)));
    }
    constexpr std::string_view head_end = "\r\n\r\n";
    return answer.substr(std::min(answer.find(head_end) + head_end.size(), answer.size()));
}

std::map<std::string, double> IsotapProcess::metrics() {
    const std::string answer = get("/metrics");
    std::map<std::string, double> all;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.rfind(' ');
        if (line.starts_with("isotap_") && space != std::string::npos) {
            all[line.substr(0, space)] = std::stod(line.substr(space + 1));
        }
    }
    if (all.empty()) throw std::runtime_error("no metrics in: " + answer);
    return all;
}

double IsotapProcess::anomalies() {
    double sum = 0;
    for (const auto& [name, value] : metrics()) {
        sum += name.starts_with("isotap_anomalies_total") ? value : 0;
    }
    return sum;
}

Memory memory_of(pid_t process) {
    const std::string status = read_file("/proc/" + std::to_string(process) + "/status");
    const auto kibibytes = [&](std::string_view name) {
        const std::size_t at = status.find(name);
        if (at == std::string::npos) throw std::runtime_error("the process is gone");
        return number_at(std::string_view(status).substr(at + name.size())) * 1024;
    };
    return {kibibytes("VmRSS:"), kibibytes("VmHWM:")};
}

std::size_t descriptors_of(pid_t process) {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(process) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace isotap::test
